//! `commloom show`: pictures of a type.

use std::io::Write;
use std::path::PathBuf;

use commloom_layout::{Base, CostModel, Kind, Type};

use crate::failure::Failure;
use crate::{input, picture};

/// Draw a type: its facts, its tree, and where its bytes lie
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Also draw memory and tree into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// A type in text or JSON notation, a file that holds one, or `-`
    #[arg(value_name = "TYPE|FILE|-")]
    ty: String,
}

const EXAMPLES: &str = "\
In the picture of memory the characters 0-9, a-z, A-Z name the runs of adjacent bytes in the order in
which they are packed, `.` is a gap, `*` lies in several runs, `[` and `]` are the bounds.

Examples:
  commloom show 'vector(4, 2, 4, MPI_INT)'
  commloom show --svg layout.svg layout.txt";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let ty = input::ty(&args.ty)?;
    if let Some(file) = &args.svg {
        std::fs::write(file, picture::svg(&ty)).map_err(|error| Failure::File {
            doing: "write",
            name: file.display().to_string(),
            error,
        })?;
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", facts(&ty))?;
    writeln!(out, "{}", picture::tree(&ty, label))?;
    write!(out, "{}", picture::memory(&ty))?;
    Ok(())
}

fn facts(ty: &Type) -> String {
    let base = match ty.base() {
        Base::Empty => "nothing".to_owned(),
        Base::One(basic) => basic.to_string(),
        Base::Mixed => "several basic types".to_owned(),
    };
    format!(
        "{} bytes in {} elements of {base}, {} runs\n\
         lower bound {}, extent {}; data from {} to {}\n\
         cost {}, {} nodes, depth {}\n",
        ty.size(),
        ty.elements(),
        ty.runs(),
        ty.lb(),
        ty.extent(),
        ty.true_lb(),
        ty.true_ub(),
        CostModel::default().cost(ty),
        ty.nodes(),
        ty.depth()
    )
}

/// One node in words; long lists are cut.
pub fn label(node: &Type) -> String {
    match node.kind() {
        Kind::Leaf(basic) => basic.to_string(),
        Kind::Vec { count, stride, .. } => format!("vec {count} copies, {stride} bytes apart"),
        Kind::Idx { indices, .. } => format!("idx {}", list(indices)),
        Kind::IdxBuc { stride, indices, blocks, .. } => {
            format!("idxbuc {} blocks {}, {stride} bytes apart", list(indices), list(blocks))
        }
        Kind::Strc { indices, .. } => format!("strc {}", list(indices)),
        Kind::Resized { lb, extent, .. } => format!("resized lower bound {lb}, extent {extent}"),
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = items.iter().take(SHOWN).map(T::to_string).collect();
    let rest = match items.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(", ... {more} more"),
    };
    format!("<{}{rest}>", shown.join(", "))
}
