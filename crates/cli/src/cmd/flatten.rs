//! `commloom flatten`: the type map of a type.

use std::io::{BufWriter, Write};

use commloom_layout::{Base, Type};

use crate::failure::Failure;
use crate::input;

/// List the elements of a type in order
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// List runs of adjacent bytes (displacement and length) instead of elements
    #[arg(long, conflicts_with = "json")]
    runs: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// A type in text or JSON notation, a file that holds one, or `-`
    #[arg(value_name = "TYPE|FILE|-")]
    ty: String,
}

const EXAMPLES: &str = "\
One displacement in bytes per line. If the elements have several basic types,
each line names its type in a comment, so that `commloom reconstruct` reads
every output.

Examples:
  commloom flatten 'vec(3, 8, MPI_INT)'
      0
      8
      16
  commloom flatten layout.txt | commloom reconstruct --base MPI_INT
  commloom flatten --runs 'vector(3, 2, 4, MPI_INT)'";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let ty = input::ty(&args.ty)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    if args.json {
        json(&ty, &mut out)?;
    } else if args.runs {
        for run in ty.byte_runs() {
            writeln!(out, "{} {}", run.displacement, run.length)?;
        }
    } else {
        for entry in ty.type_map() {
            match ty.base() {
                Base::Mixed => writeln!(out, "{} # {}", entry.displacement, entry.basic)?,
                Base::One(_) | Base::Empty => writeln!(out, "{}", entry.displacement)?,
            }
        }
    }
    Ok(out.flush()?)
}

fn json(ty: &Type, out: &mut impl Write) -> Result<(), Failure> {
    write!(
        out,
        "{{\"n\": {}, \"size\": {}, \"lb\": {}, \"extent\": {}, \"type_map\": [",
        ty.elements(),
        ty.size(),
        ty.lb(),
        ty.extent()
    )?;
    for (k, entry) in ty.type_map().enumerate() {
        let comma = if k == 0 { "" } else { ", " };
        write!(out, "{comma}[\"{}\", {}]", entry.basic, entry.displacement)?;
    }
    Ok(writeln!(out, "]}}")?)
}
