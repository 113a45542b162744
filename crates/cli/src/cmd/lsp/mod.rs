//! `commloom lsp`: packing code is marked in editors while it is written.
//!
//! A language server over standard input and output. It looks at all C, C++ and Fortran files
//! below the folders that the editor has opened, with the text of open files as it is in the
//! editor.

mod answer;
mod documents;
mod findings;
mod position;
mod server;

use lsp_server::{Connection, ProtocolError};

use crate::failure::Failure;

/// Show packing code in editors (a language server)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

const EXAMPLES: &str = "\
Examples, for editors that start language servers:
  Neovim:  vim.lsp.start({ name = 'commloom', cmd = { 'commloom', 'lsp' },
                           root_dir = vim.fn.getcwd() })
  Helix:   [language-server.commloom]
           command = \"commloom\"
           args = [\"lsp\"]

It talks on standard input and output. Calls that `commloom refactor` would
change are an information with a code action; refused calls are a hint with the
reason.";

/// Runs the command, until the editor ends it.
pub fn run(_: &Args) -> Result<(), Failure> {
    let failure = |error: ProtocolError| Failure::message(format!("language server: {error}"));
    let (connection, threads) = Connection::stdio();
    let (id, given) = connection.initialize_start().map_err(failure)?;
    let given = serde_json::from_value(given)
        .map_err(|error| Failure::message(format!("language server: initialize: {error}")))?;
    let (server, answer) = server::Server::start(given);
    connection.initialize_finish(id, answer).map_err(failure)?;
    server.run(&connection).map_err(failure)?;
    drop(connection);
    Ok(threads.join()?)
}
