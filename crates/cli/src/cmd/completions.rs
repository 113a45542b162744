//! `commloom completions`: what a shell needs to complete commands and options.

use std::io::Write;

use clap::ValueEnum;
use clap_complete::generate;
use clap_complete::shells::{Bash, Fish, Zsh};

use crate::failure::Failure;

/// Print a script that completes commands and options in a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

const EXAMPLES: &str = "\
Examples:
  source <(commloom completions bash)
  commloom completions fish > ~/.config/fish/completions/commloom.fish

`make install` puts these files where shells look for them below its PREFIX.";

/// Runs the command.
pub fn run(args: &Args, mut cli: clap::Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    match args.shell {
        Shell::Bash => generate(Bash, &mut cli, "commloom", &mut script),
        Shell::Zsh => generate(Zsh, &mut cli, "commloom", &mut script),
        Shell::Fish => generate(Fish, &mut cli, "commloom", &mut script),
    }
    Ok(std::io::stdout().lock().write_all(&script)?)
}
