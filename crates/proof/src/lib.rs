//! Why a call may be rewritten.
//!
//! A call and its copies are proved to be replaceable, condition by condition
//! (book/src/explanation/refactor-proofs.md), or refused with the one fact that is missing; a
//! person may supply it ([`Assumptions`]). Nothing else is assumed.
//!
//! | condition | where |
//! |---|---|
//! | 1 pure copies, 5 nothing changes in between, 9 bounds of Fortran | [`commloom_copies`] |
//! | 2 the call sends exactly what was packed | [`range`] |
//! | 3 the buffer is dead, all its consumers or none | [`buffer`] |
//! | 4 sources are not written before the send is complete | [`sources`] |
//! | 6 the element's size is known | [`element`] |
//! | 7 targets of receives are distinct, and always unpacked | [`distinct`], [`paths`] |
//! | 7 they are untouched, and not what is sent meanwhile | [`targets`], [`together`] |
//! | 4 and 7 under a relation of sizes | [`rows`], [`region`], [`checked`] |
//! | 8 collectives | [`calls`], [`broadcast`], [`parts`] |
//! | 8 who is the root | [`root`], [`processes`] |
//! | none: what is packed where no condition can be asked | [`unmentioned`] |
//! | all of them, where the type is made earlier than the copies | [`persistent`] |

#![forbid(unsafe_code)]

mod across;
mod apart;
mod broadcast;
mod buffer;
mod calls;
mod candidate;
mod cartesian;
mod checked;
mod closed;
mod completion;
mod distinct;
mod element;
mod find;
mod flow;
mod found;
mod lifetimes;
mod mentions;
mod model;
mod names;
mod nobody;
mod objects;
mod overwritten;
mod partner;
mod parts;
mod paths;
mod pending;
mod persistent;
mod processes;
mod range;
mod region;
mod requests;
mod root;
mod rows;
mod scalars;
mod sites;
mod sources;
mod targets;
mod together;
mod touch;
mod unmentioned;
mod words;
mod wrapped;

#[cfg(test)]
mod tests;

pub use across::{Across, Seen};
pub use candidate::Explained;
pub use checked::{is_checked, is_signed};
pub use commloom_program::fact::Assumptions;
pub use flow::is_live_after;
pub use model::{Condition, Judged, Part, Rewrite, Site, SizeTest, Trail};
pub use names::for_each_bound;
pub use region::{Region, region};
pub use rows::SizeRelation;
pub use sites::{sites, sites_in};
pub use unmentioned::{Unmentioned, unmentioned};
