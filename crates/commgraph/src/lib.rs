//! Communication graphs: what sends, receives, copies and reductions of many processes do
//! together.
//!
//! After T. Hoefler and T. Schneider, "Runtime Detection and Optimization of Collective
//! Communication Patterns" (PACT'12). Data flows one way: [`Builder`] makes a [`Graph`],
//! [`Matching`] joins its messages, [`Order`] proves that it ends, [`Dataflow`] tells which bytes
//! end up where, [`detect`] finds the collective operations that do the same.
//!
//! Nothing here performs communication, prints or reads a file.
#![forbid(unsafe_code)]

mod accesses;
mod analysis;
mod buffer;
mod builder;
pub mod cost;
mod dataflow;
mod detect;

mod error;
pub mod execute;
mod graph;
mod ids;
mod levels;
mod matching;
mod note;
mod number;
mod operation;
mod order;
pub mod part;
mod races;
pub mod read;
pub mod recorded;
pub mod schedule;
mod segments;
mod shares;
mod trace;
mod transfers;
pub mod wait;

pub use analysis::{Analysis, Synchronization, analyse, synchronization};
pub use buffer::{Buffer, Layout, MAX_PIECES, Piece};
pub use builder::{Builder, Dependencies, Handle, MAX_OPERATIONS};
pub use dataflow::{Contributions, Dataflow, Reduced};
pub use detect::{
    Addresses, Blocks, Collective, Detection, Expected, Grid, Group, Kind, NearMiss, Neighbor,
    OddBlock, Oddity, Options, PartialReduction, PartialResult, Pieces, SHOWN, detect,
};
pub use error::{BuildError, GraphError, Named};
pub use graph::Graph;
pub use ids::{Address, Bytes, Communicator, LayoutId, Process, Tag};
pub use levels::levels;
pub use matching::Matching;
pub use note::Note;
pub use operation::{Action, Combine, Reduction, Sides};
pub use order::Order;
pub use part::Part;
pub use shares::{Replays, Share, Together, needed, replays, returned, shares, together};
pub use transfers::Transfer;
