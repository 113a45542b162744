//! `commloom normalize`: a type in, the cheapest type of the same layout out.

use std::io::Write;

use commloom_layout::{Kind, Type, json};
use commloom_reconstruct::normalize;

use crate::failure::Failure;
use crate::{input, options};

/// Find the cheapest description of the layout of a type
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    goal: options::Goal,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// A type in text or JSON notation, a file that holds one, or `-`
    #[arg(value_name = "TYPE|FILE|-")]
    ty: String,
}

const EXAMPLES: &str = "\
Order of the elements, bounds and signature are kept. JSON has the bounds beside
the type, as \"lb\" and \"extent\" in bytes; text has resized(lb, extent, ...)
where they are not those of the elements.

Examples:
  commloom normalize 'vector(100, 1, 1, contiguous(4, MPI_INT))'
      vec(400, 4, leaf(MPI_INT))
      cost 12 (optimal)
  commloom normalize --json 'resized(0, 16, contiguous(2, MPI_INT))'
  commloom normalize --cost mpich.toml layout.txt";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let ty = input::ty(&args.ty)?;
    let found = normalize(&ty, args.goal.constructors.into(), &args.goal.costs.model()?)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let proof = super::cost::proof_members(&found);
        writeln!(
            out,
            "{{\"n\": {}, {proof}, \"lb\": {}, \"extent\": {}, \
             \"type\": {}}}",
            ty.elements(),
            ty.lb(),
            ty.extent(),
            json::write(without_bounds(&found.ty))
        )?;
    } else {
        writeln!(out, "{}\n{}", found.ty, super::cost::with_proof(&found))?;
    }
    Ok(())
}

/// The type below explicit bounds at the root.
fn without_bounds(ty: &Type) -> &Type {
    match ty.kind() {
        Kind::Resized { child, .. } => child,
        _ => ty,
    }
}
