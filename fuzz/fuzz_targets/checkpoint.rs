//! `cargo fuzz run checkpoint`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    solo_fuzz::readers::checkpoint(bytes);
});
