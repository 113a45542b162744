#![no_main]

#[path = "../src/programs.rs"]
mod programs;

libfuzzer_sys::fuzz_target!(|data: &[u8]| programs::program("a.f", data));
