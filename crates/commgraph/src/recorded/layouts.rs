//! The memory of a recorded operation: the range and the type of its buffer.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use commloom_layout::{Basic, Run, Type, mpi, text};
use commloom_trace::Buffer as Traced;

use crate::buffer::Buffer;
use crate::ids::{Address, Bytes};
use crate::recorded::memory::{Stretch, shift};

/// Types by their text. One that is not known is taken for bytes without gaps.
#[derive(Default)]
pub(super) struct Layouts(HashMap<Arc<str>, Option<Type>>);

/// The memory of an operation, as the program has it.
#[derive(Clone)]
pub(super) struct Memo {
    pub range: Range<u64>,
    pub bytes: u64,
    /// The type of the range, where that is not one run.
    pub typed: Option<(Address, u64, Type)>,
}

/// Runs of a layout up to which each is looked at by itself.
const RUNS: u64 = 4096;

impl Layouts {
    /// Where the bytes of a message are, run by run; where those are many, the range that has all
    /// of them.
    pub fn ranges(&mut self, buffer: &Traced, bytes: u64) -> Vec<Range<u64>> {
        let memo = self.memo(buffer, bytes);
        let typed = memo.typed.as_ref().and_then(|(Address(start), count, ty)| {
            let all = mpi::contiguous(*count, ty).ok().filter(|all| all.runs() <= RUNS)?;
            let run = |run: Run| {
                let start = start.checked_add_signed(run.displacement)?;
                Some(start..start.checked_add(run.length)?)
            };
            all.byte_runs().map(run).collect()
        });
        typed.unwrap_or_else(|| vec![memo.range])
    }

    /// The memory of a message of so many bytes.
    pub fn memo(&mut self, buffer: &Traced, bytes: u64) -> Memo {
        let parse = || text::parse(&buffer.layout).ok();
        let ty = self.0.entry(buffer.layout.clone()).or_insert_with(parse).clone();
        let dense =
            |start: u64| Memo { range: start..start.saturating_add(bytes), bytes, typed: None };
        let Some(all) = ty.as_ref().and_then(|ty| mpi::contiguous(buffer.count, ty).ok()) else {
            return dense(buffer.address);
        };
        let Some(start) = buffer.address.checked_add_signed(all.true_lb()) else {
            return dense(buffer.address);
        };
        if all.runs() <= 1 {
            return dense(start);
        }
        let length = u64::try_from(all.true_ub() - all.true_lb()).unwrap_or(bytes);
        let typed = ty.map(|ty| (Address(buffer.address), buffer.count, ty));
        Memo { range: start..start.saturating_add(length), bytes, typed }
    }
}

impl Memo {
    /// In the graph, all of one version.
    pub fn at(&self, version: u64) -> Buffer {
        let shift = shift(version);
        match &self.typed {
            None => Buffer::Range(Address(self.range.start + shift), Bytes(self.bytes)),
            Some((at, count, ty)) => {
                Buffer::Typed { at: Address(at.0 + shift), count: *count, ty: ty.clone() }
            }
        }
    }

    /// In the graph, each stretch with its own version. `None` where that cannot be said.
    pub fn scattered(&self, stretches: &[Stretch]) -> Option<Buffer> {
        let length = |s: &Stretch| s.range.end - s.range.start;
        let place = |s: &Stretch| i64::try_from(s.range.start + shift(s.version.unwrap_or(0))).ok();
        let lengths: Vec<u64> = stretches.iter().map(length).collect();
        let places: Vec<i64> = stretches.iter().map(place).collect::<Option<_>>()?;
        let ty = mpi::hindexed(&lengths, &places, &Type::leaf(Basic::BYTE)).ok()?;
        Some(Buffer::Typed { at: Address(0), count: 1, ty })
    }
}
