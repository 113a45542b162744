//! From a type and a count to a [`Plan`]: the loop nest that moves the bytes of a layout between
//! memory (side A) and the dense packed stream (side B).
//!
//! A plan is plain data, a function of the layout, the count and the [`Target`] machine. It keeps
//! the packed order exactly; adjacent runs are merged and loops collapsed, never interchanged. The
//! pipeline is [`Plan::packed`]: lower ([`Node`] by [`Node`], merging on the way), then choose a
//! [`Kernel`] for each innermost pattern.
//!
//! Every offset in a plan was added up with checked arithmetic: all bytes that a plan touches in
//! memory lie inside [`Plan::bounds`], so whoever executes it checks its buffers once.
//!
//! Nothing here panics on input, reads the environment or prints. Offsets, strides and lengths are
//! in **bytes**, counts are numbers of copies.
#![forbid(unsafe_code)]

mod between;
mod cache;
mod cut;
mod distinct;
mod error;
mod flat;
mod heap;
mod iovecs;
mod joins;
mod kernel;
mod lower;
mod merge;
mod node;
mod number;
mod offsets;
mod pace;
mod period;
mod picks;
mod pieces;
mod plan;
mod print;
mod program;
mod runs;
mod target;
mod tiles;

pub use between::{
    CopyKernel, CopyPart, CopyPiece, CopyPlan, Outer, Pair, PairStep, Pairing, Stage, Steps,
};
pub use cache::PlanCache;
pub use cut::Piece;
pub use error::PlanError;
pub use flat::{Flat, Moves, Script};
pub use heap::of_type as heap_of_type;
pub use iovecs::{Iovec, Iovecs};
pub use kernel::{Ahead, Kernel};
pub use node::{Node, Shape, Step};
pub use offsets::Offsets;
pub use picks::{MOST_WINDOWS, Pick, Picks};
pub use pieces::{PeriodBlock, Pieces, Place};
pub use plan::{Cost, Plan};
pub use program::{Form, Index, MOST_MOVES, Move, Program};
pub use runs::{Run, Runs};
pub use target::Target;
pub use tiles::{Dim, Tiles};
