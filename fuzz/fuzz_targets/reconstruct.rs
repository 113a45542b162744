#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| commloom_fuzz::reconstruct(data));
