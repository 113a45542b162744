#![no_main]

#[path = "../src/bytes.rs"]
#[allow(dead_code)] // Lists and counts are for other targets.
mod bytes;
#[path = "../src/graphs.rs"]
mod graphs;
#[path = "../src/traces.rs"]
mod traces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| traces::trace(data));
