//! `cargo run --release -p xtask -- demo`
#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask::demo::{self, Options, paired};

/// Tasks of the commloom project.
#[derive(Parser)]
#[command(name = "xtask", version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every example natively and under `commloom exec`, and print one table.
    Demo(Options),
    /// Send, broadcast and pack the layouts of the expectation tests natively and under
    /// `commloom exec`, and count what breaks the performance guidelines.
    BenchMpi(Options),
    /// Compare native calls with commloom by turns in one run, and list the cells that are slower.
    Paired(paired::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Demo(options) => demo::run(&options),
        Task::BenchMpi(options) => demo::bench_mpi(&options),
        Task::Paired(options) => paired::run(&options),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            anstream::eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
