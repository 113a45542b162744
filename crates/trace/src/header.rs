//! The beginning of a file: which process of which program.

use crate::bytes::{In, Out};
use crate::problem::Unreadable;

/// Of the format. A reader refuses later ones; files before version 5 do not say where several
/// threads make calls ([`Threads`](crate::Action::Threads)), those before version 4 not how long
/// messages are in their buffers ([`Stay`](crate::Stay)), those before version 3 not what a
/// program asks about messages ([`Probed`](crate::Action::Probed)), those of version 1 no
/// [`Summed`](crate::Summed), and their numbers of communicators mean nothing to other processes.
pub const VERSION: u64 = 5;
/// The first bytes of every file.
const MAGIC: &[u8; 8] = b"commloom";

/// Which process of which program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Rank in the world.
    pub rank: u32,
    /// Processes in the world.
    pub ranks: u32,
    /// The file that was run.
    pub program: String,
    /// The description that the MPI library gives of itself, its first line.
    pub library: String,
    /// When the recorder started, in nanoseconds since 1970.
    pub started: u64,
}

impl Header {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut body = Vec::new();
        let mut out = Out(&mut body);
        out.number(u64::from(self.rank));
        out.number(u64::from(self.ranks));
        out.string(&self.program);
        out.string(&self.library);
        out.number(self.started);
        let mut all = MAGIC.to_vec();
        let mut out = Out(&mut all);
        out.number(VERSION);
        out.length(body.len());
        all.extend_from_slice(&body);
        all
    }

    /// The header, the version, and what follows.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Header, u64, &[u8]), Unreadable> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(Unreadable::NoTrace)?;
        let mut input = In(rest);
        let version = input.number().ok_or(Unreadable::Cut)?;
        if version > VERSION {
            return Err(Unreadable::Version { given: version, known: VERSION });
        }
        let length = input.length().ok_or(Unreadable::Cut)?;
        let body = input.take(length).ok_or(Unreadable::Cut)?;
        Ok((Header::body(body).ok_or(Unreadable::Damaged)?, version, input.0))
    }

    fn body(bytes: &[u8]) -> Option<Header> {
        let mut input = In(bytes);
        Some(Header {
            rank: input.small()?,
            ranks: input.small()?,
            program: input.string()?.to_owned(),
            library: input.string()?.to_owned(),
            started: input.number()?,
        })
    }
}
