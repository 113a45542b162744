//! `--explain FILE:LINE`

use std::io::Write;

use commloom_refactor::check::{Finding, Project};

use crate::failure::Failure;

use super::words;

/// Shows how the loops of the calls on a line become datatypes, or why they do not.
pub fn show(project: &Project, findings: &[Finding], site: &str) -> Result<(), Failure> {
    let wrong = || Failure::message(format!("'{site}' is no FILE:LINE, as in halo.c:40"));
    let (name, line) = site.rsplit_once(':').ok_or_else(wrong)?;
    let line: usize = line.parse().map_err(|_| wrong())?;
    let here = |finding: &&Finding| {
        let site = finding.site;
        let line_of = |offset| project.line_column(site.file, offset).map_or(0, |(line, _)| line);
        project.source(site.file).is_some_and(|source| source.name.ends_with(name))
            && (line_of(site.start)..=line_of(site.end)).contains(&line)
    };
    let mut out = std::io::stdout().lock();
    let mut found = false;
    for finding in findings.iter().filter(here) {
        found = true;
        writeln!(out, "{}", words::line(project, finding))?;
        match &finding.outcome {
            Ok(change) => {
                for step in change.steps.iter().chain(&change.notes) {
                    writeln!(out, "    {step}")?;
                }
            }
            Err(refusal) => write!(out, "{}", words::details(project, refusal))?,
        }
    }
    if found {
        Ok(())
    } else {
        Err(Failure::message(format!("no call with a packed buffer stands at {site}")))
    }
}
