//! `--explain FILE:LINE`: loop -> copies -> each pass -> datatype, with a picture.

mod json;
mod lines;
mod picture;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use commloom_refactor::check::{self, Finding, Options, Project};
use commloom_refactor::explain::Explanation;
use commloom_refactor::source::{FileId, Span};
use serde_json::Value;

use super::cost::Prices;
use super::notes::Notes;
use crate::failure::Failure;
use crate::terminal;

/// Sizes that are drawn; the best to look at are shown.
const DRAWS: u32 = 48;

/// How to show it.
pub struct Manner<'a> {
    /// As JSON.
    pub json: bool,
    /// A file for the picture.
    pub svg: Option<&'a Path>,
}

/// How costs are found out.
pub struct Costs<'a> {
    /// The models.
    pub prices: &'a Prices,
    /// With which libraries to measure; none if nothing is to be measured.
    pub bench: Option<&'a [String]>,
}

/// One call.
struct Site<'a> {
    project: &'a Project,
    finding: &'a Finding,
    explanation: &'a Explanation,
    /// For how many sizes loops and datatype were compared.
    rounds: u32,
    /// Its cost, as lines and for scripts.
    cost: (String, Value),
}

/// Shows how the loops of the calls on a line become datatypes, or why they do not.
pub fn show(
    project: &Project,
    options: &Options,
    site: &str,
    manner: &Manner<'_>,
    costs: &Costs<'_>,
) -> Result<(), Failure> {
    let lines = places(project, site)?;
    let mut found: Vec<(Finding, Explanation)> =
        lines.iter().flat_map(|line| check::explain(project, options, *line, DRAWS)).collect();
    found.sort_by_key(|(finding, _)| (finding.site.file, finding.site.start));
    if found.is_empty() {
        return Err(Failure::message(nothing(project, options, site, &lines)));
    }
    let rounds = options.rounds;
    let findings = found.iter().map(|(finding, _)| finding);
    let warnings = super::words::sentences(&options.assume, findings.clone());
    terminal::tell(format_args!("{warnings}"));
    let notes = Notes::new(findings, costs.prices, costs.bench)?;
    let sites: Vec<Site<'_>> = found
        .iter()
        .enumerate()
        .map(|(number, (finding, explanation))| {
            let cost = (notes.lines(number), notes.json(number));
            Site { project, finding, explanation, rounds, cost }
        })
        .collect();
    if let Some(file) = manner.svg {
        draw(&sites, file)?;
    }
    if manner.json {
        writeln!(terminal::json(), "{}", json::sites(&sites))?;
    } else {
        let colours = crate::cmd::takes_colours(&std::io::stdout());
        let mut out = terminal::text(colours);
        for (number, site) in sites.iter().enumerate() {
            let between = if number > 0 { "\n" } else { "" };
            write!(out, "{between}{}", text::site(site, colours))?;
        }
    }
    Ok(())
}

/// The lines that `halo.c:40` may mean, one for each file whose name ends like it.
fn places(project: &Project, site: &str) -> Result<Vec<Span>, Failure> {
    let wrong = || Failure::message(format!("'{site}' is no FILE:LINE, as in halo.c:40"));
    let (name, line) = site.rsplit_once(':').ok_or_else(wrong)?;
    let line: usize = line.parse().map_err(|_| wrong())?;
    let number = line.checked_sub(1).ok_or_else(wrong)?;
    let of_name = |file: &str| {
        file == name || file.strip_suffix(name).is_some_and(|before| before.ends_with('/'))
    };
    let files = (0_u32..).zip(project.sources()).filter(|(_, source)| of_name(&source.name));
    let spans = files.filter_map(|(file, source)| {
        let mut start = 0;
        let mut lines = source.text.split_inclusive('\n');
        for _ in 0..number {
            start += lines.next()?.len();
        }
        Some(Span { file: FileId(file), start, end: start + lines.next()?.len() })
    });
    Ok(spans.collect())
}

/// That nothing is there, and where something would be.
fn nothing(project: &Project, options: &Options, site: &str, lines: &[Span]) -> String {
    let mut text = format!("no call with a packed buffer stands at {site}");
    let others: Vec<String> = check::check(project, options)
        .iter()
        .filter(|finding| lines.iter().any(|line| line.file == finding.site.file))
        .map(|finding| super::words::place(project, finding.site))
        .collect();
    if !others.is_empty() {
        text.push_str(&format!("; there are some at {}", others.join(", ")));
    }
    text
}

/// The picture of each call: `halo.svg`, `halo-2.svg`.
fn draw(sites: &[Site<'_>], file: &Path) -> Result<(), Failure> {
    let pictures: Vec<String> = sites.iter().filter_map(picture::svg).collect();
    if pictures.is_empty() {
        return Err(Failure::message("there is no picture of what does not become a datatype"));
    }
    for (number, picture) in pictures.iter().enumerate() {
        let file = if number == 0 { file.to_owned() } else { numbered(file, number + 1) };
        crate::files::write(&file, picture)?;
    }
    Ok(())
}

fn numbered(file: &Path, number: usize) -> PathBuf {
    let part =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    file.with_file_name(format!("{}-{number}.{}", part(file.file_stem()), part(file.extension())))
}
