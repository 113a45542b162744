//! A datatype as text that makes it.
//!
//! datatype -> [`operation`](operation::Program) (no language yet) -> C, C++ or Fortran. A type
//! that follows from numbers is [kept] for the next call; another one is made, used and freed at
//! the call. MPI keeps what a pending operation needs (MPI 4.1, section 5.1.9).

mod c;
mod condition;
mod doubt;
mod factors;
mod fortran;
mod kept;
mod lower;
mod measure;
mod model;
mod names;
mod number;
mod operation;
mod own;
mod width;
mod wrap;
mod write;

#[cfg(test)]
mod tests;

use commloom_copies::Doubts;
use commloom_source::affine::{Counter, Polynomial};

use model::{Doubtful, TurnOf};

pub use model::{Case, EmitError, Manner, Request, Text};
pub use names::Names;
pub use wrap::wrap;

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
            count: turn.count.clone(),
        })
        .collect();
    let so_far = names.so_far();
    let program = lower::lower(request.datatype, request.symbols, names)?;
    if request.symbols.language().is_fortran() {
        fortran::write(&program, request, &turns, names)
    } else {
        c::write(&program, request, &turns, (names, so_far))
    }
}

/// A whole number of the program, as an assignment has it, of which nothing is in doubt.
pub fn value(number: &Polynomial, is_fortran: bool, doubts: &Doubts) -> Result<String, EmitError> {
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
        is_wide: false,
        doubtful: Doubtful { of: Some(doubts), ..Doubtful::default() },
    };
    speller.plain(number)
}
