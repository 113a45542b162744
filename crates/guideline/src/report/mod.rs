//! Reports of one or several results files: for a terminal, as one web page, as pictures.
//!
//! ```text
//! results ─► Study, judgements, findings ─┬─ terminal ─► text
//!                                         ├─ chart, heat, drawn ─┬─► SVG ─ png ─► PNG
//!                                         └──────────────── html ┴─► one web page
//! ```

mod chart;
mod heat;
mod html;
#[cfg(not(feature = "png"))]
mod no_png;
mod plots;
#[cfg(feature = "png")]
mod png;
mod terminal;

#[cfg(not(feature = "png"))]
pub use no_png::{NoPng as PngError, NoRasterizer as Rasterizer};
pub use plots::Plot;
#[cfg(feature = "png")]
pub use png::{PngError, Rasterizer};

use std::collections::BTreeSet;

use crate::results::Results;
use crate::verdict::{self, Finding, Judgement, Key, Study, Verdict};

/// Everything that a report says, computed once.
#[derive(Debug, Clone)]
pub struct Report<'r> {
    /// Libraries and their times.
    pub study: Study<'r>,
    /// All judgements, the largest factor first.
    pub judgements: Vec<Judgement>,
    /// The paper's expectations, each judged.
    pub findings: Vec<Finding>,
}

impl<'r> Report<'r> {
    /// Of these files, with the threshold of the first one.
    #[must_use]
    pub fn of(files: &[&'r Results]) -> Report<'r> {
        Report::of_study(Study::of(files))
    }

    /// The same with another threshold, a factor of at least 1.
    #[must_use]
    pub fn with_threshold(files: &[&'r Results], threshold: f64) -> Report<'r> {
        Report::of_study(Study { threshold, ..Study::of(files) })
    }

    fn of_study(study: Study<'r>) -> Report<'r> {
        let (judgements, findings) = (verdict::judge(&study), verdict::examine(&study));
        Report { study, judgements, findings }
    }

    /// The certain violations, the largest factor first.
    pub fn violations(&self) -> impl Iterator<Item = &Judgement> {
        self.with(Verdict::Violated)
    }

    fn with(&self, verdict: Verdict) -> impl Iterator<Item = &Judgement> {
        self.judgements.iter().filter(move |j| j.verdict(self.study.threshold) == verdict)
    }

    /// For each library the series that certainly violate a guideline.
    fn bad_series(&self) -> Vec<BTreeSet<Key>> {
        let mut bad = vec![BTreeSet::new(); self.study.subjects.len()];
        for judgement in self.violations() {
            bad[judgement.subject].insert(judgement.key);
        }
        bad
    }

    /// For a terminal, with or without colours.
    #[must_use]
    pub fn terminal(&self, colours: bool) -> String {
        let text = commloom_guard::shown(&terminal::text(self), colours).into_owned();
        if colours {
            return text;
        }
        // Without colours nothing shows that a line goes on.
        text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// One web page that needs nothing else. It is well-formed XML too.
    #[must_use]
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// Every chart and heat map as a picture of its own.
    #[must_use]
    pub fn plots(&self) -> Vec<Plot> {
        plots::plots(self)
    }
}
