//! [`Family`]: descriptions that a library sends with the same code.

use std::fmt;
use std::str::FromStr;

use commloom_layout::{Kind, Type};

/// Elements from which on a message counts as a loop over elements.
pub const MANY: u64 = 16;

/// The nodes above the contiguous runs of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// One loop, or none.
    Vector,
    /// Loops in loops.
    Nest,
    /// Equal blocks at listed places.
    Blocks,
    /// Blocks of several lengths at listed places.
    List,
    /// Equal blocks in equal steps, listed all the same: some libraries see through it.
    Spelled,
    /// Runs that are listed in pieces, which touch: some libraries move them one by one.
    Pieces,
    /// Parts of different types.
    Struct,
}

/// A form, and whether it is one element or many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family {
    /// The form of one element.
    pub form: Form,
    /// There are enough elements for loops over elements: [`MANY`].
    pub many: bool,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 7] = [
        Form::Vector,
        Form::Nest,
        Form::Blocks,
        Form::List,
        Form::Spelled,
        Form::Pieces,
        Form::Struct,
    ];

    /// The form of a type by its nodes; what is spelled out or in pieces counts as a list.
    /// O(nodes).
    #[must_use]
    pub fn of(ty: &Type) -> Form {
        match loops(ty) {
            Some(0 | 1) => Form::Vector,
            Some(_) => Form::Nest,
            None => irregular(ty),
        }
    }

    /// Whether a type is loops only, with no list at all. O(nodes).
    pub(crate) fn is_loops_only(ty: &Type) -> bool {
        loops(ty).is_some()
    }

    fn name(self) -> &'static str {
        match self {
            Form::Vector => "vector",
            Form::Nest => "nest",
            Form::Blocks => "blocks",
            Form::List => "list",
            Form::Spelled => "spelled",
            Form::Pieces => "pieces",
            Form::Struct => "struct",
        }
    }
}

impl Family {
    /// The family of a message whose description is not compared with its normal form.
    #[must_use]
    pub fn of(count: u64, ty: &Type) -> Family {
        Family { form: Form::of(ty), many: count >= MANY }
    }

    /// The family of a message whose elements have this description and this normal form.
    #[must_use]
    pub fn described(count: u64, user: &Type, normal: &Type) -> Family {
        let regular = || matches!(Form::of(normal), Form::Vector | Form::Nest);
        let form = match Form::of(user) {
            Form::Blocks | Form::List if blocks(user) >= PIECES.saturating_mul(user.runs()) => {
                Form::Pieces
            }
            Form::Blocks | Form::List if regular() => Form::Spelled,
            form => form,
        };
        Family { form, many: count >= MANY }
    }
}

/// Runs that are listed in so many blocks each are in pieces.
const PIECES: u64 = 2;

/// Blocks that are moved one by one where lists are not looked into.
fn blocks(ty: &Type) -> u64 {
    let number = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    match ty.kind() {
        Kind::Leaf(_) => 1,
        Kind::Resized { child, .. } => blocks(child),
        // A loop over what has no gaps is one block.
        Kind::Vec { .. } if ty.runs() == 1 => 1,
        Kind::Vec { count, child, .. } => count.saturating_mul(blocks(child)),
        Kind::Idx { indices, child } => number(indices.len()).saturating_mul(blocks(child)),
        Kind::IdxBuc { stride, blocks: lengths, child, .. } => {
            let joined = child.runs() == 1 && *stride == child.extent();
            let copies = lengths.iter().fold(0u64, |sum, length| sum.saturating_add(*length));
            let copies = if joined { number(lengths.len()) } else { copies };
            copies.saturating_mul(blocks(child))
        }
        Kind::Strc { children, .. } => {
            children.iter().fold(0, |sum: u64, child| sum.saturating_add(blocks(child)))
        }
    }
}

/// The form of a type that is more than loops.
fn irregular(ty: &Type) -> Form {
    match ty.kind() {
        // What an entry costs is little beside the runs of its loops: two columns of blocks, as a
        // transpose sends them, are no list of all their elements.
        Kind::Idx { child, .. } | Kind::IdxBuc { child, .. }
            if child.runs() >= MANY && loops(child).is_some() =>
        {
            Form::Nest
        }
        Kind::Vec { child, .. } | Kind::Resized { child, .. } => irregular(child),
        Kind::Idx { indices, child } if indices.len() == 1 => irregular(child),
        Kind::Idx { .. } | Kind::Leaf(_) => Form::Blocks,
        Kind::IdxBuc { .. } => Form::List,
        Kind::Strc { children, .. } => largest(children, ty).map_or(Form::Struct, Form::of),
    }
}

/// How many loops stand above one contiguous block, for nearly all of the runs; `None` where there
/// are lists or parts of different shapes.
fn loops(ty: &Type) -> Option<u32> {
    match ty.kind() {
        _ if ty.runs() <= 1 => Some(0),
        Kind::Vec { child, .. } => Some(loops(child)? + 1),
        Kind::Resized { child, .. } => loops(child),
        Kind::Idx { indices, child } if indices.len() == 1 => loops(child),
        Kind::Strc { children, .. } => loops(largest(children, ty)?),
        _ => None,
    }
}

/// The child that has so many of the runs that the others do not count.
fn largest<'t>(children: &'t [Type], all: &Type) -> Option<&'t Type> {
    children.iter().find(|child| child.runs() >= all.runs() - all.runs() / 10)
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.form.name(), if self.many { "many" } else { "one" })
    }
}

impl FromStr for Family {
    type Err = ();

    fn from_str(text: &str) -> Result<Family, ()> {
        let (form, many) = text.split_once(' ').ok_or(())?;
        let form = Form::ALL.into_iter().find(|f| f.name() == form).ok_or(())?;
        let many = match many {
            "many" => true,
            "one" => false,
            _ => return Err(()),
        };
        Ok(Family { form, many })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::{Basic, mpi};

    fn int() -> Type {
        Type::leaf(Basic::INT)
    }

    #[test]
    fn forms_are_told_by_what_is_above_the_runs() {
        let vector = mpi::vector(100, 2, 4, &int()).unwrap();
        let nest = mpi::hvector(10, 1, 5000, &vector).unwrap();
        let blocks = mpi::indexed_block(2, &[0, 3, 9, 11], &int()).unwrap();
        let list = mpi::indexed(&[1, 2, 1], &[0, 3, 9], &int()).unwrap();
        let rows = mpi::hvector(10, 1, 100, &list).unwrap();
        let parts = [vector.clone(), Type::leaf(Basic::DOUBLE), blocks.clone()];
        let mixed = mpi::structure(&[1, 3, 30], &[0, 2000, 3000], &parts).unwrap();
        let expected = [
            (int(), Form::Vector),
            (vector, Form::Vector),
            (nest, Form::Nest),
            (blocks, Form::Blocks),
            (list, Form::List),
            (rows, Form::List),
            (mixed, Form::Struct),
        ];
        for (ty, form) in expected {
            assert_eq!(Form::of(&ty), form, "{ty}");
        }
    }

    #[test]
    fn a_list_of_loops_that_are_long_is_loops() {
        let long = mpi::hvector(32, 1, 32768, &int()).unwrap();
        let long = mpi::hvector(32, 1, 4, &long).unwrap();
        let short = mpi::hvector(3, 1, 32768, &int()).unwrap();
        let listed = |of: &Type| mpi::hindexed(&[64, 64], &[0, 256], of).unwrap();
        assert_eq!(Form::of(&listed(&mpi::resized(0, 512, &long).unwrap())), Form::Nest);
        assert!(!Form::is_loops_only(&listed(&mpi::resized(0, 512, &long).unwrap())));
        let short = mpi::resized(0, 512, &short).unwrap();
        let uneven = mpi::hindexed(&[64, 63, 2], &[0, 256, 99_000], &short).unwrap();
        assert_eq!(Form::of(&uneven), Form::List);
    }

    #[test]
    fn a_part_with_nearly_all_of_the_runs_is_the_form() {
        let vector = mpi::vector(100, 2, 4, &int()).unwrap();
        let parts = [Type::leaf(Basic::DOUBLE), vector];
        let ty = mpi::structure(&[1, 1], &[0, 16], &parts).unwrap();
        assert_eq!(Form::of(&ty), Form::Vector);
    }

    #[test]
    fn a_list_of_equal_steps_is_a_loop_spelled_out() {
        let spelled = mpi::indexed(&[2; 9], &(0..9).map(|i| 5 * i).collect::<Vec<_>>(), &int());
        let (spelled, vector) = (spelled.unwrap(), mpi::vector(9, 2, 5, &int()).unwrap());
        let form = |user: &Type, normal: &Type| Family::described(1, user, normal).form;
        assert_eq!(form(&spelled, &vector), Form::Spelled);
        assert_eq!(form(&vector, &vector), Form::Vector);
        let list = mpi::indexed(&[1, 2, 1], &[0, 3, 9], &int()).unwrap();
        assert_eq!(form(&list, &list), Form::List);
    }

    #[test]
    fn runs_that_are_listed_in_pieces_are_told_by_their_blocks() {
        let form = |user: &Type| Family::described(1, user, user).form;
        // Rows of eight, each element by itself.
        let places: Vec<i64> = (0..100).flat_map(|row| (0..8).map(move |i| 20 * row + i)).collect();
        let pieces = mpi::indexed_block(1, &places, &int()).unwrap();
        assert_eq!((blocks(&pieces), pieces.runs(), form(&pieces)), (800, 100, Form::Pieces));
        let rows: Vec<i64> = (0..100).map(|row| 20 * row + row % 3).collect();
        let list = mpi::indexed_block(8, &rows, &int()).unwrap();
        assert_eq!((blocks(&list), form(&list)), (100, Form::Blocks));
        let lengths: Vec<u64> = (0..100).map(|row| 3 + row % 2).collect();
        let list = mpi::indexed(&lengths, &rows, &int()).unwrap();
        assert_eq!((blocks(&list), form(&list)), (100, Form::List));
        let vector = mpi::vector(100, 8, 20, &int()).unwrap();
        assert_eq!((blocks(&vector), form(&vector)), (100, Form::Vector));
    }

    #[test]
    fn families_are_read_as_they_are_written() {
        for form in Form::ALL {
            for many in [false, true] {
                let family = Family { form, many };
                assert_eq!(family.to_string().parse(), Ok(family));
            }
        }
        assert!("vector".parse::<Family>().is_err());
        assert!("vector some".parse::<Family>().is_err());
    }
}
