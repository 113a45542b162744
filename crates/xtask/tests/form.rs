//! The form of the source: widths of lines, first words of doc comments, reasons of `SAFETY:`
//! comments, names of public types.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates and files that are not in this form yet. The list may only become shorter.
const UNFINISHED: &[&str] = &[
    // Generated: a line for each function.
    "mpi/src/prototypes.rs",
];

/// Phrases that send the reader elsewhere instead of giving the reason.
const NO_REASONS: &[&str] = &["passed on", "as above", "see above", "see there", "the same duties"];

/// Names that several public types have. The list may only become shorter.
const REPEATED_NAMES: &[&str] = &[
    "Abi",
    "Action",
    "Algorithm",
    "Allowed",
    "Args",
    "Band",
    "Buffer",
    "Call",
    "Case",
    "Cell",
    "Change",
    "Claim",
    "Code",
    "Collective",
    "Compiled",
    "Constructors",
    "Cost",
    "Costs",
    "Count",
    "Datatype",
    "Direction",
    "Engine",
    "Entry",
    "Environment",
    "Error",
    "Event",
    "Example",
    "Expected",
    "Failure",
    "Family",
    "Figure",
    "Finding",
    "Form",
    "Format",
    "Given",
    "Grid",
    "Group",
    "Handle",
    "Index",
    "Judged",
    "Key",
    "Kind",
    "Language",
    "Launch",
    "Launcher",
    "Layout",
    "Length",
    "Library",
    "Limits",
    "Manner",
    "Measured",
    "Member",
    "Memory",
    "Message",
    "Mode",
    "Named",
    "Names",
    "Node",
    "Oddity",
    "Operation",
    "Operator",
    "Options",
    "Order",
    "Origin",
    "Outcome",
    "Page",
    "Pair",
    "Parser",
    "Part",
    "Phase",
    "Piece",
    "Pieces",
    "Place",
    "Places",
    "Plan",
    "PlanError",
    "Plane",
    "Predicted",
    "Problem",
    "Processes",
    "Program",
    "Record",
    "Replace",
    "Replaced",
    "Report",
    "Request",
    "Rewrite",
    "Role",
    "Row",
    "Run",
    "Runs",
    "Sample",
    "Setting",
    "Shape",
    "Side",
    "Signature",
    "Site",
    "Source",
    "Spread",
    "Square",
    "Status",
    "Step",
    "Subject",
    "Summary",
    "Table",
    "TableError",
    "Task",
    "Threads",
    "Trace",
    "Turn",
    "Type",
    "Use",
    "Variable",
    "Version",
    "Watcher",
    "Writer",
];

/// A line ends before this column; code that rustfmt has laid out, at it.
const WIDTH: usize = 100;

/// Lines of a file, and of a function, outside of tests.
const FILE: usize = 500;
const FUNCTION: usize = 80;

struct SourceFile {
    /// From `crates/` on.
    name: String,
    text: String,
}

impl SourceFile {
    fn is_unfinished(&self) -> bool {
        UNFINISHED.iter().any(|place| Path::new(&self.name).starts_with(place))
    }
}

/// All source files, tests and examples among them.
fn sources() -> Vec<SourceFile> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    walk(&base, &mut found);
    found.sort();
    let file = |path: PathBuf| SourceFile {
        name: path.strip_prefix(&base).expect("below").to_string_lossy().into_owned(),
        text: std::fs::read_to_string(&path).expect("a file"),
    };
    found.into_iter().map(file).collect()
}

/// The places of the offences, one a line.
fn listed<'a>(offences: impl Iterator<Item = (&'a SourceFile, usize, String)>) -> String {
    let line = |(file, at, what): (&SourceFile, usize, String)| {
        format!("crates/{}:{}: {what}\n", file.name, at + 1)
    };
    offences.map(line).collect()
}

/// The text of a comment, without its slashes; `None` for code.
fn comment(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("//")?;
    Some(rest.strip_prefix(['/', '!']).unwrap_or(rest).trim_start())
}

/// The text of a doc comment.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or(line.strip_prefix("//!")).map(str::trim_start)
}

/// The comment that begins in a line, up to the next line of code or the next reason.
fn whole_comment(lines: &[&str], at: usize) -> String {
    let more = lines[at + 1..].iter().map_while(|line| comment(line));
    let more = more.take_while(|text| !text.starts_with("SAFETY"));
    let first = comment(lines[at]).unwrap_or_default();
    std::iter::once(first).chain(more).collect::<Vec<_>>().join(" ")
}

#[test]
fn lines_end_before_column_100() {
    let sources = sources();
    let checked = sources.iter().filter(|f| !f.is_unfinished());
    let offences = checked.flat_map(|file| {
        file.text.lines().enumerate().filter_map(move |(at, line)| {
            let width = line.chars().count();
            let most = WIDTH - usize::from(comment(line).is_some());
            (width > most).then(|| (file, at, format!("{width} columns")))
        })
    });
    let offences = listed(offences);
    assert!(offences.is_empty(), "{offences}");
}

/// Whether a file is built for others than tests: `src` but for modules of tests.
fn is_product(file: &SourceFile) -> bool {
    file.name.contains("/src/") && !file.name.ends_with("tests.rs")
}

/// The name of a function that begins in a line, and its indentation.
fn function(line: &str) -> Option<(&str, &str)> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let (before, rest) = line.trim_start().split_once("fn ")?;
    let is_head = before.split_whitespace().all(|word| {
        word.starts_with("pub") || ["unsafe", "const", "extern", "\"C\"", "in"].contains(&word)
    });
    let name = rest.split(['(', '<']).next()?;
    (is_head && !before.contains("//")).then_some((name, indent))
}

#[test]
fn files_have_500_lines_and_functions_80_at_most() {
    let sources = sources();
    let mut offences = Vec::new();
    for file in sources.iter().filter(|file| is_product(file)) {
        let lines: Vec<&str> = file.text.lines().collect();
        if lines.len() > FILE {
            offences.push((file, FILE, format!("{} lines", lines.len())));
        }
        let tests = lines.iter().position(|line| line.starts_with("#[cfg(test)]"));
        let code = &lines[..tests.unwrap_or(lines.len())];
        for (at, line) in code.iter().enumerate() {
            let Some((name, indent)) = function(line) else { continue };
            let (body, none) = (format!("{indent}}}"), format!("{indent}{{}}"));
            let ends = |line: &&str| line.starts_with(&body) || line.starts_with(&none);
            let declared = code[at..].iter().position(|line| line.ends_with(';'));
            let opened = code[at..].iter().position(|line| line.ends_with('{'));
            // Of a trait: declared, and no more.
            if declared < opened && declared.is_some() {
                continue;
            }
            let length = 1 + code[at..].iter().position(ends).unwrap_or(0);
            if length > FUNCTION {
                offences.push((file, at, format!("{name}: {length} lines")));
            }
        }
    }
    let offences = listed(offences.into_iter());
    assert!(offences.is_empty(), "{offences}");
}

#[test]
fn doc_comments_begin_with_the_noun() {
    let sources = sources();
    let offences = sources.iter().filter(|f| !f.is_unfinished()).flat_map(|file| {
        let lines: Vec<&str> = file.text.lines().collect();
        let begins = |at: usize| at == 0 || doc(lines[at - 1]).is_none_or(str::is_empty);
        let offences: Vec<_> = (0..lines.len())
            .filter(|&at| {
                doc(lines[at]).is_some_and(|text| text.starts_with("What ")) && begins(at)
            })
            .map(|at| (file, at, lines[at].trim().to_owned()))
            .collect();
        offences
    });
    let offences = listed(offences);
    assert!(offences.is_empty(), "{offences}");
}

#[test]
fn safety_comments_give_the_reason() {
    let sources = sources();
    let offences = sources.iter().flat_map(|file| {
        let lines: Vec<&str> = file.text.lines().collect();
        let offences: Vec<_> = (0..lines.len())
            .filter(|&at| {
                comment(lines[at]).is_some_and(|c| c.starts_with("SAFETY") || c == "# Safety")
            })
            .filter_map(|at| {
                let text = whole_comment(&lines, at);
                let reason = text.trim_start_matches("# Safety").trim_start_matches("SAFETY");
                let is_short = reason.split_whitespace().count() < 3;
                let elsewhere = NO_REASONS.iter().any(|phrase| reason.contains(phrase));
                (is_short || elsewhere).then_some((file, at, text))
            })
            .collect();
        offences
    });
    let offences = listed(offences);
    assert!(offences.is_empty(), "{offences}");
}

/// The name of the public type that a line declares, whatever its indentation.
fn public_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let kinds = ["struct ", "enum ", "trait ", "union ", "type "];
    let rest = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
    // Empty where a macro gives the name.
    name.filter(|name| !name.is_empty())
}

#[test]
fn public_types_have_names_of_their_own() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in sources().iter().filter(|f| f.name.contains("/src/")) {
        for name in file.text.lines().filter_map(public_type) {
            found.entry(name.to_owned()).or_default().push(file.name.clone());
        }
    }
    found.retain(|_, files| files.len() > 1);
    let listed: BTreeSet<&str> = REPEATED_NAMES.iter().copied().collect();
    let new: Vec<_> = found.iter().filter(|(name, _)| !listed.contains(name.as_str())).collect();
    assert!(new.is_empty(), "names that another public type has: {new:#?}");
    let gone: Vec<_> = listed.iter().filter(|name| !found.contains_key(**name)).collect();
    assert!(gone.is_empty(), "take them off the list: {gone:?}");
}

#[test]
fn papers_cite_the_version_that_is_built() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CITATION.cff");
    let citation = std::fs::read_to_string(path).unwrap();
    let version = citation.lines().find_map(|line| line.strip_prefix("version: "));
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")), "CITATION.cff, and Cargo.toml");
}
