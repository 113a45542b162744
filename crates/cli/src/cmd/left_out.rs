//! Commands that are left out of this build: `cargo build --no-default-features`.

use std::ffi::OsString;

use crate::failure::Failure;

/// Is left out of this build
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// Says how to get it.
pub fn run(command: &str) -> Result<(), Failure> {
    Err(Failure::message(format!(
        "this commloom was built without `{command}`; `make build` builds it with everything"
    )))
}
