//! A datatype as text that makes it.
//!
//! datatype -> [`operation`](operation::Program) (no language yet) -> C, C++ or Fortran. The type is made, used and freed at the call; MPI keeps what a pending
//! operation needs (MPI 4.1, section 5.1.9).

mod c;
mod fortran;
mod lower;
mod names;
mod number;
mod operation;
mod wrap;
mod write;

#[cfg(test)]
mod tests;

use crate::affine::{Counter, Polynomial};
use crate::copies::Turns;
use crate::ir::Datatype;
use crate::symbols::Symbols;
use crate::tree::Name;

pub use fortran::{Case, Manner};
pub use names::Names;
pub use wrap::wrap;

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
    /// A condition that cannot be written again.
    #[error("a condition around copies cannot be written a second time")]
    Condition,
}

/// What is written for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
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
struct TurnOf {
    counter: Counter,
    variable: Name,
    first: Polynomial,
    step: Polynomial,
}

/// What the text of a call depends on.
pub struct Request<'a> {
    /// The datatype.
    pub datatype: &'a Datatype,
    /// The loops of the packing, by their counters.
    pub turns: &'a [Turns],
    /// The call's datatype argument, as it is written.
    pub element: &'a str,
    /// The procedure's names.
    pub symbols: &'a dyn Symbols,
    /// Fortran's manner; not looked at in C.
    pub manner: &'a Manner,
}

/// Writes it in the language of the procedure. Time linear in the datatype.
pub fn emit(request: &Request<'_>, names: &mut Names) -> Result<Text, EmitError> {
    let turns: Vec<TurnOf> = request
        .turns
        .iter()
        .zip(0_u32..)
        .map(|(turn, number)| TurnOf {
            counter: Counter(number),
            variable: turn.variable.clone(),
            first: turn.first.clone(),
            step: turn.step.clone(),
        })
        .collect();
    let program = lower::lower(request.datatype, request.symbols, names)?;
    if request.symbols.language().is_fortran() {
        fortran::write(&program, request, &turns, names)
    } else {
        c::write(&program, request, &turns)
    }
}

/// A whole number of the program, as an assignment has it.
pub fn value(number: &Polynomial, is_fortran: bool) -> Result<String, EmitError> {
    let program = operation::Program {
        variables: Vec::new(),
        operations: Vec::new(),
        argument: operation::Argument {
            place: None,
            count: Polynomial::zero(),
            of: operation::Old::Element,
        },
        strides: Vec::new(),
        offsets: Vec::new(),
        addresses: Vec::new(),
    };
    let speller = number::Speller {
        fortran: is_fortran,
        cpp: false,
        unit: number::Unit::Byte,
        program: &program,
        turns: std::collections::HashMap::new(),
        replaced: std::collections::HashMap::new(),
        symbols: None,
    };
    speller.plain(number)
}
