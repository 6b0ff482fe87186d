//! `cargo fuzz run scenarios`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    solo_fuzz::readers::scenarios(bytes);
});
