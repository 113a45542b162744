//! Files and text that others may have made, on machines that many users share.
//!
//! ```text
//! file ─ read ─► bytes         never waits, never more than a limit, never through a link that
//!                              nobody named
//! bytes ─ write ─► file        whole or not at all, never through the link of another user
//! Folder                       only this user gets in; removed on every way out
//! make_shareable, open_shared  memory of the processes of this user; meet, part by a known name
//! text ─ shown ─► terminal     control characters are escaped, colours are ours
//! ```

#![forbid(unsafe_code)]

mod folder;
mod pending;
mod read;
mod shared;
mod terminal;
mod write;

pub use folder::Folder;
pub use pending::remove_all;
pub use read::{Origin, read, text};
pub use shared::{NAME, Shareable, make_shareable, meet, open_shared, part};
pub use terminal::{is_hidden, one_line, shown, styled, visible};
pub use write::{Ownership, can_write, longest_file, write};
