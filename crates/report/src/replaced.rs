//! Groups of persistent requests, and the collective operations that took their place (`commloom
//! exec --replace`).

use serde::{Deserialize, Serialize};

/// The requests that one `MPI_Startall` starts, on all ranks of a communicator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// The same number on all ranks.
    pub group: u64,
    /// The operations that do the same: MPI's names in lower case, without `MPI_`.
    pub by: Vec<String>,
    /// Processes of the communicator.
    pub ranks: u64,
    /// Messages of one start, of all ranks together.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How often it was started, on the rank that did so most often.
    pub starts: u64,
    /// How many of these were replaced: the same on every rank.
    pub replaced: u64,
    /// Why the rest was not, as the first rank that has a reason says it; empty where it would go
    /// on being replaced.
    pub left: String,
}

impl Replaced {
    /// Adds the same group on another rank.
    pub(crate) fn absorb(&mut self, other: Replaced) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.starts = self.starts.max(other.starts);
        self.replaced = self.replaced.max(other.replaced);
        if self.by.is_empty() {
            self.by = other.by;
        }
        if self.left.is_empty() {
            self.left = other.left;
        }
    }

    /// In one line.
    pub(crate) fn line(&self) -> String {
        let Replaced { ranks, messages, bytes, starts, replaced, .. } = self;
        let by = match self.by.as_slice() {
            [] => String::new(),
            by => format!(" by {}", by.join(", ")),
        };
        let left = match self.left.as_str() {
            "" => String::new(),
            why => format!("; then left as it is: {why}"),
        };
        format!(
            "{messages} messages, {bytes} bytes among {ranks} ranks: {replaced} of {starts} \
             starts replaced{by}{left}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_one_line_for_all_ranks() {
        let one = Replaced {
            by: vec!["alltoall".to_owned()],
            ranks: 2,
            messages: 1,
            bytes: 8,
            starts: 10,
            replaced: 7,
            ..Replaced::default()
        };
        let mut report = crate::Report::default();
        report.merge_replaced([one.clone()]);
        report.merge_replaced([Replaced { left: "why".to_owned(), ..one.clone() }]);
        report.merge_replaced([Replaced { group: 1, ..one }]);
        assert_eq!(report.replaced.len(), 2);
        assert_eq!(
            report.replaced[0].line(),
            "2 messages, 16 bytes among 2 ranks: 7 of 10 starts replaced by alltoall; then left \
             as it is: why"
        );
        for format in [crate::Format::Text, crate::Format::Html] {
            let written = report.write(format);
            assert!(written.contains("7 of 10 starts replaced by alltoall; then"), "{written}");
        }
    }
}
