//! MSCCL XML, the algorithms of collective operations on GPUs (Cowan et al., "MSCCLang",
//! ASPLOS'23; microsoft/msccl).
//!
//! ```text
//! <algo name="ring" coll="allgather" ngpus="2" nchunksperloop="2" inplace="0"
//!     proto="Simple" nchannels="1">
//!   <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
//!     <tb id="0" send="1" recv="1" chan="0">
//!       <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1"
//!           depid="-1" deps="-1" hasdep="0"/>
//!       ...
//! ```
//! Steps do what they do in MSCCL's interpreter: the steps of a thread block follow each other,
//! others are ordered by `depid` and `deps` alone; the k-th message of a connection (sender,
//! receiver, channel) is the k-th received there; `rrc` reads its source on its own GPU. Buffers
//! are measured in chunks, and so are the addresses of the graph: a chunk is one byte. Scratch is
//! dead in the end, and so is what the collective leaves undefined.
//!
//! `coll` says which collective it is: [`Claim::check`] compares.

mod claim;
mod coll;
mod connections;
mod memory;
mod steps;
mod syntax;

use commloom_layout::text::ParseError;

use super::Program;

pub use claim::{Claim, Difference};
pub use coll::Coll;
pub use memory::Memory;
pub use syntax::Buffer;

/// An algorithm, and what it claims to be.
#[derive(Debug, Clone)]
pub struct Algorithm {
    /// Its name in the file.
    pub name: String,
    /// Its steps.
    pub program: Program,
    /// Its claim.
    pub claim: Claim,
}

/// Reads a file. O(n log n), without recursion.
///
/// # Errors
/// A [`ParseError`] with its place: text that is no such XML, connections that two thread blocks
/// share, messages that are sent and not received or received in another size, and steps that wait
/// for what never comes.
pub fn read(text: &str) -> Result<Algorithm, ParseError> {
    let algo = syntax::read(text)?;
    connections::check(text, &algo)?;
    let claim = Claim::of(&algo);
    let program = steps::graph(text, &algo, &claim)?;
    Ok(Algorithm { name: algo.name, program, claim })
}
