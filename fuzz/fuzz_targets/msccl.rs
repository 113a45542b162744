#![no_main]

#[path = "../src/graphs.rs"]
mod graphs;

libfuzzer_sys::fuzz_target!(|data: &[u8]| graphs::msccl(data));
