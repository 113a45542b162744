//! Messages that say nothing but that they are there, although they have bytes: a few, the same in
//! every message that its call sends in the whole run. A barrier that is written by hand with an
//! integer has them.

use std::collections::HashMap;
use std::sync::Arc;

use commloom_trace::{Action, Kind, NOT_LOOKED_AT, Site, Trace};

use crate::recorded::model::Message;

/// Bytes of a token at most: an integer or a floating-point number.
const LONGEST: u64 = 8;

/// A content: its bytes, and their hash. Nothing in messages without bytes.
pub(super) type Token = (u64, u64);

/// The only content that each call of the program sends; `None` where it sends several.
pub(super) struct Tokens(HashMap<Option<Arc<Site>>, Option<Token>>);

impl Tokens {
    /// O(n) in the events.
    pub fn of(traces: &[&Trace]) -> Tokens {
        let mut of_call = HashMap::new();
        for (_, event) in traces.iter().flat_map(|trace| trace.events.only(&[Kind::SEND])) {
            let Action::Send { buffer, hash, .. } = event.action else { continue };
            let token = match buffer.bytes {
                0 => Some((0, 0)),
                bytes => Some((bytes, hash)).filter(|_| bytes <= LONGEST && hash != NOT_LOOKED_AT),
            };
            let only = of_call.entry(event.site).or_insert(token);
            if *only != token {
                *only = None;
            }
        }
        Tokens(of_call)
    }

    /// The token that a message is.
    pub fn token(&self, message: &Message) -> Option<Token> {
        match message.bytes {
            0 => Some((0, 0)),
            _ => self.0.get(&message.sender).copied().flatten(),
        }
    }

    /// The same messages without their bytes, if all are one token.
    pub fn emptied(&self, messages: &[Message]) -> Option<Vec<Message>> {
        let first = self.token(messages.first()?).filter(|(bytes, _)| *bytes > 0)?;
        let is_one = messages.iter().all(|message| self.token(message) == Some(first));
        is_one.then(|| messages.iter().map(|m| Message { bytes: 0, ..m.clone() }).collect())
    }
}
