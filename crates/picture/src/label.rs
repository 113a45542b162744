//! Nodes in words.

use commloom_layout::{Kind, Type};

/// One node in words; long lists are cut.
#[must_use]
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
