//! Who is measured, and how each of them is called.

use std::hint::black_box;
use std::time::Instant;

use commloom_pack::{Plan, pack_raw, unpack_raw};

use crate::buffers::Buffers;
use crate::hand::{Hand, Sizes, Stream};

/// Who moves the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Who {
    /// `memcpy` of the packed bytes, which is not the same work.
    Memcpy,
    /// A stream over as many lines as the layout touches, see `hand::source`.
    Limit,
    /// A C loop: compiler, and what it knows.
    Hand { compiler: &'static str, sizes: Sizes },
    /// A plan of commloom.
    Commloom,
    /// An MPI library, by its number.
    Mpi(usize),
}

/// Makes so many calls and returns the nanoseconds that they took.
pub type Call<'a> = Box<dyn FnMut(u32) -> Result<f64, String> + 'a>;

/// One of those who are measured in a cell.
pub struct Contender<'a> {
    pub who: Who,
    /// For those who need a datatype: which one.
    pub description: Option<&'static str>,
    pub call: Call<'a>,
}

fn timed(times: u32, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        call();
    }
    start.elapsed().as_secs_f64() * 1e9
}

// In all of these the buffers hold the case that the functions are called for.

pub fn memcpy<'a>(buffers: Buffers, bytes: usize) -> Call<'a> {
    Box::new(move |times| {
        let Buffers { packed, copy, .. } = buffers;
        // SAFETY: two regions of the buffers that hold the packed bytes.
        Ok(timed(times, || unsafe { copy.copy_from_nonoverlapping(black_box(packed), bytes) }))
    })
}

pub fn limit<'a>(stream: Stream, from: *mut u8, lines: i64, to: *mut u8, others: i64) -> Call<'a> {
    let up = |at: *mut u8| at.wrapping_add(at.align_offset(64));
    Box::new(move |times| {
        // SAFETY: as many lines as the layout touches fit where the layout does.
        Ok(timed(times, || unsafe { stream(up(from), lines, up(to), others) }))
    })
}

pub fn hand<'a>(
    hand: Hand,
    buffers: Buffers,
    n: i64,
    list: &'a [i32],
    sizes: &'a [i64],
) -> Call<'a> {
    Box::new(move |times| {
        let Buffers { memory, packed, .. } = buffers;
        let (list, sizes) = (list.as_ptr(), sizes.as_ptr());
        // SAFETY: the loop was generated for this layout.
        Ok(timed(times, || unsafe { hand(memory, packed, n, list, sizes) }))
    })
}

pub fn commloom<'a>(plan: &'a Plan, buffers: Buffers, packing: bool) -> Call<'a> {
    Box::new(move |times| {
        let Buffers { memory, packed, .. } = buffers;
        let all = 0..plan.bytes();
        // SAFETY: the buffers hold the bounds of the plan and its bytes.
        Ok(timed(times, || unsafe {
            if packing {
                pack_raw(black_box(plan), memory, packed, all.clone());
            } else {
                unpack_raw(black_box(plan), memory, packed, all.clone());
            }
        }))
    })
}
