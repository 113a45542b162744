//! The header that is committed is the one that the functions have.
//! `UPDATE_HEADER=1 cargo test -p commloom-capi` writes it anew.

use std::path::Path;

#[test]
fn the_committed_header_is_up_to_date() {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(crate_root.join("cbindgen.toml")).expect("valid");
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(crate_root.join("src/error.rs"))
        .with_src(crate_root.join("src/functions.rs"))
        .generate()
        .expect("the functions can be read")
        .write(&mut made);
    let made = String::from_utf8(made).expect("text");
    let file = crate_root.join("include/commloom.h");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&file, &made).expect("writable");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == made,
        "include/commloom.h is old: UPDATE_HEADER=1 cargo test -p commloom-capi"
    );
}
