//! The environment of a process: the user's [settings](Setting), and [who started](Started) it.
//!
//! The preload, the check of `commloom exec` before a program starts, its help and the pages read
//! the same [table](SETTINGS). Nothing here reads the environment itself: whoever asks gives a way
//! to look up a variable.
#![forbid(unsafe_code)]

mod names;
mod setting;
mod started;
mod table;

pub use names::{TOLD, Unknown, unknown};
pub use setting::{Allowed, Problem, Setting};
pub use started::Started;
pub use table::*;
