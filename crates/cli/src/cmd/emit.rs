//! `commloom emit`: code that builds a type.

use std::io::Write;

use clap::ValueEnum;
use commloom_emit as emit;

use crate::failure::Failure;
use crate::input;

/// Write the code that builds a type with MPI calls
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Language
    #[arg(long, value_enum)]
    lang: Language,
    /// Name of the function
    #[arg(long, default_value = "commloom_type", value_parser = identifier)]
    name: String,
    /// A type in text or JSON notation, a file that holds one, or `-`
    #[arg(value_name = "TYPE|FILE|-")]
    ty: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Language {
    /// C99
    C,
    /// Fortran 2003, `use mpi`
    Fortran,
    /// mpi4py
    Python,
}

const EXAMPLES: &str = "\
The function builds the type exactly as described (normalize first for a cheaper
one), commits it, and frees intermediate types. Bounds are written out wherever
MPI libraries do not agree on them.

Examples:
  commloom emit --lang c 'vec(4, 10, idx(<0,2,3,5>, MPI_CHAR))' > type.c
  commloom normalize layout.txt | head -1 |
      commloom emit --lang fortran --name face_type -";

fn identifier(name: &str) -> Result<String, String> {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Ok(name.to_owned())
    } else {
        Err("expected a letter, then letters, digits and underscores".to_owned())
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let ty = input::ty(&args.ty)?;
    let calls = emit::calls(&ty).map_err(|e| Failure::message(format!("cannot emit: {e}")))?;
    let code = match args.lang {
        Language::C => emit::c(&args.name, &ty, &calls),
        Language::Fortran => {
            emit::fortran(&args.name, &ty, &calls).map_err(|e| Failure::message(e.to_string()))?
        }
        Language::Python => emit::python(&args.name, &ty, &calls),
    };
    Ok(std::io::stdout().lock().write_all(code.as_bytes())?)
}
