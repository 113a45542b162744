//! The elements that the bytes of messages are to the program.

use std::collections::BTreeSet;
use std::sync::Arc;

use commloom_layout::{Basic, text};

use crate::finding::Finding;

/// The element that all messages consist of: one basic type, or bytes where there are several.
pub struct Elements {
    pub basic: Basic,
}

impl Elements {
    pub fn of(same: &[&Finding]) -> Elements {
        let mut layouts: BTreeSet<Arc<str>> = BTreeSet::new();
        for (finding, message) in same.iter().flat_map(|f| f.messages().map(move |m| (f, m))) {
            layouts.extend(finding.send(message).map(|(buffer, _)| buffer.layout));
            layouts.extend(finding.receive(message).map(|(buffer, ..)| buffer.layout));
        }
        let mut basics: BTreeSet<&str> = BTreeSet::new();
        for layout in layouts {
            match text::parse(&layout) {
                Ok(ty) => {
                    basics.extend(ty.signature().runs().iter().map(|(basic, _)| basic.name()))
                }
                Err(_) => return Elements { basic: Basic::BYTE },
            }
        }
        let only = basics.first().filter(|_| basics.len() == 1).copied();
        let basic = only.and_then(Basic::by_name).unwrap_or(Basic::BYTE);
        let fits = |bytes: u64| bytes.is_multiple_of(basic.size());
        let fits = basic.size() > 0 && same.iter().all(|f| fits(f.collective.length.0));
        Elements { basic: if fits { basic } else { Basic::BYTE } }
    }

    /// So many bytes; `None` where that is no whole number of elements.
    pub fn count(&self, bytes: u64) -> Option<u64> {
        let size = self.basic.size().max(1);
        bytes.is_multiple_of(size).then(|| bytes / size)
    }
}
