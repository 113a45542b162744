//! `commloom manual`: the manual pages, for whoever installs or packages.

use std::path::PathBuf;

use crate::failure::Failure;

/// Write the manual pages of all commands
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder, which must exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, cli: clap::Command) -> Result<(), Failure> {
    clap_mangen::generate_to(cli, &args.folder).map_err(|error| Failure::File {
        doing: "write manual pages to",
        name: args.folder.display().to_string(),
        error,
    })
}
