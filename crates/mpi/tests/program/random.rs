//! Random trees of native constructor calls, decoded.

use commloom_fuzz_mpi::create::{Form, try_create};
use commloom_layout::{Basic, Type};
use commloom_mpi::{Abi, DEFAULT_BUDGET, DecodeError, EncodeError, Mpi, decode, encode};
use commloom_testkit::{Rng, random::random_call};

use super::packing::assert_same;

const CASES: u64 = 400;
/// Farthest byte of a random type from its origin; three elements must fit in the memory of
/// `packing`.
const SPAN: i64 = 20_000;

/// A native type and what it was made of.
struct Made<A: Abi> {
    datatype: A::Datatype,
    history: String,
}

pub fn check<A: Abi>(mpi: &Mpi<A>) -> String {
    let (mut decoded, mut refused, mut lossy) = (0, 0, 0);
    for seed in 0..CASES {
        let mut rng = Rng::with_seed(seed);
        let Some(made) = grow(mpi, &mut rng) else { continue };
        let what = format!("seed {seed}: {}", made.history);
        mpi.type_commit(made.datatype).expect("a new type");
        match decode(mpi, made.datatype, DEFAULT_BUDGET) {
            Ok(layout) => {
                decoded += 1;
                assert_same(mpi, made.datatype, &layout, &format!("{what} native"));
                match encode(mpi, &layout) {
                    Ok(again) => {
                        assert_same(mpi, again.handle(), &layout, &format!("{what} encoded"));
                    }
                    Err(EncodeError::Lossy { .. }) => lossy += 1,
                    Err(error) => panic!("{what}: {error}"),
                }
            }
            // Where the library's own bounds do not fit its data, we say so and keep away.
            Err(DecodeError::Disagree { .. }) => {
                refused += 1;
                if std::env::var_os("COMMLOOM_VERBOSE").is_some() {
                    println!("{what}: {}", decode(mpi, made.datatype, DEFAULT_BUDGET).unwrap_err());
                }
            }
            Err(other) => panic!("{what}: {other}"),
        }
        mpi.type_free(made.datatype).expect("our own");
    }
    assert!(decoded > 2 * refused, "{decoded} types decoded, {refused} refused");
    format!("{decoded} random types decoded and encoded ({refused} refused, {lossy} not encoded)")
}

/// A few calls on top of each other; `None` where one would leave the memory of the test.
fn grow<A: Abi>(mpi: &Mpi<A>, rng: &mut Rng) -> Option<Made<A>> {
    const BASICS: [Basic; 7] = [
        Basic::INT,
        Basic::CHAR,
        Basic::DOUBLE,
        Basic::SHORT,
        Basic::LONG_DOUBLE,
        Basic::INTEGER16,
        Basic::REAL16,
    ];
    let basic = BASICS[rng.usize(0..BASICS.len())];
    let mut layout = Type::leaf(basic);
    // Some libraries have none of 16 bytes, or one of size 0.
    let mut datatype = mpi
        .handles
        .datatype(basic.name())
        .filter(|&handle| mpi.type_size(handle).ok().flatten() == Some(basic.size()))?;
    let mut history = basic.name().to_owned();
    let mut derived = false;
    for _ in 0..rng.usize(1..5) {
        let call = random_call(rng, &layout);
        let form = if rng.bool() { Form::Plain } else { Form::Large };
        // Negative extents are left out: MPICH says one extent and packs with another.
        let next = call.build(&vec![layout.clone(); call.arity()]).ok().filter(|t| {
            t.size() < 4000
                && t.extent() >= 0
                && [t.lb(), t.ub(), t.true_lb(), t.true_ub()].iter().all(|b| b.abs() < SPAN)
        });
        let Some(next) = next else { continue };
        let olds = vec![datatype; call.arity()];
        let new = try_create(mpi, &call, &olds, form)
            .or_else(|| try_create(mpi, &call, &olds, Form::Plain))
            .expect("every library has the plain form");
        // Open MPI 4 refuses some valid darrays of one process.
        let Ok(new) = new else { continue };
        history = format!("{call:?} of {history}");
        if derived {
            mpi.type_free(datatype).expect("our own");
        }
        (datatype, layout, derived) = (new, next, true);
    }
    derived.then_some(Made { datatype, history })
}
