//! The `commloom` command.
#![forbid(unsafe_code)]

mod calibrate;
mod cmd;
mod cost_file;
mod explain;
mod failure;
mod files;
mod guidelines;
mod input;
mod launch;
mod options;
mod sarif;
mod signals;
mod sites;
mod streams;
mod tables;
mod terminal;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use failure::Failure;
use terminal::say;

/// Speed up MPI programs that use derived datatypes, and study such datatypes
#[derive(Parser)]
#[command(name = "commloom", version, max_term_width = 80, after_help = AFTER)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER: &str = "\
Exit status: 0 done, 1 the answer is no, 2 bad input. `commloom exec` and
`commloom trace` have the status of the program that they run.

Examples:
  mpirun -n 64 commloom exec --report report.html -- ./app
  commloom refactor src/";

#[derive(Subcommand)]
enum Command {
    Exec(cmd::exec::Args),
    #[cfg(feature = "refactor")]
    Refactor(cmd::refactor::Args),
    #[cfg(not(feature = "refactor"))]
    Refactor(cmd::left_out::Args),
    #[cfg(feature = "lsp")]
    Lsp(cmd::lsp::Args),
    #[cfg(not(feature = "lsp"))]
    Lsp(cmd::left_out::Args),
    Trace(cmd::trace::Args),
    Reconstruct(cmd::reconstruct::Args),
    Normalize(cmd::normalize::Args),
    Flatten(cmd::flatten::Args),
    Show(cmd::show::Args),
    Cost(cmd::cost::Args),
    Emit(cmd::emit::Args),
    Plan(cmd::plan::Args),
    Calibrate(cmd::calibrate::Args),
    Guidelines(Box<cmd::guidelines::Args>),
    Report(cmd::report::Args),
    Detect(cmd::detect::Args),
    Completions(cmd::completions::Args),
    #[command(hide = true)]
    Manual(cmd::manual::Args),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return refused(|| tell(&error)),
        Err(error) => error.exit(),
    };
    let starts = matches!(cli.command, Command::Exec(_) | Command::Trace(_));
    let end = run(cli.command);
    signals::wait_if_ending();
    match end {
        Ok(()) | Err(Failure::ReaderLeft) => ExitCode::SUCCESS,
        Err(Failure::No) => ExitCode::from(1),
        Err(Failure::Interrupted) => ExitCode::from(130),
        Err(failure @ Failure::OfThisRank(_)) => {
            say!("error: {failure}");
            launch::end_alone()
        }
        Err(failure) if starts => refused(|| say!("error: {failure}")),
        Err(failure) => {
            say!("error: {failure}");
            ExitCode::from(2)
        }
    }
}

/// Prints an error of clap. It repeats arguments, which a pattern of the shell may have made of
/// names of files: those are shown with control characters escaped.
fn tell(error: &clap::Error) {
    let is_plain = |argument: &std::ffi::OsString| {
        !argument.to_string_lossy().contains(commloom_guard::is_hidden)
    };
    if std::env::args_os().all(|argument| is_plain(&argument)) {
        // There is nobody left to tell.
        let _ = error.print();
    } else {
        terminal::tell(format_args!("{}", error.render()));
    }
}

/// Ends a command that `mpirun` may have started once for each rank.
fn refused(say: impl FnOnce()) -> ExitCode {
    match launch::voice() {
        launch::Voice::Silent => {}
        launch::Voice::Speaks => say(),
        launch::Voice::Alone => {
            say();
            launch::end_alone();
        }
    }
    ExitCode::from(2)
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Exec(args) => cmd::exec::run(args),
        #[cfg(feature = "refactor")]
        Command::Refactor(args) => cmd::refactor::run(&args),
        #[cfg(not(feature = "refactor"))]
        Command::Refactor(_) => cmd::left_out::run("refactor"),
        #[cfg(feature = "lsp")]
        Command::Lsp(args) => cmd::lsp::run(&args),
        #[cfg(not(feature = "lsp"))]
        Command::Lsp(_) => cmd::left_out::run("lsp"),
        Command::Trace(args) => cmd::trace::run(&args),
        Command::Reconstruct(args) => cmd::reconstruct::run(&args),
        Command::Normalize(args) => cmd::normalize::run(&args),
        Command::Flatten(args) => cmd::flatten::run(&args),
        Command::Show(args) => cmd::show::run(&args),
        Command::Cost(args) => cmd::cost::run(&args),
        Command::Emit(args) => cmd::emit::run(&args),
        Command::Plan(args) => cmd::plan::run(&args),
        Command::Calibrate(args) => cmd::calibrate::run(&args),
        Command::Guidelines(args) => cmd::guidelines::run(&args),
        Command::Report(args) => cmd::report::run(&args),
        Command::Detect(args) => cmd::detect::run(&args),
        Command::Completions(args) => cmd::completions::run(&args, Cli::command()),
        Command::Manual(args) => cmd::manual::run(&args, Cli::command()),
    }
}
