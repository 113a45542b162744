//! `commloom-fuzz-mpi`: see the library of this crate.

use std::process::ExitCode;

use clap::Parser as _;
use commloom_fuzz_mpi::Options;

fn main() -> ExitCode {
    commloom_fuzz_mpi::run(&Options::parse())
}
