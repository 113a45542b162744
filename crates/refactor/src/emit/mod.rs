//! A datatype as text that makes it.
//!
//! datatype -> [`operation`](operation::Program) (no language yet) -> C, C++ or Fortran. A type
//! that follows from numbers is [kept] for the next call; another one is made, used and freed at
//! the call. MPI keeps what a pending operation needs (MPI 4.1, section 5.1.9).

mod c;
mod condition;
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

use commloom_source::affine::{Atom, Counter, Operator, Polynomial, Step};

use model::TurnOf;

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
        })
        .collect();
    let so_far = names.so_far();
    let program = lower::lower(request.datatype, request.symbols, names)?;
    if divides(&program) {
        return Err(EmitError::Quotient);
    }
    if request.symbols.language().is_fortran() {
        fortran::write(&program, request, &turns, names)
    } else {
        c::write(&program, request, &turns, (names, so_far))
    }
}

/// Whether a place or a distance has a quotient in it whose divisor may be zero: the loops
/// computed it in their turns only, and there may be none. What a loop's end has in it was
/// computed before.
fn divides(program: &operation::Program) -> bool {
    use operation::Operation as Op;
    let (mut counts, mut others) = (Vec::new(), Vec::new());
    for operation in &program.operations {
        match operation {
            Op::Vector { count, block, stride, .. } | Op::Hvector { count, block, stride, .. } => {
                counts.extend([count, block]);
                others.push(stride);
            }
            Op::HindexedBlock { displacements, .. } => others.extend(displacements),
            Op::Struct { members, .. } => others.extend(members.iter().map(|m| &m.displacement)),
            Op::Resized { extent, .. } => others.push(extent),
            _ => {}
        }
    }
    for step in program.argument.place.iter().flat_map(|place| &place.steps) {
        if let Step::At(subscripts) = step {
            others.extend(subscripts);
        }
    }
    let is_before = |atom: &Atom| counts.iter().any(|count| count.any(&mut |a| a == atom));
    let divides = |atom: &Atom| match atom {
        Atom::Apply(Operator::Divide | Operator::Remainder, operands) => {
            let by = operands.last().and_then(Polynomial::as_constant);
            matches!(by, None | Some(0)) && !is_before(atom)
        }
        _ => false,
    };
    others.into_iter().any(|number| number.any(&mut |atom| divides(atom)))
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
        is_wide: false,
    };
    speller.plain(number)
}
