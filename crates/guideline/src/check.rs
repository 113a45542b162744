//! Whether a library got worse than it was.

use std::collections::BTreeMap;
use std::fmt::Write;

use commloom_measure::statistics::Ratio;

use crate::results::{Method, Mode, Operation, Results};
use crate::verdict::{self, Key, Study, Subject};

/// The differences between a baseline and now.
#[derive(Debug, Clone, Default)]
pub struct Check {
    /// Slower by more than the threshold, and the interval says so; the largest factor first.
    pub slower: Vec<Change>,
    /// Faster by as much, the largest factor first.
    pub faster: Vec<Change>,
    /// Measured in the baseline, and fails now.
    pub broken: Vec<Broken>,
    /// Series that both have times of.
    pub compared: usize,
    /// Of those, with too few launches for a verdict.
    pub untrusted: usize,
    /// Series that only the baseline has.
    pub missing: usize,
    /// Reasons to doubt the comparison: another machine, another setting.
    pub doubts: Vec<String>,
    /// From this factor on a change counts.
    pub threshold: f64,
}

/// One series, then and now.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Which library, now.
    pub library: String,
    /// The version of the baseline, where it is another one.
    pub before: Option<String>,
    /// Which series.
    pub series: String,
    /// Time now over time then.
    pub ratio: Ratio,
}

/// One series that has no times any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Which library, now.
    pub library: String,
    /// Which series.
    pub series: String,
    /// The error now.
    pub error: String,
}

/// The key of a series that is the same in every file.
type Name<'r> = (&'r str, Operation, Method, Mode);

/// Holds results against a baseline. A library is compared with the same kind in the baseline:
/// with the same version where that is there. Launches of two days have nothing in common, so that
/// they are not paired. Of series that did not change at most one in 32 is called slower, and only
/// of those whose launches scatter by more than the threshold.
#[must_use]
pub fn check(baseline: &Results, now: &Results, threshold: f64) -> Check {
    let mut check = Check { threshold, doubts: doubts(baseline, now), ..Check::default() };
    let (then, now) = (Study::of(&[baseline]), Study::of(&[now]));
    for subject in &now.subjects {
        let Some(before) = counterpart(subject, &then) else {
            let name = &subject.name;
            check
                .doubts
                .push(format!("the baseline has no {}: {name} is new", subject.run.library.kind));
            continue;
        };
        check.compare(before, subject);
    }
    for before in &then.subjects {
        if !now.subjects.iter().any(|s| s.run.library.kind == before.run.library.kind) {
            check.doubts.push(format!("{} of the baseline was not measured now", before.name));
        }
    }
    check.slower.sort_by(|a, b| b.ratio.estimate.total_cmp(&a.ratio.estimate));
    check.faster.sort_by(|a, b| a.ratio.estimate.total_cmp(&b.ratio.estimate));
    check
}

impl Check {
    /// Whether something got worse: the command's exit status is 1 then.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        !self.slower.is_empty() || !self.broken.is_empty()
    }

    fn compare(&mut self, before: &Subject<'_>, now: &Subject<'_>) {
        let index: BTreeMap<Name<'_>, Key> =
            now.times.keys().map(|key| (name(now, key), *key)).collect();
        let failing: BTreeMap<Name<'_>, &str> =
            now.failures.iter().map(|f| (name(now, &f.key), f.error.as_str())).collect();
        let versions = [before, now].map(|s| s.run.library.version.as_str());
        for (key, then) in &before.times {
            let name = name(before, key);
            let series = || {
                let packed = if key.method == Method::Packed { ", packed" } else { "" };
                format!(
                    "{}{packed}, {}, {}",
                    verdict::case_name(before.case(key)),
                    verdict::operation_name(key.operation),
                    verdict::mode_name(key.mode)
                )
            };
            let library = || now.name.clone();
            // Errors in the baseline are no news.
            let was_failing = before.failures.iter().any(|f| f.key == *key);
            if let Some(&error) = failing.get(&name).filter(|_| !was_failing) {
                let error = error.to_owned();
                self.broken.push(Broken { library: library(), series: series(), error });
                continue;
            }
            let timed = index.get(&name).and_then(|key| now.times.get(key));
            let Some(ratio) = timed.and_then(|now| Ratio::unpaired(&now.medians, &then.medians))
            else {
                self.missing += 1;
                continue;
            };
            self.compared += 1;
            self.untrusted += usize::from(!ratio.is_trusted());
            let before = (versions[0] != versions[1]).then(|| versions[0].to_owned());
            let change = || Change { library: library(), before, series: series(), ratio };
            if ratio.is_above(self.threshold) {
                self.slower.push(change());
            } else if ratio.is_below(1.0 / self.threshold) {
                self.faster.push(change());
            }
        }
    }

    /// The answer for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for doubt in &self.doubts {
            let _ = writeln!(out, "note: {doubt}");
        }
        for broken in &self.broken {
            let _ =
                writeln!(out, "fails now: {}: {}: {}", broken.library, broken.series, broken.error);
        }
        for (word, changes) in [("slower", &self.slower), ("faster", &self.faster)] {
            for Change { library, before, series, ratio } in changes {
                let before = before.as_ref().map_or(String::new(), |b| format!(" (before: {b})"));
                let factor = verdict::factor(ratio);
                let _ =
                    writeln!(out, "{word}: {library}{before}: {series}: {factor} times the time");
            }
        }
        let _ = writeln!(
            out,
            "{} series compared at a threshold of {:.2}: {} slower, {} faster, {} fail now, {} not \
             measured now",
            self.compared,
            self.threshold,
            self.slower.len(),
            self.faster.len(),
            self.broken.len(),
            self.missing
        );
        if self.untrusted > 0 {
            let _ = writeln!(
                out,
                "{} of them have too few launches for a verdict: take at least 4 in both files \
                 (--runs)",
                self.untrusted
            );
        }
        out
    }
}

fn counterpart<'s, 'r>(now: &Subject<'_>, then: &'s Study<'r>) -> Option<&'s Subject<'r>> {
    let same_kind = || then.subjects.iter().filter(|s| s.run.library.kind == now.run.library.kind);
    let version = &now.run.library.version;
    same_kind().find(|s| s.run.library.version == *version).or_else(|| same_kind().next())
}

fn name<'r>(subject: &Subject<'r>, key: &Key) -> Name<'r> {
    (subject.case(key).id.as_str(), key.operation, key.method, key.mode)
}

fn doubts(baseline: &Results, now: &Results) -> Vec<String> {
    let (then, here) = (&baseline.environment, &now.environment);
    let governor = |e: &crate::results::Environment| e.governor.clone().unwrap_or_default();
    let mut doubts: Vec<String> = [
        ("host", then.host.clone(), here.host.clone()),
        ("processor", then.cpu.clone(), here.cpu.clone()),
        ("number of cores", then.cores.to_string(), here.cores.to_string()),
        ("frequency governor", governor(then), governor(here)),
        ("pinning", then.pinning.clone(), here.pinning.clone()),
    ]
    .into_iter()
    .filter(|(_, then, here)| then != here)
    .map(|(what, then, here)| format!("the {what} differs: {then:?} in the baseline, {here:?} now"))
    .collect();
    for (results, words) in [(baseline, "the baseline"), (now, "this campaign")] {
        if !results.complete {
            doubts.push(format!("{words} is not complete"));
        }
    }
    doubts
}
