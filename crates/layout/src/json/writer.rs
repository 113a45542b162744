//! Types as JSON text.

use std::fmt::{self, Display, Write};

use crate::{Kind, Type};

/// The JSON form on one line; reading it gives an equal type. Length and time are linear in the
/// tree, shared nodes counted as often as they occur.
#[must_use]
pub fn write(ty: &Type) -> String {
    let mut text = String::new();
    node(ty, &mut text).expect("a string takes everything");
    text
}

fn node(ty: &Type, out: &mut String) -> fmt::Result {
    match ty.kind() {
        Kind::Leaf(basic) => return write!(out, r#"{{"leaf": "{basic}"}}"#),
        Kind::Vec { count, stride, .. } => {
            write!(out, r#"{{"vec": {{"count": {count}, "stride": {stride}, "child": "#)?;
        }
        Kind::Idx { indices, .. } => {
            write!(out, r#"{{"idx": {{"indices": {}, "child": "#, Array(indices))?;
        }
        Kind::IdxBuc { stride, indices, blocks, .. } => {
            let (indices, blocks) = (Array(indices), Array(blocks));
            write!(out, r#"{{"idxbuc": {{"stride": {stride}, "indices": {indices}, "#)?;
            write!(out, r#""blocks": {blocks}, "child": "#)?;
        }
        Kind::Strc { indices, .. } => {
            write!(out, r#"{{"strc": {{"indices": {}, "children": ["#, Array(indices))?;
        }
        Kind::Resized { lb, extent, .. } => {
            write!(out, r#"{{"resized": {{"lb": {lb}, "extent": {extent}, "child": "#)?;
        }
    }
    for (k, child) in ty.children().iter().enumerate() {
        out.push_str(if k == 0 { "" } else { ", " });
        node(child, out)?;
    }
    out.push_str(if matches!(ty.kind(), Kind::Strc { .. }) { "]}}" } else { "}}" });
    Ok(())
}

/// `[1, 2, 3]`.
struct Array<'a, T>(&'a [T]);

impl<T: Display> Display for Array<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (k, item) in self.0.iter().enumerate() {
            f.write_str(if k == 0 { "" } else { ", " })?;
            item.fmt(f)?;
        }
        f.write_char(']')
    }
}
