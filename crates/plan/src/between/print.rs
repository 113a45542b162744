//! Copies as text, one pair a line.

use std::fmt;

use crate::print;
use crate::{CopyKernel, CopyPlan, Outer, Pair, Pairing, Stage, Steps};

impl fmt::Display for CopyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (a, b, starts) = (self.source_bounds(), self.destination_bounds(), self.starts());
        writeln!(
            f,
            "copy: {} bytes, from {} in {}..{}, to {} in {}..{}",
            self.bytes(),
            starts.0,
            a.start,
            a.end,
            starts.1,
            b.start,
            b.end
        )?;
        pair(f, self.root(), 1)
    }
}

fn pair(f: &mut fmt::Formatter<'_>, this: &Pair, depth: usize) -> fmt::Result {
    write!(f, "{:depth$}", "", depth = 2 * depth)?;
    match this.pairing() {
        Pairing::Pack(_) | Pairing::Unpack(_) if this.block().is_some() => {
            writeln!(f, "block {}", this.bytes())
        }
        Pairing::Pack(node) => {
            writeln!(f, "pack")?;
            print::node(f, node, depth + 1)
        }
        Pairing::Unpack(node) => {
            writeln!(f, "unpack")?;
            print::node(f, node, depth + 1)
        }
        Pairing::Loop { count, a, b, body, kernel } => {
            writeln!(f, "loop {count} from {a} to {b}: {kernel}")?;
            pair(f, body, depth + 1)
        }
        Pairing::Seq(steps) => {
            write!(f, "seq {} from ", steps.len())?;
            print::list(f, steps.iter().map(|step| step.a))?;
            f.write_str(" to ")?;
            print::list(f, steps.iter().map(|step| step.b))?;
            writeln!(f)?;
            steps.iter().try_for_each(|step| pair(f, &step.pair, depth + 1))
        }
        Pairing::Staged { source, destination, stage } => {
            writeln!(f, "{stage}")?;
            print::node(f, source, depth + 1)?;
            print::node(f, destination, depth + 1)
        }
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Steps::Stride(stride) => write!(f, "stride {stride}"),
            Steps::List(offsets) => print::list(f, offsets.iter()),
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::Buffer { piece } => write!(f, "staged by {piece} bytes"),
            Stage::SourceRuns => f.write_str("unpacked run by run of the source"),
            Stage::DestinationRuns => f.write_str("packed run by run of the destination"),
        }
    }
}

impl fmt::Display for CopyKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CopyKernel::Walk => f.write_str("walk"),
            CopyKernel::Blocks { length } => write!(f, "blocks of {length}"),
            CopyKernel::Grid { length, dims, own } => {
                write!(f, "grid of {length}")?;
                for (i, dim) in dims.iter().enumerate() {
                    let mark = if i == *own { "*" } else { "" };
                    write!(f, ", {mark}{} at {}/{}", dim.count, dim.a, dim.b)?;
                }
                Ok(())
            }
            CopyKernel::Tiles { tiles, own } => {
                let own = match own {
                    Outer::AlongA => "a",
                    Outer::AlongB => "b",
                    Outer::Other => "another",
                };
                write!(f, "{tiles}, along {own}")
            }
            CopyKernel::Period { parts, tile } => {
                f.write_str("period")?;
                for part in parts {
                    write!(f, " {}@{}/{}", part.length, part.a, part.b)?;
                }
                write!(f, ", tile {tile}")
            }
        }
    }
}
