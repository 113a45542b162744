//! Arrays of records whose fields touch and whose data begins above 0, as structs of C with a
//! header have it, nested in vectors and lists: where libraries count the pieces of a struct, they
//! go wrong here (MPICH 5.0.2 does).

use commloom_layout::{Basic, Type};

use super::Rng;
use crate::oracle::mpi::Call;

/// An array of records: how to make it, and the same elements one behind the other.
#[derive(Debug, Clone)]
pub struct Records {
    /// The basic types of the fields.
    pub fields: Vec<Basic>,
    /// The constructors: the first one takes the fields, every other one the type before it.
    pub calls: Vec<Call>,
    /// The type of all calls.
    pub layout: Type,
    /// The same elements in the same order, from 0 on.
    pub dense: Type,
}

/// Sizes of messages about which libraries change how they send them.
const LIMITS: [u64; 6] = [512, 4096, 8192, 16_384, 65_536, 131_072];

/// Random records with up to `bytes` of data, nowhere twice.
///
/// # Panics
/// Not within 64 bits.
#[must_use]
pub fn random_records(rng: &mut Rng, bytes: u64) -> Records {
    const BASICS: [Basic; 5] = [Basic::INT, Basic::DOUBLE, Basic::SHORT, Basic::CHAR, Basic::FLOAT];
    let near = LIMITS[rng.usize(0..LIMITS.len())];
    let target = match rng.u32(0..3) {
        0 => rng.u64(1..=bytes),
        _ => (near + rng.u64(0..near)).saturating_sub(near / 2).min(bytes),
    };
    let fields: Vec<Basic> = (0..rng.usize(1..4)).map(|_| BASICS[rng.usize(0..5)]).collect();
    // Few long fields, or many short ones.
    let longest = if rng.u32(0..3) == 0 { (target / 8).clamp(2, 4096) } else { 9 };
    let blocks: Vec<u64> = fields.iter().map(|_| rng.u64(1..longest)).collect();
    let mut at = if rng.bool() { rng.i64(1..5) * 8 } else { 0 };
    let (mut displacements, mut touching) = (Vec::new(), Vec::new());
    let mut end = 0;
    for (basic, block) in fields.iter().zip(&blocks) {
        displacements.push(at);
        touching.push(end);
        let length = signed(basic.size() * block);
        end += length;
        at += length + if rng.u32(0..4) == 0 { rng.i64(1..4) * 4 } else { 0 };
    }
    let leaves: Vec<Type> = fields.iter().copied().map(Type::leaf).collect();
    let build = |call: &Call, olds: &[Type]| call.build(olds).expect("a small type");
    let mut calls = vec![Call::Struct { blocks: blocks.clone(), displacements }];
    let mut layout = build(&calls[0], &leaves);
    let record = build(&Call::Struct { blocks, displacements: touching }, &leaves);
    let levels = rng.usize(1..4);
    for level in 0..levels {
        let left = target / layout.size().max(1);
        if left < 2 {
            break;
        }
        let count = if level + 1 == levels { left } else { rng.u64(2..=left.min(6)) };
        let call = around(rng, &layout, count);
        layout = build(&call, std::slice::from_ref(&layout));
        calls.push(call);
    }
    let count = layout.size() / record.size();
    let dense = build(&Call::Hvector { count, block: 1, stride: end }, &[record]);
    Records { fields, calls, layout, dense }
}

/// One constructor around a type, so that no two elements meet.
fn around(rng: &mut Rng, old: &Type, count: u64) -> Call {
    // What lies between two elements, from the first byte to the first byte; alignment keeps it
    // whole.
    let step = old.true_extent() + rng.i64(0..4) * 8;
    let start = rng.i64(0..3) * 8;
    let n = signed(count);
    // Long lists take long to look at, and are like short ones.
    let form = if count > 2000 { 0 } else { rng.u32(0..4) };
    match form {
        0 => Call::Hvector { count, block: 1, stride: step },
        1 => Call::Hindexed {
            blocks: vec![1; usize::try_from(count).expect("small")],
            displacements: (0..n).map(|k| start + k * step).collect(),
        },
        2 => {
            // Now and then a gap.
            let mut at = start;
            let mut places = Vec::new();
            for _ in 0..n {
                places.push(at);
                at += step + if rng.u32(0..6) == 0 { 16 } else { 0 };
            }
            Call::HindexedBlock { block: 1, displacements: places }
        }
        _ => {
            // In extents of the old type, which may be smaller than its data only where its bounds
            // are explicit.
            let every = if old.extent() >= old.true_extent() { 1 } else { 2 };
            let every = every + rng.i64(0..2);
            Call::IndexedBlock { block: 1, displacements: (0..n).map(|k| k * every).collect() }
        }
    }
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).expect("small")
}
