//! The request from which a datatype is written, and the text that comes of it.

use commloom_copies::ir::Datatype;
use commloom_copies::{Doubts, Turns};
use commloom_source::Span;
use commloom_source::affine::{Counter, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, Name};

/// Why a datatype cannot be written in a language, though it exists.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// Arithmetic of the analysis overflowed.
    #[error("a size of the datatype does not fit into 64 bits")]
    Lost,
    /// A number without a formula.
    #[error("a size of the datatype has no formula")]
    Unnamed,
    /// A number of a loop's turn outside of the loop.
    #[error("a size of the datatype depends on a loop that is not there any more")]
    Turn,
    /// `sizeof` in Fortran.
    #[error("the size of {of} is not known")]
    SizeOf {
        /// The type.
        of: String,
    },
    /// Lists are `int *` in MPI's calls.
    #[error("the index array has entries of {bytes} bytes; MPI takes those of 4")]
    WideList {
        /// Bytes of an entry.
        bytes: u64,
    },
    /// `min` of three in C.
    #[error("an operation has {count} operands")]
    Operands {
        /// How many.
        count: usize,
    },
    /// A measured array without a declaration.
    #[error("{name} is not declared as an array")]
    NotAnArray {
        /// The array.
        name: Name,
    },
    /// A number of bytes would be right on some machines only.
    #[error("how many bytes an element has differs from machine to machine")]
    Unit,
    /// Types that would have to be compared.
    #[error("'{one}' and '{other}' have one size here, but perhaps not elsewhere")]
    Types {
        /// One.
        one: Name,
        /// The other.
        other: Name,
    },
    /// A name of the language is one of the program.
    #[error("the text needs '{name}' of the language, which is a name of the program here")]
    Intrinsic {
        /// The name.
        name: Name,
    },
    /// An address is needed before it is known whether anything is there.
    #[error("an address would be taken of what may not be there")]
    Absent,
    /// A quotient that was computed only where a loop turned.
    #[error("the text would divide where the loop takes no turn, perhaps by zero")]
    Quotient,
    /// Memory that was read only where a loop turned.
    #[error("the text would read where the loop takes no turn, by a pointer that may be none")]
    Unread,
    /// A condition that cannot be written again.
    #[error("a condition around copies cannot be written a second time")]
    Condition,
}

/// The text that is written for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Functions that the text calls, which stand before its procedure.
    pub functions: Vec<String>,
    /// Declarations of fresh variables, a statement each.
    pub declarations: Vec<String>,
    /// Statements before the call.
    pub before: Vec<String>,
    /// The call's buffer.
    pub buffer: String,
    /// The call's count.
    pub count: String,
    /// The call's datatype.
    pub datatype: String,
    /// Statements after the call.
    pub after: Vec<String>,
}

/// A loop that the packing had.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TurnOf {
    pub counter: Counter,
    pub variable: Name,
    pub first: Polynomial,
    pub step: Polynomial,
    pub count: Polynomial,
}

/// All that is in doubt, and where the text stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Doubtful<'p> {
    /// None: nothing is.
    pub of: Option<&'p Doubts>,
    pub turns: &'p [TurnOf],
    /// Conditions that hold, or do not, where the text is evaluated.
    pub conditions: Vec<(Expression, bool)>,
}

/// All that the text of a call depends on.
pub struct Request<'a> {
    /// The datatype.
    pub datatype: &'a Datatype,
    /// The loops of the packing, by their counters.
    pub turns: &'a [Turns],
    /// All that was evaluated in turns only.
    pub doubts: &'a Doubts,
    /// The call's datatype argument, as it is written.
    pub element: &'a str,
    /// The procedure's names.
    pub symbols: &'a dyn Symbols,
    /// Fortran's manner; not looked at in C.
    pub manner: &'a Manner,
    /// The text of the file, for the program's own words.
    pub source: &'a str,
    /// Where datatypes are kept for the next call: in C the place for functions, in Fortran the
    /// procedure. None where the call is made once.
    pub kept_at: Option<Span>,
}

/// Of names of procedures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// `mpi_send`
    Lower,
    /// `MPI_SEND`
    Upper,
    /// `MPI_Send`
    Mixed,
}

/// How the calls of a procedure look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manner {
    /// `use mpi_f08`: handles are types.
    pub handles: bool,
    /// `ierr`, where the call has one.
    pub error: Option<String>,
    /// Whether the program may look at it: then only the call sets it.
    pub is_error_read: bool,
    /// How `MPI_` procedures are written.
    pub case: Case,
}

impl Case {
    /// As in this name.
    pub fn of(name: &str) -> Case {
        let rest = name.get(4..).unwrap_or("");
        if name.starts_with("mpi") {
            Case::Lower
        } else if rest.chars().any(|c| c.is_ascii_lowercase()) {
            Case::Mixed
        } else {
            Case::Upper
        }
    }

    /// `MPI_Type_vector` in this manner.
    pub fn write(self, name: &str) -> String {
        match self {
            Case::Lower => name.to_ascii_lowercase(),
            Case::Upper => name.to_ascii_uppercase(),
            Case::Mixed => name.to_owned(),
        }
    }
}
