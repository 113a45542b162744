//! Where the basic elements of a message end: a message may bring fewer bytes than the receive has
//! room for, and libraries call it an error when it ends inside a basic element.

use std::sync::OnceLock;

use commloom_layout::{Base, Basic, Signature, Type};

/// The basic elements of packed bytes.
pub(crate) enum Grain {
    /// All of this size.
    Equal(u64),
    /// Those of a type, again and again, and whether Fortran's 16-byte reals count as bytes. Its
    /// signature is made when a message has ended inside of it.
    Mixed(Type, OnceLock<Signature>, bool),
}

impl Grain {
    /// Of an element; `quads_are_bytes` as `Subject::QuadsAreBytes` says.
    pub fn of(element: &Type, quads_are_bytes: bool) -> Self {
        match element.base() {
            Base::One(basic) => Grain::Equal(grain_of(basic, quads_are_bytes)),
            Base::Empty => Grain::Equal(1),
            Base::Mixed => Grain::Mixed(element.clone(), OnceLock::new(), quads_are_bytes),
        }
    }

    pub fn whole(&self, bytes: u64) -> u64 {
        let (element, signature, quads_are_bytes) = match self {
            Grain::Equal(size) => return bytes - bytes % size.max(&1),
            Grain::Mixed(element, signature, quads_are_bytes) => {
                (element, signature, *quads_are_bytes)
            }
        };
        let rest = bytes % element.size().max(1);
        if rest == 0 {
            return bytes;
        }
        let (mut left, mut whole) = (rest, bytes - rest);
        for &(basic, count) in signature.get_or_init(|| element.signature()).runs() {
            let wanted = count * basic.size();
            let there = wanted.min(left);
            let there = there - there % grain_of(basic, quads_are_bytes).max(1);
            whole += there;
            left -= there;
            if there < wanted {
                break;
            }
        }
        whole
    }
}

/// The parts, in bytes, of which a message may bring some of a basic element without an error.
fn grain_of(basic: Basic, quads_are_bytes: bool) -> u64 {
    match basic {
        Basic::REAL16 | Basic::COMPLEX32 if quads_are_bytes => 1,
        _ => basic.size(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_end_after_whole_elements_or_are_cut_there() {
        let equal =
            Grain::of(&Type::vec(3, 8, Type::predefined("MPI_INT").unwrap()).unwrap(), true);
        assert_eq!([0, 3, 4, 7, 1002].map(|n| equal.whole(n)), [0, 0, 4, 4, 1000]);
        // 1, 8, 4, 4 and 2 bytes.
        let parts = ["MPI_CHAR", "MPI_DOUBLE", "MPI_INT", "MPI_INT", "MPI_SHORT"];
        let record = |parts: &[&str], places: [i64; 5]| {
            let types: Vec<Type> =
                parts.iter().map(|name| Type::predefined(name).unwrap()).collect();
            Type::strc(places[..parts.len()].to_vec(), types).unwrap()
        };
        let mixed = Grain::of(&record(&parts, [0, 8, 16, 20, 24]), true);
        let ends = [0, 1, 9, 13, 17, 19];
        for bytes in 0..60 {
            let whole = ends.iter().map(|end| end + bytes / 19 * 19).filter(|&n| n <= bytes).max();
            assert_eq!(Some(mixed.whole(bytes)), whole, "{bytes}");
        }
        let quads = record(&["MPI_INT", "MPI_REAL16", "MPI_INT"], [0, 16, 32, 0, 0]);
        for (bytes, apart, inside) in
            [(3, 0, 0), (19, 4, 19), (20, 20, 20), (23, 20, 20), (30, 28, 30)]
        {
            assert_eq!(Grain::of(&quads, false).whole(bytes), apart, "{bytes}");
            assert_eq!(Grain::of(&quads, true).whole(bytes), inside, "{bytes}");
        }
    }
}
