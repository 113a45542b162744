//! Plans as text, one node a line: for snapshot tests and `commloom plan`.

use std::fmt;

use crate::{Form, Kernel, Moves, Node, Plan, Program, Script, Shape, Tiles};

/// List entries that are printed before the rest is cut short.
const SHOWN: usize = 8;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bounds, cost) = (self.bounds(), self.cost_estimate());
        writeln!(
            f,
            "plan: {} bytes in {} runs, from {}, in {}..{}",
            cost.bytes,
            cost.runs,
            self.start(),
            bounds.start,
            bounds.end
        )?;
        node(f, self.root(), 1)?;
        match self.flat() {
            Some(flat) => writeln!(f, "  flat: pack {}, unpack {}", flat.pack(), flat.unpack()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.moves() {
            Moves::Column { length, count, .. } => write!(f, "column of {count} x {length}"),
            Moves::Blocks { length, places } => write!(f, "{} blocks of {length}", places.len()),
            Moves::Pieces(pieces) => write!(f, "{} pieces", pieces.len()),
            Moves::Picks(picks) => {
                let (vectors, windows) = (picks.picks().len(), picks.windows());
                let unit = if picks.unit() == 4 { "words" } else { "bytes" };
                write!(f, "{vectors} vectors of {unit} picked from {windows}")
            }
        }
    }
}

pub(crate) fn node(f: &mut fmt::Formatter<'_>, this: &Node, depth: usize) -> fmt::Result {
    write!(f, "{:depth$}", "", depth = 2 * depth)?;
    match this.shape() {
        Shape::Block => writeln!(f, "block {}", this.bytes()),
        Shape::Loop { count, stride, body } => {
            writeln!(f, "loop {count} stride {stride}: {}", this.kernel())?;
            node(f, body, depth + 1)
        }
        Shape::List { offsets, body } => {
            write!(f, "list {} at ", offsets.len())?;
            list(f, offsets.iter())?;
            writeln!(f, ": {}", this.kernel())?;
            node(f, body, depth + 1)
        }
        Shape::Buckets { offsets, copies, stride, body } => {
            write!(f, "buckets {} at ", offsets.len())?;
            list(f, offsets.iter())?;
            write!(f, " of ")?;
            list(f, copies.windows(2).map(|w| w[1] - w[0]))?;
            writeln!(f, " stride {stride}: {}", this.kernel())?;
            node(f, body, depth + 1)
        }
        Shape::Runs { offsets, starts } => {
            write!(f, "runs {} at ", offsets.len())?;
            list(f, offsets.iter())?;
            write!(f, " of ")?;
            list(f, starts.windows(2).map(|w| w[1] - w[0]))?;
            writeln!(f)
        }
        Shape::Seq(steps) => {
            write!(f, "seq {} at ", steps.len())?;
            list(f, steps.iter().map(|step| step.a))?;
            writeln!(f)?;
            steps.iter().try_for_each(|step| node(f, &step.node, depth + 1))
        }
    }
}

pub(crate) fn list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    items: impl Iterator<Item = T>,
) -> fmt::Result {
    f.write_str("<")?;
    for (i, item) in items.enumerate() {
        match i {
            0 => write!(f, "{item}")?,
            SHOWN => {
                f.write_str(", ...")?;
                break;
            }
            _ => write!(f, ", {item}")?,
        }
    }
    f.write_str(">")
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kernel::Copy => f.write_str("copy"),
            Kernel::Runs => f.write_str("runs"),
            Kernel::Walk => f.write_str("walk"),
            Kernel::Rows { length, columns: 1, ahead, .. } => {
                write!(f, "rows of {length}")?;
                [("packing", ahead.pack), ("unpacking", ahead.unpack)]
                    .into_iter()
                    .filter(|&(_, ahead)| ahead > 0)
                    .try_for_each(|(when, ahead)| write!(f, ", touched {ahead} ahead when {when}"))
            }
            Kernel::Rows { length, columns, stride, .. } => {
                write!(f, "rows of {columns} x {length} stride {stride}")
            }
            Kernel::Programs { pack, unpack, other } => {
                for (name, program) in [("pack", pack), ("unpack", unpack)] {
                    if let Some(program) = program {
                        write!(f, "{name} {program}, ")?;
                    }
                }
                write!(f, "else {other}")
            }
            Kernel::Paced { rows, other } => {
                write!(f, "{other}, unpacked with a pause every {rows}")
            }
            Kernel::Tiles(tiles) => write!(f, "{tiles}"),
            Kernel::Blocks { parts } => {
                f.write_str("blocks")?;
                parts.iter().try_for_each(|part| write!(f, " {}@{}", part.length, part.a))
            }
            Kernel::Period { parts, tile, touch, .. } => {
                f.write_str("period")?;
                for part in parts {
                    write!(f, " {}@{}", part.length, part.a)?;
                }
                write!(f, ", tile {tile}{}", if *touch { ", the next one touched" } else { "" })
            }
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.form() {
            Form::Chain => "chained",
            Form::Windows(2) => "of two windows",
            Form::Windows(3) => "of three windows",
            Form::Windows(_) => "of four windows",
            Form::Gather => "gathered",
            Form::Merge => {
                return write!(f, "{} merged from {} windows", self.copies(), self.moves().len());
            }
            Form::Row => "in a row",
            Form::Spread => "of their own",
        };
        write!(f, "{} by {} vectors {form}", self.copies(), self.moves().len())
    }
}

impl fmt::Display for Tiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tiles { length, along_a: a, along_b: b, others, block } = self;
        write!(f, "transpose {} x {} of {length}", a.count, b.count)?;
        write!(f, ", a {}/{}, b {}/{}", a.a, b.a, a.b, b.b)?;
        for dim in others {
            write!(f, ", {} at {}/{}", dim.count, dim.a, dim.b)?;
        }
        write!(f, ", block {block}")
    }
}
