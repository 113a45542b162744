//! Changes of a text.

use std::ops::Range;

/// New text in place of a range of bytes; an empty range inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Bytes of the original text.
    pub range: Range<usize>,
    /// The text that stands there instead.
    pub new: String,
}

/// Two changes of the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two changes meet at bytes {}..{} \
    and {}..{}", first.start, first.end, second.start, second.end)]
pub struct Overlap {
    /// The one that begins first.
    pub first: Range<usize>,
    /// The other.
    pub second: Range<usize>,
}

impl Change {
    /// Whether two changes cannot both be made: one replaces, or lies within, what the other
    /// replaces. Equal ones are one, and a removal may be within another.
    pub fn meets(&self, other: &Change) -> bool {
        let order =
            |c: &Change| (c.range.start, !c.range.is_empty(), std::cmp::Reverse(c.range.end));
        let (first, second) =
            if order(self) <= order(other) { (self, other) } else { (other, self) };
        let within =
            first.new.is_empty() && second.new.is_empty() && second.range.end <= first.range.end;
        second.range.start < first.range.end && first != second && !within
    }
}

/// The text with all changes. Equal ones that replace something count once, and so do removals
/// within removals; insertions at one place keep their order. Time O(n log n) in the changes and
/// linear in the text.
pub fn apply(text: &str, changes: &[Change]) -> Result<String, Overlap> {
    let mut sorted: Vec<&Change> = changes.iter().collect();
    sorted.sort_by_key(|c| (c.range.start, !c.range.is_empty(), std::cmp::Reverse(c.range.end)));
    sorted.dedup_by(|b, a| a == b && !a.range.is_empty());
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut last: Option<&Change> = None;
    for change in sorted {
        let is_gone = |l: &Change| l.new.is_empty() && change.range.end <= l.range.end;
        if change.new.is_empty() && last.is_some_and(is_gone) {
            continue;
        }
        let kept = text.get(at..change.range.start);
        let removed = text.get(change.range.clone());
        let (Some(kept), Some(_)) = (kept, removed) else {
            let first = last.map_or(0..text.len(), |l| l.range.clone());
            return Err(Overlap { first, second: change.range.clone() });
        };
        out.push_str(kept);
        out.push_str(&change.new);
        at = change.range.end;
        last = Some(change);
    }
    out.push_str(text.get(at..).unwrap_or(""));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(range: Range<usize>, new: &str) -> Change {
        Change { range, new: new.into() }
    }

    #[test]
    fn changes_are_applied_in_the_order_of_the_text() {
        let changes = [
            change(4..5, "E"),
            change(0..0, "<"),
            change(0..0, ">"),
            change(1..3, ""),
            change(1..3, ""),
        ];
        assert_eq!(apply("abcdef", &changes).as_deref(), Ok("<>adEf"));
    }

    #[test]
    fn a_removal_within_another_is_part_of_it() {
        let changes = [change(1..5, ""), change(2..3, ""), change(1..2, "")];
        assert_eq!(apply("abcdef", &changes).as_deref(), Ok("af"));
    }

    #[test]
    fn changes_that_do_not_meet_can_be_applied() {
        let all: Vec<Change> = (0..4)
            .flat_map(|start| {
                (start..4).flat_map(move |end| ["", "x"].map(|new| (start..end, new)))
            })
            .map(|(range, new)| change(range, new))
            .collect();
        for a in &all {
            for b in &all {
                let applied = apply("abc", &[a.clone(), b.clone()]).is_ok();
                assert_eq!(!a.meets(b), applied, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn changes_that_meet_are_refused() {
        let found = apply("abcdef", &[change(0..3, ""), change(2..4, "x")]);
        assert_eq!(found, Err(Overlap { first: 0..3, second: 2..4 }));
        assert!(apply("ab", &[change(1..9, "")]).is_err());
    }
}
