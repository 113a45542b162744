//! Where packed ranges are cut for several threads. The file is private to the crate, and tested
//! by itself: kernels take half a minute to compile, and would be compiled once more for this.

#[expect(dead_code, reason = "`distance` is for others")]
#[path = "../src/number.rs"]
mod number;
#[path = "../src/split.rs"]
mod split;

use std::num::NonZeroUsize;

use commloom_layout::{Basic, Type};
use commloom_plan::{Plan, Target};
use commloom_testkit::check;
use split::Split;

/// Pieces are at least so long.
const LEAST: u64 = 64 << 10;

#[test]
fn pieces_cover_the_range_in_order_and_cut_at_copies_or_lines() {
    check(3000, |rng| {
        let block = Type::vec(rng.u64(1..200_000), 1, Type::leaf(Basic::BYTE)).expect("valid");
        let stride = block.extent() + 8;
        let ty = Type::vec(rng.u64(1..5000), stride, block.clone()).expect("valid");
        let plan = Plan::packed(&ty, 1, &Target::PORTABLE).expect("fits");
        let (x, y) = (rng.u64(0..=plan.bytes()), rng.u64(0..=plan.bytes()));
        let (range, packed) = (x.min(y)..x.max(y), rng.usize(1 << 12..1 << 13));
        let threads = NonZeroUsize::new(rng.usize(2..9)).expect("at least 2");
        let split = Split::new(&plan, packed, range.clone(), threads);
        let mut at = range.start;
        for i in 0..split.pieces() {
            let piece = split.piece(i);
            assert!(piece.start == at && piece.end >= at, "{split:?}");
            at = piece.end;
            let whole = piece.start.is_multiple_of(block.size());
            let line = (packed + split.offset(&piece)).is_multiple_of(64);
            assert!(i == 0 || whole || line, "{piece:?} of {split:?} at {packed}");
            assert!(at == range.end || at - piece.start >= LEAST, "{piece:?} of {split:?}");
        }
        assert_eq!(at, range.end);
        let parts = (0..threads.get()).flat_map(|part| split.part(part, threads.get()));
        assert!(parts.eq(0..split.pieces()), "{split:?}");
        assert!(split.pieces() <= threads.get() * 4 + 1);
    });
}
