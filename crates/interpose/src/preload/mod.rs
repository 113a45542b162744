//! The layers of one preloaded library, put together: its state, the wrapped calls, and the
//! exported symbols.

pub(crate) mod beginning;
pub mod calls;
pub(crate) mod ends;
pub(crate) mod export;
pub(crate) mod export_arrivals;
pub(crate) mod export_collectives;
pub(crate) mod export_communicators;
pub(crate) mod export_completions;
pub(crate) mod export_files;
pub(crate) mod export_messages;
pub(crate) mod export_reductions;
pub(crate) mod export_windows;
pub(crate) mod report;
pub(crate) mod state;
