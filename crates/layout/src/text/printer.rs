//! Types as text: the core form, on one line or on several.

use std::fmt::{self, Display, Write};

use crate::{Kind, Type};

/// The core form on one line; reading it gives an equal type. Length and time are linear in the
/// tree, shared nodes counted as often as they occur.
impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_line(self, f)
    }
}

fn write_line(ty: &Type, out: &mut dyn Write) -> fmt::Result {
    match ty.kind() {
        Kind::Leaf(basic) => return write!(out, "leaf({basic})"),
        Kind::Strc { indices, children } => {
            write!(out, "strc({}, <", List(indices))?;
            for (k, child) in children.iter().enumerate() {
                out.write_str(if k == 0 { "" } else { ", " })?;
                write_line(child, out)?;
            }
            return out.write_str(">)");
        }
        Kind::Vec { count, stride, .. } => write!(out, "vec({count}, {stride}, ")?,
        Kind::Idx { indices, .. } => write!(out, "idx({}, ", List(indices))?,
        Kind::IdxBuc { stride, indices, blocks, .. } => {
            write!(out, "idxbuc({stride}, {}, {}, ", List(indices), List(blocks))?;
        }
        Kind::Resized { lb, extent, .. } => write!(out, "resized({lb}, {extent}, ")?,
    }
    for child in ty.children() {
        write_line(child, out)?;
    }
    out.write_char(')')
}

/// `<1,2,3>`.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('<')?;
        for (k, item) in self.0.iter().enumerate() {
            f.write_str(if k == 0 { "" } else { "," })?;
            item.fmt(f)?;
        }
        f.write_char('>')
    }
}

/// Widest line of the pretty form, in characters.
const WIDTH: usize = 100;

/// The core form on as many lines as it needs: a node that does not fit in 100 columns puts its
/// children on lines of their own, indented, and breaks its lists.
#[must_use]
pub fn pretty(ty: &Type) -> String {
    let mut text = String::new();
    write_pretty(ty, 0, 0, &mut text);
    text
}

/// Writes `ty` indented by `indent` columns; `behind` characters will follow on its last line.
fn write_pretty(ty: &Type, indent: usize, behind: usize, out: &mut String) {
    let mut line = Bounded { text: String::new(), room: WIDTH.saturating_sub(indent + behind) };
    if write_line(ty, &mut line).is_ok() {
        out.push_str(&" ".repeat(indent));
        out.push_str(&line.text);
        return;
    }
    let head = match ty.kind() {
        Kind::Leaf(basic) => format!("leaf({basic}"),
        Kind::Vec { count, stride, .. } => format!("vec({count}, {stride},"),
        Kind::Idx { indices, .. } => format!("idx({},", List(indices)),
        Kind::IdxBuc { stride, indices, blocks, .. } => {
            format!("idxbuc({stride}, {}, {},", List(indices), List(blocks))
        }
        Kind::Strc { indices, .. } => format!("strc({}, <", List(indices)),
        Kind::Resized { lb, extent, .. } => format!("resized({lb}, {extent},"),
    };
    write_broken(&head, indent, out);
    let closing = if matches!(ty.kind(), Kind::Strc { .. }) { ">)" } else { ")" };
    let last = ty.children().len().saturating_sub(1);
    for (k, child) in ty.children().iter().enumerate() {
        out.push('\n');
        write_pretty(child, indent + 2, if k == last { behind + closing.len() } else { 1 }, out);
        out.push_str(if k == last { "" } else { "," });
    }
    out.push_str(closing);
}

/// Writes a head, broken behind commas where it is too wide.
fn write_broken(head: &str, indent: usize, out: &mut String) {
    let mut column = indent;
    out.push_str(&" ".repeat(indent));
    for piece in head.split_inclusive(',') {
        if column + piece.len() > WIDTH && column > indent + 4 {
            out.push('\n');
            out.push_str(&" ".repeat(indent + 4));
            column = indent + 4;
        }
        let piece = if column == indent + 4 { piece.trim_start() } else { piece };
        out.push_str(piece);
        column += piece.len();
    }
}

/// A line that refuses to grow past its room, so that trying whether a node fits costs no more
/// than a line.
struct Bounded {
    text: String,
    room: usize,
}

impl Write for Bounded {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.room = self.room.checked_sub(s.len()).ok_or(fmt::Error)?;
        self.text.push_str(s);
        Ok(())
    }
}
