//! Costs and measured times of each site, beside the findings.

use commloom_refactor::check::Finding;
use commloom_refactor::verify::Sample;
use serde_json::Value;

use super::bench::{self, Measured};
use super::cost::{Cost, Prices};
use crate::failure::Failure;

/// All sites, in the order of the findings.
#[derive(Default)]
pub struct Notes<'f> {
    all: Vec<Option<Note<'f>>>,
    measured: Vec<Measured>,
}

struct Note<'f> {
    sample: &'f Sample,
    cost: Option<Cost<'f>>,
    /// Which of those that were measured it is: several calls may send the same.
    measured: Option<usize>,
}

impl<'f> Notes<'f> {
    /// The costs of the changes; measured with some libraries if that is asked for (with none
    /// named: all that are found).
    ///
    /// # Errors
    /// It was asked for and cannot be measured.
    pub fn new(
        findings: impl IntoIterator<Item = &'f Finding>,
        prices: &Prices,
        libraries: Option<&[String]>,
    ) -> Result<Notes<'f>, Failure> {
        let mut samples: Vec<&Sample> = Vec::new();
        let mut all: Vec<Option<Note<'f>>> = Vec::new();
        for finding in findings {
            let sample = finding.outcome.as_ref().ok().and_then(|change| change.sample.as_ref());
            all.push(sample.map(|sample| {
                let known = samples.iter().position(|known| *known == sample);
                let number = known.unwrap_or_else(|| {
                    samples.push(sample);
                    samples.len() - 1
                });
                let measured = libraries.map(|_| number);
                Note { sample, cost: prices.of(sample), measured }
            }));
        }
        let measured = match libraries {
            Some(libraries) if !samples.is_empty() => bench::measure(&samples, libraries)?,
            _ => Vec::new(),
        };
        Ok(Notes { all, measured })
    }

    /// Of the finding of this number: indented lines.
    pub fn lines(&self, number: usize) -> String {
        let Some(Some(note)) = self.all.get(number) else { return String::new() };
        let sentences = note.cost.iter().flat_map(|cost| cost.sentences(note.measured.is_none()));
        let mut text: String = sentences.map(|sentence| format!("    {sentence}\n")).collect();
        if let Some(measured) = note.measured.and_then(|number| self.measured.get(number)) {
            text.push_str(&bench::table(note.sample, measured));
        }
        text
    }

    /// The same for scripts; null where there is nothing.
    pub fn json(&self, number: usize) -> Value {
        let Some(Some(note)) = self.all.get(number) else { return Value::Null };
        let mut value = note.cost.as_ref().map_or(Value::Null, Cost::json);
        if let Some(measured) = note.measured.and_then(|number| self.measured.get(number)) {
            value["measured"] = bench::json(note.sample, measured);
        }
        value
    }
}
