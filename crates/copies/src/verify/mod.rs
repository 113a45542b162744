//! The original loops against the new datatype, byte for byte, on sizes that are drawn by chance.
//!
//! The loops are run by a naive interpreter in which every byte knows where it came from; the
//! datatype is flattened with the values that the program has at the call. Neither shares code
//! with the symbolic execution.

mod addresses;
mod draw;
mod fast;
mod instantiate;
mod interpret;
mod interpreter;
mod memory;
mod number;
mod place;
mod sample;
mod sections;
mod shape;
mod stop;
mod types;
mod values;

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, ExpressionKind};

use crate::ir::Datatype;
use crate::{Direction, Packing, Request};

use draw::Draw;
use fast::{Mixed, Table};
use interpreter::Interpreter;
use memory::Byte;
use stop::Stop;
use values::Values;

pub use draw::Sizes;
pub use instantiate::{Instance, Variable};
pub use sample::{BYTES, Sample, sample};

/// Draws for each that is wanted.
const DRAWS: u32 = 20;

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// Draws for which loops and datatype described the same bytes.
    pub equal: u32,
    /// Of these, those with at least one byte.
    pub filled: u32,
    /// Draws for which the loops could not be run.
    pub skipped: u32,
}

/// Loops and datatype describe different bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "with seed {seed}, byte {at} of the buffer is {loops} in the loops, but {datatype} \
     in the datatype"
)]
pub struct Mismatch {
    /// The draw.
    pub seed: u64,
    /// Which byte of the range.
    pub at: usize,
    /// The byte that the loops put there.
    pub loops: String,
    /// The byte that the datatype has there.
    pub datatype: String,
}

/// Which sizes are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draws {
    /// Of the first draw.
    pub seed: u64,
    /// How many are compared.
    pub rounds: u32,
    /// A person vouches for something: draws in which an element would be received twice are none
    /// of this program.
    pub vouched: bool,
}

/// Compares for so many draws.
///
/// # Errors
/// The first byte that differs.
pub fn verify(
    symbols: &dyn Symbols,
    request: &Request<'_>,
    packing: &Packing,
    datatype: &Datatype,
    draws: Draws,
) -> Result<Checked, Mismatch> {
    let Draws { seed, rounds, vouched } = draws;
    let mut checked = Checked { equal: 0, filled: 0, skipped: 0 };
    let draw = Draw { seed, sizes: Sizes::Any };
    let mut interpreter = Interpreter::new(symbols, request, packing, draw);
    // Where the call stands under conditions, few draws lead to it.
    for round in 0..rounds.saturating_mul(DRAWS) {
        if checked.equal + checked.skipped >= rounds {
            break;
        }
        interpreter.again(seed.wrapping_add(u64::from(round)));
        match once(&mut interpreter, packing, datatype) {
            Ok((_, new))
                if vouched && request.direction == Direction::Unpack && has_twice(&new) => {}
            Ok((loops, new)) => {
                compare(&interpreter, &loops, &new)?;
                checked.equal += 1;
                checked.filled += u32::from(!loops.is_empty());
            }
            Err(Stop::Elsewhere) => {}
            Err(_) => checked.skipped += 1,
        }
    }
    Ok(checked)
}

/// A datatype at sizes drawn by chance; none where these do not lead to the call, or the loops
/// cannot be run.
pub fn instance(
    symbols: &dyn Symbols,
    request: &Request<'_>,
    packing: &Packing,
    datatype: &Datatype,
    seed: u64,
    sizes: Sizes,
) -> Option<Instance> {
    let mut interpreter = Interpreter::new(symbols, request, packing, Draw { seed, sizes });
    interpreter.run().ok()?;
    interpreter.memory = interpreter.arrival.take()?;
    let values = Values::at(request.call, &packing.turns, &mut interpreter);
    values.instance(datatype, packing.parts.as_ref()).ok()
}

fn has_twice(bytes: &[Byte]) -> bool {
    let mut seen: HashSet<&Byte, BuildHasherDefault<Mixed>> = HashSet::default();
    !bytes.iter().all(|byte| seen.insert(byte))
}

fn compare(interpreter: &Interpreter<'_>, loops: &[Byte], new: &[Byte]) -> Result<(), Mismatch> {
    let name = |byte: Option<&Byte>| {
        byte.map_or_else(
            || "nothing".to_owned(),
            |b| format!("{} + {}", interpreter.objects.name(b.object), b.offset),
        )
    };
    match (0..loops.len().max(new.len())).find(|&at| loops.get(at) != new.get(at)) {
        Some(at) => Err(Mismatch {
            seed: interpreter.draw.seed,
            at,
            loops: name(loops.get(at)),
            datatype: name(new.get(at)),
        }),
        None => Ok(()),
    }
}

/// The bytes of the buffer's range, by the loops and by the datatype.
fn once(
    interpreter: &mut Interpreter<'_>,
    packing: &Packing,
    datatype: &Datatype,
) -> Result<(Vec<Byte>, Vec<Byte>), Stop> {
    interpreter.run()?;
    let request = interpreter.request;
    let buffer = interpreter.buffer.ok_or(Stop::Unknown)?;
    let count = interpreter.count;
    let arrival = interpreter.arrival.take().ok_or(Stop::Unknown)?;
    let after = std::mem::replace(&mut interpreter.memory, arrival);
    for (multiple, of) in &request.setting.multiples {
        let value = |i: &mut Interpreter<'_>, name: &String| {
            let kind = ExpressionKind::Name(name.clone());
            i.number(&Expression { span: request.call, kind })
        };
        let (multiple, of) = (value(interpreter, multiple)?, value(interpreter, of)?);
        // Who vouches for it says that this does not happen.
        if multiple.checked_rem(of) != Some(0) {
            return Err(Stop::Elsewhere);
        }
    }
    let values = Values::at(request.call, &packing.turns, interpreter);
    let new = values.instance(datatype, packing.parts.as_ref())?.bytes()?;
    // The call's count tells how long the range is, where the copies are known to fill just that;
    // else what the copies themselves move.
    let sent = count.filter(|_| packing.sent_length.as_ref() == Some(&packing.length));
    let bytes = sent
        .and_then(|count| u64::try_from(count).ok()?.checked_mul(request.element))
        .unwrap_or(interpreter.amount);
    // The product of two negative sizes is no length: nobody sends what two empty loops have
    // packed.
    if interpreter.negative && bytes != interpreter.amount {
        return Err(Stop::Elsewhere);
    }
    let length = usize::try_from(bytes).map_err(|_| Stop::Limit)?;
    Ok(match request.direction {
        // What was received into the buffer before, and copied from there, is the same bytes.
        Direction::Pack => (
            (0..length).map(|k| after.origin(at(buffer, k))).collect(),
            new.iter().map(|byte| after.origin(*byte)).collect(),
        ),
        Direction::Unpack => {
            let targets: Table<Byte, Byte> =
                interpreter.moved.iter().map(|(target, origin)| (*origin, *target)).collect();
            let target = |byte: Byte| targets.get(&byte).copied().unwrap_or(byte);
            ((0..length).map(|k| target(at(buffer, k))).collect(), new)
        }
    })
}

fn at(buffer: Byte, k: usize) -> Byte {
    buffer.plus(i64::try_from(k).unwrap_or(i64::MAX))
}
