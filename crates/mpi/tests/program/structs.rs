//! The structs in the handles that `encode` makes: with a library that miscounts some of them
//! (`Subject::RunWithOffset`), none is such a struct. Read from the handles themselves, so that it
//! shows also where the library moves no message by the list that it gets wrong.

use std::ffi::c_int;

use commloom_fuzz_mpi::memory::mix;
use commloom_layout::{Kind, Type};
use commloom_mpi::{
    Abi, Aint, Combiner, DEFAULT_BUDGET, EncodeError, Mpi, Subject, decode, encode,
};
use commloom_testkit::Rng;

use super::shapes::shape;

const CASES: u64 = 400;
/// Bytes of data of a layout at most.
const MOST: u64 = 400;

pub fn check<A: Abi>(mpi: &Mpi<A>) -> String {
    let (mut wanted, mut made) = (0, 0);
    for seed in 0..CASES {
        let layout = shape(&mut Rng::with_seed(mix(&[seed, 4])), MOST);
        let handle = match encode(mpi, &layout) {
            Ok(handle) => handle,
            Err(EncodeError::Disagree { .. }) => continue,
            Err(other) => panic!("seed {seed}: {other}: {layout:?}"),
        };
        wanted += runs_with_offset(&layout);
        let found = structs_with_offset(mpi, handle.handle());
        if let Some(found) = found.first()
            && mpi.may_have(Subject::RunWithOffset)
        {
            panic!("seed {seed}: a struct {found:?} in the handle of {layout:?}");
        }
        made += found.len();
    }
    assert!(wanted > 30, "the layouts have {wanted} structs that a library could miscount");
    // Other libraries get them as they are, which shows that they would be found.
    assert!(made > 30 || mpi.may_have(Subject::RunWithOffset), "{made} of {wanted} structs found");
    format!("{wanted} structs that touch and begin elsewhere, {made} of them as such")
}

/// Whether the data of a struct are one run in order, of which the lower bound is not 0.
fn is_run_with_offset(layout: &Type, lb: i64) -> bool {
    let entries: Vec<(i64, i64)> = layout
        .type_map()
        .map(|e| (e.displacement, i64::try_from(e.basic.size()).expect("a few bytes")))
        .collect();
    let touch = entries.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0);
    !entries.is_empty() && touch && lb != 0
}

/// How many of them a layout has, as it describes itself.
fn runs_with_offset(layout: &Type) -> usize {
    let below: usize = layout.children().iter().map(runs_with_offset).sum();
    let is_struct = matches!(layout.kind(), Kind::Strc { .. });
    below + usize::from(is_struct && is_run_with_offset(layout, layout.lb()))
}

/// Those among the structs that a datatype consists of.
fn structs_with_offset<A: Abi>(mpi: &Mpi<A>, datatype: A::Datatype) -> Vec<Type> {
    let combiner = mpi.type_combiner(datatype).expect("a live handle");
    if combiner.is_predefined() {
        return Vec::new();
    }
    let mut found = Vec::new();
    // What is in it may be such that the library disagrees about its bounds.
    if combiner == Combiner::Struct
        && let Ok(layout) = decode(mpi, datatype, DEFAULT_BUDGET)
    {
        let lb = mpi.type_bounds(datatype).expect("our own").lb;
        if is_run_with_offset(&layout, lb) {
            found.push(layout);
        }
    }
    for part in parts(mpi, datatype) {
        found.extend(structs_with_offset(mpi, part));
        if !mpi.type_combiner(part).expect("a part").is_predefined() {
            mpi.type_free(part).expect("a reference of ours");
        }
    }
    found
}

/// The old types of a derived datatype; derived ones are to be freed.
fn parts<A: Abi>(mpi: &Mpi<A>, datatype: A::Datatype) -> Vec<A::Datatype> {
    let [mut integers, mut addresses, mut datatypes, mut combiner] = [0; 4];
    // SAFETY: four writable places and a live handle, of few arguments.
    let code = unsafe {
        let envelope = mpi.own.type_get_envelope;
        let counts = (&raw mut integers, &raw mut addresses, &raw mut datatypes);
        envelope(datatype, counts.0, counts.1, counts.2, &raw mut combiner)
    };
    mpi.check("MPI_Type_get_envelope", code).expect("a live handle");
    let length = |n: c_int| usize::try_from(n).expect("a count");
    let mut numbers: Vec<c_int> = vec![0; length(integers)];
    let mut places: Vec<Aint> = vec![0; length(addresses)];
    let mut parts = vec![mpi.handles.datatype_null; length(datatypes)];
    // SAFETY: every list has the length passed with it.
    let code = unsafe {
        let contents = mpi.own.type_get_contents;
        let lists = (numbers.as_mut_ptr(), places.as_mut_ptr(), parts.as_mut_ptr());
        contents(datatype, integers, addresses, datatypes, lists.0, lists.1, lists.2)
    };
    mpi.check("MPI_Type_get_contents", code).expect("a live handle");
    parts
}
