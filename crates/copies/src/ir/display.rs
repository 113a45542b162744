//! Datatypes as text, in the notation of the other commands.

use std::fmt;

use super::{Member, Node};

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Contiguous { count } => write!(f, "contiguous({count})"),
            Node::Vector { count, block, stride } => {
                write!(f, "vector({count}, {block}, {stride})")
            }
            Node::Hvector { count, stride, child } => {
                write!(f, "hvector({count}, {stride}, {child})")
            }
            Node::Listed { count, block, list, scale, shift, .. } if !shift.is_zero() => {
                let (open, close) = if shift.terms().count() > 1 { ("(", ")") } else { ("", "") };
                let entries = format!("({list}.. - {open}{shift}{close})");
                write!(f, "hindexed_block({block}, {scale} * {entries}, {count})")
            }
            Node::Listed { count, block, list, scale, .. } => {
                write!(f, "hindexed_block({block}, {scale} * {list}.., {count})")
            }
            Node::Hindexed { displacements, child } => {
                f.write_str("hindexed(<")?;
                for (number, displacement) in displacements.iter().enumerate() {
                    write!(f, "{}{displacement}", if number > 0 { ", " } else { "" })?;
                }
                write!(f, ">, {child})")
            }
            Node::Struct(members) => {
                f.write_str("struct(")?;
                for (number, Member { displacement, node }) in members.iter().enumerate() {
                    write!(f, "{}{displacement}: {node}", if number > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Node::Resized { extent, child } => write!(f, "resized(0, {extent}, {child})"),
            Node::Each { counter, count, displacement, child } => {
                write!(f, "for(k{} < {count}, {displacement}: {child})", counter.0)
            }
            Node::Guard { then, otherwise, .. } => write!(f, "if(.., {then}, {otherwise})"),
        }
    }
}
