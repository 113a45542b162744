//! Messages to the user, on standard error: the only place in this crate that prints.

use std::io::Write;

use crate::runtime::signals::without_signals;

/// Writes a text in one piece, since all processes may write at once. Where standard error takes
/// nothing (it is closed, its reader has left, its disk is full), the program goes on.
pub(crate) fn text(text: &str) {
    // There is nobody left to tell.
    let _ = without_signals(|| std::io::stderr().write_all(text.as_bytes()));
}
