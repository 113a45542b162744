//! `commloom reconstruct`: displacements in, cheapest type out.

use std::io::Write;

use commloom_layout::{Basic, json};
use commloom_reconstruct::{
    Budget, Constructors, EXACT_TREE_LIMIT, Reconstruction, reconstruct, reconstruct_large,
};

use crate::failure::Failure;
use crate::{input, options};

/// Find the cheapest description of a list of displacements
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    goal: options::Goal,
    /// Basic type of the elements
    #[arg(long, value_name = "BASIC", default_value = "MPI_BYTE", value_parser = options::basic)]
    base: Basic,
    /// Limit on the search for a tree of more than 2,048 displacements, for each of them: a unit
    /// takes 10 to 30 ns. The answer says if the search stopped there
    #[arg(long, value_name = "N", default_value_t = Budget::DEFAULT.work)]
    work: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Displacements in bytes: integers, white space or commas between them, `#` comments
    #[arg(default_value = "-")]
    file: String,
}

const EXAMPLES: &str = "\
Examples:
  echo 0 2 3 5 10 12 13 15 | commloom reconstruct
      vec(2, 10, idx(<0,2,3,5>, leaf(MPI_BYTE)))
      cost 22 (optimal)
  commloom reconstruct --base MPI_DOUBLE --constructors basic --json list.txt
  commloom reconstruct --cost vec=10,lookup=2 displacements.txt
  commloom reconstruct --cost mpich.toml displacements.txt";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let displacements = input::displacements(&args.file)?;
    let found = solved(args, &displacements)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let proof = super::cost::proof_members(&found);
        writeln!(
            out,
            "{{\"n\": {}, {proof}, \"type\": {}}}",
            displacements.len(),
            json::write(&found.ty)
        )?;
    } else {
        writeln!(out, "{}\n{}", found.ty, super::cost::with_proof(&found))?;
    }
    Ok(())
}

fn solved(args: &Args, displacements: &[i64]) -> Result<Reconstruction, Failure> {
    let (set, model) = (args.goal.constructors.into(), args.goal.costs.model()?);
    let found = if set == Constructors::Tree && displacements.len() > EXACT_TREE_LIMIT {
        let budget = Budget { work: args.work, ..Budget::DEFAULT };
        reconstruct_large(displacements, args.base, &model, &budget)?
    } else {
        reconstruct(displacements, args.base, set, &model)?
    };
    Ok(found)
}
