//! `commloom cost`: what a type costs in the papers' model, node by node.

use std::io::Write;

use commloom_layout::{Kind, Type};
use commloom_picture as picture;
use commloom_reconstruct::Reconstruction;

use crate::failure::Failure;
use crate::{input, options};

/// Print the cost of a type, node by node
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    costs: options::Costs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// A type in text or JSON notation, a file that holds one, or `-`
    #[arg(value_name = "TYPE|FILE|-")]
    ty: String,
}

const EXAMPLES: &str = "\
Nodes cost 6, list entries 1 each (idxbuc and strc have two lists); see --cost.
Bounds cost nothing. A cost is not a time.

Examples:
  commloom cost 'vec(4, 10, idx(<0,2,3,5>, MPI_CHAR))'
      cost 22
  commloom cost --cost lookup=3 layout.txt
  commloom cost --cost mpich.toml,leaf=4 layout.txt";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let ty = input::ty(&args.ty)?;
    let model = args.costs.model()?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{{\"cost\": {}, \"nodes\": {}}}", model.cost(&ty), ty.nodes())?;
    } else {
        writeln!(out, "cost {}", model.cost(&ty))?;
        let label = |node: &Type| format!("{}  {}", head(node), model.node(node));
        write!(out, "{}", picture::tree(&ty, label))?;
    }
    Ok(())
}

fn head(node: &Type) -> &'static str {
    match node.kind() {
        Kind::Leaf(_) => "leaf",
        Kind::Vec { .. } => "vec",
        Kind::Idx { .. } => "idx",
        Kind::IdxBuc { .. } => "idxbuc",
        Kind::Strc { .. } => "strc",
        Kind::Resized { .. } => "resized",
    }
}

/// The cost of a result, and how good it is known to be.
pub fn with_proof(found: &Reconstruction) -> String {
    match found.exact {
        true => format!("cost {} (optimal)", found.cost),
        false => {
            let stopped =
                if found.complete { "" } else { "; the search stopped at its limit of work" };
            format!("cost {} (proven: at least {}{stopped})", found.cost, found.lower_bound)
        }
    }
}

/// The same as members of a JSON object. The bound is only there where it says something new.
pub fn proof_members(found: &Reconstruction) -> String {
    let members = format!("\"cost\": {}, \"exact\": {}", found.cost, found.exact);
    match found.exact {
        true => members,
        false => {
            let stopped = if found.complete { "" } else { ", \"complete\": false" };
            format!("{members}, \"lower_bound\": {}{stopped}", found.lower_bound)
        }
    }
}
