//! `cargo run --release -p xtask -- demo`
#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask::demo::{self, Options};

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
}

fn main() -> ExitCode {
    let Task::Demo(options) = Arguments::parse().task;
    match demo::run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            anstream::eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
