//! Cases and their types as short texts.

use commloom_layout::{Kind, Type};

/// Lower case, with hyphens between the words: `Tiled-struct (2,3)` becomes `tiled-struct-2-3`.
pub fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// Entries of all lists of a type.
pub fn list_entries(layout: &Type) -> usize {
    let own = match layout.kind() {
        Kind::Idx { indices, .. } | Kind::Strc { indices, .. } => indices.len(),
        Kind::IdxBuc { indices, .. } => 2 * indices.len(),
        _ => 0,
    };
    own + layout.children().iter().map(list_entries).sum::<usize>()
}

/// The text of a type with at most `longest` entries of each list.
pub fn shortened(layout: &Type, longest: usize) -> String {
    let list = |all: Vec<String>| {
        let shown = all[..all.len().min(longest)].join(", ");
        if all.len() > longest {
            format!("<{shown}, ... of {}>", all.len())
        } else {
            format!("<{shown}>")
        }
    };
    let some = |indices: &[i64]| {
        let mut all: Vec<String> = indices.iter().take(longest).map(ToString::to_string).collect();
        all.resize(indices.len(), String::new());
        list(all)
    };
    let inner = |child| shortened(child, longest);
    match layout.kind() {
        Kind::Leaf(basic) => format!("leaf({basic})"),
        Kind::Vec { count, stride, child } => format!("vec({count}, {stride}, {})", inner(child)),
        Kind::Idx { indices, child } => format!("idx({}, {})", some(indices), inner(child)),
        Kind::IdxBuc { stride, indices, blocks, child } => {
            let blocks = list(blocks.iter().map(ToString::to_string).collect());
            format!("idxbuc({stride}, {}, {blocks}, {})", some(indices), inner(child))
        }
        Kind::Strc { indices, children } => {
            format!("strc({}, {})", some(indices), list(children.iter().map(inner).collect()))
        }
        Kind::Resized { lb, extent, child } => format!("resized({lb}, {extent}, {})", inner(child)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::text;

    #[test]
    fn names_become_parts_of_ids() {
        assert_eq!(slug("Tiled-struct (2,3)"), "tiled-struct-2-3");
        assert_eq!(slug("Alternating, touching"), "alternating-touching");
    }

    #[test]
    fn long_lists_are_cut_and_short_types_stay() {
        let short =
            text::parse("strc(<0, 40>, <vec(2, 8, MPI_INT), idx(<0, 9>, MPI_CHAR)>)").unwrap();
        assert_eq!(text::parse(&shortened(&short, 6)).unwrap(), short);
        let long = text::parse("idxbuc(4, <0, 9, 20>, <1, 2, 3>, MPI_INT)").unwrap();
        let expected = "idxbuc(4, <0, 9, ... of 3>, <1, 2, ... of 3>, leaf(MPI_INT))";
        assert_eq!((shortened(&long, 2).as_str(), list_entries(&long)), (expected, 6));
    }
}
