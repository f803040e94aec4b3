#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hall_fuzz::run("signature", bytes));
