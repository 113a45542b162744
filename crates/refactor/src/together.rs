//! Which findings can be changed together: whoever applies one, some or all of them gets what was
//! shown.

use std::collections::HashMap;

use commloom_program::refusal::{Code, Refusal};
use commloom_source::{FileId, Span};

use crate::edit::Change;
use crate::finding::Finding;

/// A finding, and the calls (with their buffers) that its edits rewrite.
type Judged = (Finding, Vec<(Span, Span)>);

/// Refuses findings whose edits meet those of an earlier one, and all that can only be changed
/// with a refused one. Findings are in the order of the text. Time in the square of the edits of a
/// file, for comparing positions.
pub(crate) fn settle(findings: &mut [Judged]) {
    while let Some((later, earlier)) = first_that_meets(findings) {
        let message = "its changes meet those of another call, which is rewritten first";
        let site = findings[later].0.site;
        let mut refusal = Refusal::new(Code::Text, site, message);
        if later != earlier {
            refusal.related.push((findings[earlier].0.site, "the other call".into()));
        }
        findings[later].0.outcome = Err(refusal);
        spread(findings);
    }
    spread(findings);
}

/// Refuses all that shares a call with a refused finding.
fn spread(findings: &mut [Judged]) {
    loop {
        let refused: Vec<(Span, Span)> = findings
            .iter()
            .filter(|(finding, _)| finding.outcome.is_err())
            .flat_map(|(_, parts)| parts.first().copied())
            .collect();
        let next = findings.iter().position(|(finding, parts)| {
            finding.outcome.is_ok() && parts.iter().any(|part| refused.contains(part))
        });
        let Some(next) = next else { return };
        let (finding, parts) = &mut findings[next];
        let other = parts.iter().find(|part| refused.contains(part));
        let message = "it can only be rewritten with another call, which stays as it is";
        let mut refusal = Refusal::new(Code::Text, finding.site, message);
        refusal.related.extend(other.map(|(call, _)| (*call, "the other call".into())));
        finding.outcome = Err(refusal);
    }
}

/// The first finding whose edits meet those of one before it, and that one; or its own.
fn first_that_meets(findings: &[Judged]) -> Option<(usize, usize)> {
    let mut taken: HashMap<FileId, Vec<(Change, usize)>> = HashMap::new();
    for (number, (finding, _)) in findings.iter().enumerate() {
        let Ok(change) = &finding.outcome else { continue };
        for edit in &change.edits {
            let new = Change { range: edit.span.range(), new: edit.text.clone() };
            let others = taken.entry(edit.span.file).or_default();
            if let Some((_, other)) = others.iter().find(|(old, _)| old.meets(&new)) {
                return Some((number, *other));
            }
            if !others.iter().any(|(old, _)| *old == new) {
                others.push((new, number));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Change as Rewritten, Edit};

    fn span(start: usize, end: usize) -> Span {
        Span { file: FileId(0), start, end }
    }

    /// A finding at `at` that replaces these.
    fn finding(at: usize, edits: &[(usize, usize, &str)], parts: &[usize]) -> Judged {
        let edits = edits
            .iter()
            .map(|&(start, end, text)| Edit { span: span(start, end), text: text.into() });
        let change = Rewritten { edits: edits.collect(), ..Rewritten::default() };
        let finding = Finding {
            assumed: Vec::new(),
            site: span(at, at + 1),
            function: "MPI_Send".into(),
            buffer: "b".into(),
            outcome: Ok(change),
            tests: Vec::new(),
        };
        (finding, parts.iter().map(|&at| (span(at, at + 1), span(at, at))).collect())
    }

    fn stays(findings: &[Judged]) -> Vec<bool> {
        findings.iter().map(|(finding, _)| finding.outcome.is_err()).collect()
    }

    #[test]
    fn the_later_of_two_that_meet_stays() {
        let mut findings = [
            finding(10, &[(0, 5, ""), (10, 12, "x")], &[10]),
            finding(20, &[(3, 7, ""), (20, 22, "y")], &[20]),
            finding(30, &[(0, 5, ""), (30, 32, "z")], &[30]),
        ];
        settle(&mut findings);
        assert_eq!(stays(&findings), [false, true, false]);
        let refusal = findings[1].0.outcome.as_ref().expect_err("refused");
        assert_eq!((refusal.code, refusal.related[0].0), (Code::Text, span(10, 11)));
    }

    #[test]
    fn what_goes_together_stays_together() {
        let mut findings = [
            finding(10, &[(0, 5, "a")], &[10]),
            finding(20, &[(20, 22, "x"), (30, 32, "y")], &[20, 30]),
            finding(30, &[(20, 22, "x"), (30, 32, "y"), (4, 6, "")], &[30, 20]),
        ];
        settle(&mut findings);
        assert_eq!(stays(&findings), [false, true, true]);
    }

    #[test]
    fn edits_of_one_finding_do_not_meet() {
        let mut findings = [finding(10, &[(0, 5, "a"), (3, 6, "b")], &[10])];
        settle(&mut findings);
        assert_eq!(stays(&findings), [true]);
    }
}
