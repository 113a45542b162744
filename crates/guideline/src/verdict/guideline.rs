//! The performance guidelines, and where they are violated.

use commloom_measure::statistics::{Medians, Ratio, against_best};

use crate::results::{Case, Method, Mode, Role};

use super::{Key, Study, Subject};

/// A performance guideline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guideline {
    /// GL1 of section 3: `MPI_X(c, t) ≃ MPI_X(1, contig(c, t))`. Both directions are judged.
    Gl1,
    /// GL2 and GL3: `MPI_X(c, t) ⪯ MPI_X(1, packed(c, t))` and packing or unpacking. Every
    /// operation here has senders and receivers, so that both are judged at once.
    Gl23,
    /// GL4: `MPI_X(c, t) ⪯ MPI_X(c, normal(t))`, where the normal form is the best description
    /// that was measured.
    Gl4,
    /// GL4, where it is commloom's normal form.
    Gl4Normal,
    /// Not of the paper: under commloom no slower than with the library alone.
    Commloom,
}

impl Guideline {
    /// All of them, in the order of the paper.
    pub const ALL: [Guideline; 5] = [
        Guideline::Gl1,
        Guideline::Gl23,
        Guideline::Gl4,
        Guideline::Gl4Normal,
        Guideline::Commloom,
    ];

    /// A name for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Guideline::Gl1 => "GL1",
            Guideline::Gl23 => "GL2, GL3",
            Guideline::Gl4 => "GL4",
            Guideline::Gl4Normal => "GL4, normal form",
            Guideline::Commloom => "slower under commloom",
        }
    }

    /// Its requirement, as a sentence.
    #[must_use]
    pub fn statement(self) -> &'static str {
        match self {
            Guideline::Gl1 => {
                "An operation has similar latency for c elements of type t and for one contiguous \
                 type of c elements of t."
            }
            Guideline::Gl23 => {
                "An operation is at least as fast with a datatype as with MPI_Pack before and \
                 MPI_Unpack after it."
            }
            Guideline::Gl4 => {
                "A description is no slower than the best description of the same layout: \
                 MPI_Type_commit should find that one."
            }
            Guideline::Gl4Normal => {
                "A description is no slower than commloom's normal form of the layout, given to \
                 the same library."
            }
            Guideline::Commloom => {
                "An operation is no slower under commloom than with the library alone."
            }
        }
    }

    /// Where it is stated.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Guideline::Gl1 => "section 3, GL1; MPI standard, section 4.1.11",
            Guideline::Gl23 => "section 3, GL2 and GL3",
            Guideline::Gl4 | Guideline::Gl4Normal => "section 3, GL4",
            Guideline::Commloom => "not of the paper",
        }
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// Index into the cases.
    pub case: usize,
    /// How it was communicated.
    pub method: Method,
    /// Under what.
    pub mode: Mode,
}

/// One case held against a guideline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// Index of the library.
    pub subject: usize,
    /// Which guideline.
    pub guideline: Guideline,
    /// The series that should not be slower.
    pub key: Key,
    /// The side that it is compared with. Of [`Guideline::Gl4`]: the one with the least median
    /// over all launches.
    pub rival: Side,
    /// Time of the case over time of the rival.
    pub ratio: Ratio,
}

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The whole interval is above the threshold.
    Violated,
    /// The estimate is, the interval is not, or there are too few launches.
    Suspected,
    /// Neither.
    Kept,
}

impl Judgement {
    /// At this threshold, a factor of at least 1.
    #[must_use]
    pub fn verdict(&self, threshold: f64) -> Verdict {
        match () {
            () if self.ratio.is_above(threshold) => Verdict::Violated,
            () if self.ratio.estimate > threshold => Verdict::Suspected,
            () => Verdict::Kept,
        }
    }
}

/// Holds every case of every library against every guideline; the largest factors come first.
#[must_use]
pub fn judge(study: &Study<'_>) -> Vec<Judgement> {
    let mut all = Vec::new();
    for (index, subject) in study.subjects.iter().enumerate() {
        let judge = Judge { index, subject };
        judge.gl1(&mut all);
        judge.gl23(&mut all);
        judge.gl4(&mut all);
        judge.commloom(&mut all);
    }
    all.sort_by(|a, b| b.ratio.estimate.total_cmp(&a.ratio.estimate));
    all
}

/// One library at the bar.
struct Judge<'s, 'r> {
    index: usize,
    subject: &'s Subject<'r>,
}

impl Judge<'_, '_> {
    fn medians(&self, key: &Key) -> Option<&Medians> {
        Some(&self.subject.times.get(key)?.medians)
    }

    /// One series against another, launch by launch. A rival that was not measured in the same
    /// mode is taken as the library alone handles it.
    fn pair(&self, guideline: Guideline, key: Key, rival: Key) -> Option<Judgement> {
        let native = Key { mode: Mode::Native, ..rival };
        let (rival, other) =
            [rival, native].into_iter().find_map(|k| Some((k, self.medians(&k)?)))?;
        let ratio = Ratio::paired(self.medians(&key)?, other)?;
        let rival = Side { case: rival.case, method: rival.method, mode: rival.mode };
        Some(Judgement { subject: self.index, guideline, key, rival, ratio })
    }

    /// Series where the datatype is given to the operation.
    fn typed(&self) -> impl Iterator<Item = Key> {
        self.subject.times.keys().copied().filter(|key| key.method == Method::Typed)
    }

    /// Expectation test 4 has both sides, each in the group of the other.
    fn gl1(&self, all: &mut Vec<Judgement>) {
        let groups = self.subject.groups();
        let is = |role| move |case: &Case| case.role == role && case.tests.contains(&4);
        for key in self.typed() {
            let case = self.subject.case(&key);
            let other = match case.role {
                Role::Reference => Role::Description,
                Role::Description => Role::Reference,
                Role::Contiguous | Role::NormalForm => continue,
            };
            if !case.tests.contains(&4) {
                continue;
            }
            for &rival in groups.get(case.group.as_str()).into_iter().flatten() {
                if is(other)(&self.subject.run.cases[rival]) {
                    all.extend(self.pair(Guideline::Gl1, key, Key { case: rival, ..key }));
                }
            }
        }
    }

    fn gl23(&self, all: &mut Vec<Judgement>) {
        for key in self.typed() {
            let rival = Key { method: Method::Packed, ..key };
            if self.subject.times.contains_key(&rival) {
                all.extend(self.pair(Guideline::Gl23, key, rival));
            }
        }
    }

    fn gl4(&self, all: &mut Vec<Judgement>) {
        let groups = self.subject.groups();
        for key in self.typed() {
            let case = self.subject.case(&key);
            if !matches!(case.role, Role::Reference | Role::Description) {
                continue;
            }
            let group = groups.get(case.group.as_str()).map_or(&[][..], Vec::as_slice);
            let with = |wanted: fn(Role) -> bool| {
                let is = move |&&k: &&usize| wanted(self.subject.run.cases[k].role);
                group.iter().filter(is).map(|&case| Key { case, ..key })
            };
            let described = with(|role| matches!(role, Role::Reference | Role::Description));
            all.extend(self.best(key, &described.collect::<Vec<_>>()));
            for rival in with(|role| role == Role::NormalForm) {
                all.extend(self.pair(Guideline::Gl4Normal, key, rival));
            }
        }
    }

    /// Against the best of these, of which it is one.
    fn best(&self, key: Key, described: &[Key]) -> Option<Judgement> {
        let measured: Vec<(Key, &Medians)> =
            described.iter().filter_map(|k| Some((*k, self.medians(k)?))).collect();
        if measured.len() < 2 {
            return None;
        }
        let of = measured.iter().position(|(k, _)| *k == key)?;
        let all: Vec<&Medians> = measured.iter().map(|(_, medians)| *medians).collect();
        let ratio = against_best(of, &all)?;
        let median = |k: &Key| self.subject.times.get(k).map_or(f64::NAN, |t| t.summary.median);
        let (best, _) = measured.iter().min_by(|a, b| median(&a.0).total_cmp(&median(&b.0)))?;
        let rival = Side { case: best.case, method: best.method, mode: best.mode };
        Some(Judgement { subject: self.index, guideline: Guideline::Gl4, key, rival, ratio })
    }

    fn commloom(&self, all: &mut Vec<Judgement>) {
        for key in self.subject.times.keys().copied().filter(|key| key.mode == Mode::Commloom) {
            let rival = Key { mode: Mode::Native, ..key };
            all.extend(self.pair(Guideline::Commloom, key, rival));
        }
    }
}
