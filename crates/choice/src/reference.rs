//! [`references`]: the layouts whose messages are measured. About every second byte of memory
//! belongs to them, in runs of different lengths and in different descriptions.

use commloom_layout::{Basic, LayoutError, Type, mpi};

use crate::family::{Family, Form};

/// One message to measure.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Its family.
    pub family: Family,
    /// Length of its runs, in bytes.
    pub run: u64,
    /// Packed bytes, at most as many as asked for.
    pub bytes: u64,
    /// Number of elements.
    pub count: u64,
    /// One element.
    pub ty: Type,
}

/// Lengths of runs, in bytes.
const RUNS: [u64; 6] = [4, 16, 64, 512, 4096, LONGEST];
const LONGEST: u64 = 32_768;
/// Lengths of messages, in bytes. They stand close where libraries change their protocol.
const SIZES: [u64; 11] =
    [128, 512, 1500, 3500, 7_000, 14_000, 28_000, 56_000, 180_000, 700_000, 2_600_000];
/// Runs of an element where there are many.
const SMALL: u64 = 4;
/// Runs of the inner loop of a nest, of one element and of each of many.
const INNER: [u64; 2] = [8, 2];

/// Shortest runs that have pieces, in bytes.
const PIECES: u64 = 16;

/// All messages to measure: every family, run length and size that exist. All have displacement 0
/// as their lower bound.
///
/// # Errors
/// None that is known: all displacements are small.
pub fn references() -> Result<Vec<Reference>, LayoutError> {
    let mut all = Vec::new();
    for bytes in SIZES {
        for run in RUNS.into_iter().filter(|run| run * 2 <= bytes) {
            for form in Form::ALL {
                for many in [false, true] {
                    all.extend(reference(Family { form, many }, run, bytes / run)?);
                }
            }
        }
    }
    Ok(all)
}

/// Runs of one length in a family, if there are enough of them for the family.
fn reference(family: Family, run: u64, runs: u64) -> Result<Option<Reference>, LayoutError> {
    let inner = INNER[usize::from(family.many)];
    let per_element = match (family.many, family.form) {
        (false, Form::Nest) => runs / inner * inner,
        (false, _) => runs,
        (true, Form::Vector) => 1,
        (true, _) => SMALL,
    };
    if per_element == 0 || (family.form == Form::Pieces && run < PIECES) {
        return Ok(None);
    }
    let count = if family.many { runs / per_element } else { 1 };
    let ty = element(family.form, run, per_element, inner)?;
    let ty = mpi::resized(0, ty.true_ub() + signed(run), &ty)?;
    // The library is given the list; what it is in normal form, the choice finds out elsewhere.
    let found = match family.form {
        form @ (Form::Spelled | Form::Pieces) => Family { form, ..Family::of(count, &ty) },
        _ => Family::of(count, &ty),
    };
    let reference = Reference {
        family,
        run: ty.size() / ty.runs().max(1),
        bytes: count * ty.size(),
        count,
        ty,
    };
    // Short ones are of another family: few runs are not a list, few elements not many.
    Ok((found == family).then_some(reference))
}

/// So many runs; in a nest by rows of `inner`.
fn element(form: Form, run: u64, runs: u64, inner: u64) -> Result<Type, LayoutError> {
    let int = Type::leaf(Basic::INT);
    let length = run / 4;
    let step = 2 * signed(length);
    // Some runs begin one gap later, so that the steps differ.
    let place = |i: u64| step * signed(i) + if i % 3 == 1 { signed(length) } else { 0 };
    let places: Vec<i64> = (0..runs).map(place).collect();
    match form {
        Form::Vector => mpi::vector(runs, length, step, &int),
        Form::Nest => {
            let row = mpi::vector(inner, length, step, &int)?;
            let stride = 4 * (step * signed(inner) + signed(length));
            mpi::hvector(runs / inner, 1, stride, &row)
        }
        Form::Blocks => mpi::indexed_block(length, &places, &int),
        Form::Spelled => {
            let lengths: Vec<u64> = (0..runs).map(|_| length).collect();
            let places: Vec<i64> = (0..runs).map(|i| step * signed(i)).collect();
            mpi::indexed(&lengths, &places, &int)
        }
        Form::Pieces => {
            let pieces = |at: i64| (0..signed(length)).map(move |piece| at + piece);
            let places: Vec<i64> = places.into_iter().flat_map(pieces).collect();
            mpi::indexed_block(1, &places, &int)
        }
        Form::List => {
            // Every second run is longer by half its gap.
            let longer = |i: u64| if i % 2 == 1 { length.div_ceil(2) } else { 0 };
            let lengths: Vec<u64> = (0..runs).map(|i| length + longer(i)).collect();
            let places: Vec<i64> = (0..runs).map(|i| (step + 1) * signed(i)).collect();
            mpi::indexed(&lengths, &places, &int)
        }
        Form::Struct => {
            let float = Type::leaf(Basic::FLOAT);
            let bytes: Vec<i64> = places.iter().map(|at| 4 * at).collect();
            let types: Vec<Type> =
                (0..runs).map(|i| if i % 2 == 0 { int.clone() } else { float.clone() }).collect();
            let lengths: Vec<u64> = (0..runs).map(|_| length).collect();
            mpi::structure(&lengths, &bytes, &types)
        }
    }
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_and_run_length_has_long_and_short_messages() {
        let all = references().unwrap();
        for form in Form::ALL {
            for many in [false, true] {
                let pieces = |run: &u64| form != Form::Pieces || *run >= PIECES;
                for run in RUNS.into_iter().filter(pieces) {
                    let family = Family { form, many };
                    let like =
                        |r: &&Reference| r.family == family && r.run / 2 < run && r.run >= run;
                    let of: Vec<_> = all.iter().filter(like).collect();
                    let least = if run == LONGEST { 1 } else { 2 };
                    assert!(of.len() >= least, "{family} {run}: {}", of.len());
                    assert!(of.iter().any(|r| r.bytes > 2_000_000), "{family} {run}");
                }
            }
        }
    }

    #[test]
    fn references_have_the_bytes_and_about_the_runs_that_they_say() {
        for r in references().unwrap() {
            assert_eq!(r.ty.size() * r.count, r.bytes, "{} {}", r.family, r.run);
            assert!(r.ty.true_lb() >= 0 && r.ty.true_ub() <= r.ty.ub(), "{} {}", r.family, r.run);
            assert_eq!(r.ty.size() / r.ty.runs(), r.run, "{} {}", r.family, r.run);
            let dense = r.ty.true_extent().unsigned_abs() <= 4 * r.ty.size();
            assert!(dense || r.family.form == Form::Nest, "{} {}", r.family, r.run);
        }
    }
}
