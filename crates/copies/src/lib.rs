//! The copies between a buffer and the program's variables before (or after) a call.
//!
//! Loops, running indices and index formulas are executed symbolically; the copies are then sorted
//! by where they lie in the buffer, so that running and formula indices, interchanged loops and
//! interleaved streams all give the same [`Dense`] tree.

#![forbid(unsafe_code)]

mod address;
mod allocated;
mod branch;
mod certain;
mod copy;
mod display;
mod escape;
mod integers;
pub mod ir;
mod known;
mod layout;
mod loops;
mod model;
mod origin;
mod path;
mod piece;
mod place_type;
mod purity;
mod read;
mod renew;
mod state;
mod statement;
mod value;
pub mod verify;
mod walk;
mod writes;

pub use certain::is_quotient;
pub use model::{
    Address, Circumstances, Copy, Dense, Direction, Doubt, Doubts, Origin, PLAIN, Packing, Parts,
    Request, Setting, Turns,
};
pub use place_type::type_at;
pub use read::read;
