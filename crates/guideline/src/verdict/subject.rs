//! The subjects of comparisons: libraries, and the times of their cases.

use std::collections::{BTreeMap, BTreeSet};

use commloom_measure::statistics::{Medians, Summary, median};

use crate::results::{Case, Method, Mode, Operation, Outcome, Results, Run};

/// Libraries of one or several results files, side by side.
#[derive(Debug, Clone)]
pub struct Study<'r> {
    /// In the order of the files.
    pub subjects: Vec<Subject<'r>>,
    /// The files.
    pub files: Vec<&'r Results>,
    /// From this factor on a guideline counts as violated.
    pub threshold: f64,
}

/// One library of one file.
#[derive(Debug, Clone)]
pub struct Subject<'r> {
    /// `MPICH 4.0.2`; where several have that, what tells them apart is added.
    pub name: String,
    /// Index of its file.
    pub file: usize,
    /// The run in the file.
    pub run: &'r Run,
    /// Series with at least one time.
    pub times: BTreeMap<Key, Timed>,
    /// Series without a time in some launch, by error.
    pub failures: Vec<Failure>,
}

/// The key of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The communication pattern.
    pub operation: Operation,
    /// Under what.
    pub mode: Mode,
    /// How.
    pub method: Method,
    /// Index into [`Run::cases`].
    pub case: usize,
}

/// The times of a series.
#[derive(Debug, Clone)]
pub struct Timed {
    /// Of each launch.
    pub medians: Medians,
    /// Of all launches.
    pub summary: Summary,
}

/// Launches of a series that ended in the same error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which series.
    pub key: Key,
    /// The error.
    pub error: String,
    /// Their numbers.
    pub launches: Vec<u32>,
}

impl<'r> Study<'r> {
    /// Of these files. The threshold is the first one's, where it is a factor.
    #[must_use]
    pub fn of(files: &[&'r Results]) -> Study<'r> {
        let given = files.first().map(|file| file.options.threshold);
        let mut study = Study {
            subjects: Vec::new(),
            files: files.to_vec(),
            threshold: given.filter(|t| *t >= 1.0).unwrap_or(1.1),
        };
        for (file, results) in files.iter().enumerate() {
            study.subjects.extend(results.runs.iter().map(|run| Subject::of(run, file)));
        }
        study.name_subjects();
        study
    }

    /// Adds to equal names what tells them apart: the machine, then the day, then the number of
    /// the file.
    fn name_subjects(&mut self) {
        type Mark = fn(&Results, usize) -> String;
        let marks: [Mark; 3] = [
            |results, _| results.environment.host.clone(),
            |results, _| results.date.get(..10).unwrap_or(&results.date).to_owned(),
            |_, file| format!("file {}", file + 1),
        ];
        for mark in marks {
            let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (k, subject) in self.subjects.iter().enumerate() {
                groups.entry(subject.name.clone()).or_default().push(k);
            }
            for members in groups.values().filter(|members| members.len() > 1) {
                let mark = |k: usize| {
                    let file = self.subjects[k].file;
                    mark(self.files[file], file)
                };
                let marked: Vec<String> = members.iter().map(|&k| mark(k)).collect();
                if marked.iter().collect::<BTreeSet<_>>().len() == 1 {
                    continue;
                }
                for (&k, mark) in members.iter().zip(marked) {
                    self.subjects[k].name += &format!(", {mark}");
                }
            }
        }
    }
}

impl<'r> Subject<'r> {
    fn of(run: &'r Run, file: usize) -> Subject<'r> {
        let mut subject = Subject {
            name: format!("{} {}", run.library.kind, run.library.version),
            file,
            run,
            times: BTreeMap::new(),
            failures: Vec::new(),
        };
        for series in &run.series {
            let &crate::results::Series { case, operation, method, mode, .. } = series;
            let key = Key { operation, mode, method, case };
            if case >= run.cases.len() {
                continue;
            }
            let mut medians = Medians::new();
            let mut errors: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
            for launch in &series.launches {
                match &launch.outcome {
                    Outcome::Measured { samples_us, .. } => {
                        if let Some(us) = median(samples_us.iter().copied()) {
                            medians.insert(launch.launch, us);
                        }
                    }
                    Outcome::Failed { error } => {
                        errors.entry(error).or_default().push(launch.launch);
                    }
                }
            }
            let failure =
                |(error, launches): (&str, _)| Failure { key, error: error.to_owned(), launches };
            subject.failures.extend(errors.into_iter().map(failure));
            if let Some(summary) = Summary::of(medians.values().copied()) {
                subject.times.insert(key, Timed { medians, summary });
            }
        }
        subject
    }

    /// The case of a key.
    ///
    /// # Panics
    /// Never for keys of this subject: their indices were compared with the cases.
    #[must_use]
    pub fn case(&self, key: &Key) -> &'r Case {
        &self.run.cases[key.case]
    }

    /// Modes that were measured.
    #[must_use]
    pub fn modes(&self) -> BTreeSet<Mode> {
        self.times.keys().map(|key| key.mode).collect()
    }

    /// Operations that were measured.
    #[must_use]
    pub fn operations(&self) -> BTreeSet<Operation> {
        self.times.keys().map(|key| key.operation).collect()
    }

    /// Indices of the cases by group.
    #[must_use]
    pub fn groups(&self) -> BTreeMap<&'r str, Vec<usize>> {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (k, case) in self.run.cases.iter().enumerate() {
            groups.entry(&case.group).or_default().push(k);
        }
        groups
    }
}
