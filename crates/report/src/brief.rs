//! Types in one line.

use commloom_layout::{Kind, Type};

/// List entries and children that a description shows.
const SHOWN: usize = 4;

/// The description of a type with long lists cut: a report has a line for it.
#[must_use]
pub fn brief(ty: &Type) -> String {
    fn list<T: ToString>(entries: &[T]) -> String {
        let mut shown: Vec<String> = entries.iter().take(SHOWN).map(T::to_string).collect();
        if entries.len() > SHOWN {
            shown.push(format!("... {} in all", entries.len()));
        }
        format!("<{}>", shown.join(","))
    }
    match ty.kind() {
        Kind::Leaf(basic) => basic.name().to_owned(),
        Kind::Vec { count, stride, child } => format!("vec({count}, {stride}, {})", brief(child)),
        Kind::Idx { indices, child } => format!("idx({}, {})", list(indices), brief(child)),
        Kind::IdxBuc { stride, indices, blocks, child } => {
            format!("idxbuc({stride}, {}, {}, {})", list(indices), list(blocks), brief(child))
        }
        Kind::Strc { indices, children } => {
            let parts: Vec<String> = children.iter().take(SHOWN + 1).map(brief).collect();
            let mut parts = list(&parts);
            if children.len() > SHOWN + 1 {
                parts = parts.replace(
                    &format!("... {} in all", SHOWN + 1),
                    &format!("... {} in all", children.len()),
                );
            }
            format!("strc({}, {parts})", list(indices))
        }
        Kind::Resized { lb, extent, child } => {
            format!("resized({lb}, {extent}, {})", brief(child))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::Basic;

    #[test]
    fn long_lists_are_cut_and_say_how_long_they_are() {
        let ty = Type::idx((0..100).collect::<Vec<i64>>(), Type::leaf(Basic::BYTE)).unwrap();
        assert_eq!(brief(&ty), "idx(<0,1,2,3,... 100 in all>, MPI_BYTE)");
    }
}
