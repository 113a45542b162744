//! The book and the pages beside it: all of them can be reached, and every link leads somewhere,
//! in the sources and where `scripts/install` puts them. What the pages say of commands is tested
//! where these are built (`crates/cli/tests/book.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the root of the workspace")
}

fn read(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The lines that a command prints in the root of the workspace.
fn lines(command: &str, arguments: &[&str]) -> Vec<String> {
    let output = Command::new(command).args(arguments).current_dir(root()).output();
    let output = output.unwrap_or_else(|error| panic!("{command}: {error}"));
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Files of the sources by these patterns: a path, a folder, or a beginning and an end with `*`
/// between. The tree is walked, because a copy may have no git.
fn files(patterns: &[&str]) -> Vec<String> {
    let fits = |file: &str, pattern: &str| match pattern.split_once('*') {
        Some((start, end)) => file.starts_with(start) && file.ends_with(end),
        None => {
            file.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
    };
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_made = name.starts_with('.') || name.starts_with("target");
            if is_made || (folder == "fuzz/" && ["artifacts", "corpus"].contains(&name.as_str())) {
                continue;
            }
            let path = format!("{folder}{name}");
            match entry.file_type().expect("a kind").is_dir() {
                true => folders.push(path + "/"),
                false if patterns.iter().any(|pattern| fits(&path, pattern)) => found.push(path),
                false => {}
            }
        }
    }
    assert!(!found.is_empty(), "{patterns:?}");
    found.sort();
    found
}

/// A page with empty lines in the place of its fenced blocks.
fn without_blocks(text: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut prose = String::new();
    for line in text.lines() {
        let start = line.trim_start();
        let marks = &start[..start.len() - start.trim_start_matches('`').len()];
        match fence {
            Some(open) if marks.len() >= open.len() => fence = None,
            None if marks.len() >= 3 => fence = Some(marks),
            None => prose.push_str(line),
            Some(_) => {}
        }
        prose.push('\n');
    }
    prose
}

/// A page without what only shows how something looks: fenced blocks, and code in a line.
fn prose(text: &str) -> String {
    let text = without_blocks(text);
    let parts = text.split('`').enumerate();
    parts.map(|(number, part)| if number % 2 == 0 { part } else { "code" }).collect()
}

/// Targets of the links and pictures of a page.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let after = prose.split("](").skip(1);
    after.filter_map(|rest| Some(rest.split_once(')')?.0.trim().to_owned())).collect()
}

/// The anchors of a page, as GitHub and mdBook make them of headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    let mut in_block = false;
    for line in text.lines() {
        in_block ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        if in_block || level == 0 || level > 6 || !title.starts_with(' ') {
            continue;
        }
        let letters = title.trim().chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
            _ => None,
        });
        let anchor: String = letters.collect();
        let times = seen.entry(anchor.clone()).or_default();
        found.insert(if *times == 0 { anchor } else { format!("{anchor}-{times}") });
        *times += 1;
    }
    found
}

fn is_elsewhere(link: &str) -> bool {
    link.contains("://") || link.starts_with("mailto:")
}

/// The file that a relative link of a page names, from the root, and its anchor.
fn target(page: &str, link: &str) -> (String, Option<String>) {
    let (file, anchor) = match link.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor.to_owned())),
        None => (link, None),
    };
    if file.is_empty() {
        return (page.to_owned(), anchor);
    }
    let mut parts: Vec<String> = Vec::new();
    for part in Path::new(page).parent().expect("a folder").join(file).components() {
        match part {
            Component::ParentDir => {
                parts.pop().unwrap_or_else(|| panic!("{page}: {link} leaves the sources"));
            }
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    (parts.join("/"), anchor)
}

const BOOK: &str = "book/src/";

#[test]
fn the_summary_names_every_page_once() {
    let summary = format!("{BOOK}SUMMARY.md");
    let mut named: Vec<String> =
        links(&read(&summary)).iter().map(|link| target(&summary, link).0).collect();
    let number = named.len();
    named.sort();
    named.dedup();
    assert_eq!(named.len(), number, "a page stands in {summary} twice");
    let pages = files(&["book/src/*.md"]).into_iter().filter(|page| *page != summary);
    let pages: BTreeSet<String> = pages.collect();
    assert!(pages.len() > 30, "{pages:?}");
    // mdBook makes such a page the index of its folder, and leaves links to it as they are.
    assert!(!pages.iter().any(|page| page.ends_with("README.md")), "{pages:?}");
    assert_eq!(named.into_iter().collect::<BTreeSet<_>>(), pages, "{summary} and the pages");
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for page in files(&["*.md"]) {
        let text = read(&page);
        for link in links(&text).into_iter().filter(|link| !is_elsewhere(link)) {
            checked += 1;
            let (file, anchor) = target(&page, &link);
            if !root().join(&file).exists() {
                wrong.push(format!("{page}: {link}: there is no {file}"));
                continue;
            }
            let is_page = Path::new(&file).extension().is_some_and(|e| e == "md");
            if anchor.is_some_and(|a| is_page && !anchors(&read(&file)).contains(&a)) {
                wrong.push(format!("{page}: {link}: no such heading"));
            }
            // mdBook takes what lies outside of the book for a page of it.
            if page.starts_with(BOOK) && !file.starts_with(BOOK) {
                wrong.push(format!("{page}: {link} leaves the book"));
            }
        }
    }
    assert!(checked > 100, "{checked}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The list is the one that the script uses, expanded by the same shell.
#[test]
fn installed_pages_link_to_installed_files_only() {
    let script = read("scripts/install");
    let list = script.split("\ndocuments=(").nth(1).and_then(|rest| rest.split(')').next());
    let list = list.expect("a list of documents").replace('\n', " ");
    let expand = format!("shopt -s globstar nullglob; printf '%s\\n' {list}");
    let installed: BTreeSet<String> = lines("bash", &["-c", &expand]).into_iter().collect();
    for needed in
        ["README.md", "LICENSE-MIT", "book/src/SUMMARY.md", "book/src/reference/costs/papers.toml"]
    {
        assert!(installed.contains(needed), "{needed}: {installed:?}");
    }
    let mut dead = Vec::new();
    for page in
        installed.iter().filter(|page| Path::new(page).extension().is_some_and(|e| e == "md"))
    {
        for link in links(&read(page)).into_iter().filter(|link| !is_elsewhere(link)) {
            let (file, _) = target(page, &link);
            if !installed.contains(&file) {
                dead.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(dead.is_empty(), "not installed: {dead:#?}");
}

/// Sources, scripts and make's targets name pages of the book by their paths.
#[test]
fn pages_that_sources_name_are_there() {
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let mut missing = Vec::new();
    let mut named = 0;
    for file in files(&["crates", "scripts", "Makefile", "fuzz", "*.md"]) {
        // Samples and the like are no text.
        let Ok(text) = std::fs::read_to_string(root().join(&file)) else { continue };
        for (at, _) in text.match_indices(BOOK) {
            let path: String = text[at..].chars().take_while(|&c| is_of_path(c)).collect();
            let path = path.trim_end_matches(['.', '/']);
            named += 1;
            if !path.contains('*') && !root().join(path).exists() {
                missing.push(format!("{file}: {path}"));
            }
        }
    }
    assert!(named > 50, "{named}");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Rows of tables: a line between bars.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"))
}

#[test]
fn results_quote_the_full_tables() {
    let tables: Vec<String> = files(&["book/src/tables/*.md"]).iter().map(|t| read(t)).collect();
    let measured: BTreeSet<&str> = tables.iter().flat_map(|table| table.lines()).collect();
    for page in files(&["book/src/results/*.md"]) {
        let text = read(&page);
        let is_data = |row: &&str| row.chars().any(|c| c.is_ascii_digit()) && !row.contains("](");
        let wrong: Vec<_> = rows(&text).filter(is_data).filter(|r| !measured.contains(r)).collect();
        assert!(wrong.is_empty(), "{page}: not in a full table: {wrong:#?}");
        assert!(text.lines().count() <= 60, "{page} is longer than a screen");
    }
}

/// Every function of the walk is where the page says, and none is passed twice.
#[test]
fn the_walk_of_a_send_is_that_of_the_sources() {
    let page = read("book/src/explanation/send.md");
    let mut passed = BTreeSet::new();
    for row in rows(&page).filter(|row| row.contains("`crates/")) {
        let mut cells = row.split('`').skip(1).step_by(2);
        let (name, file) = (cells.next().expect("a function"), cells.next().expect("a file"));
        assert!(passed.insert((name, file)), "{name} is passed twice");
        let function = name.rsplit("::").next().expect("a name");
        let source = read(file);
        let is_there = ["(", "<"].iter().any(|end| source.contains(&format!("fn {function}{end}")));
        assert!(is_there, "{name} is not in {file}");
        if let Some((kind, _)) = name.split_once("::") {
            assert!(source.contains(kind), "{kind} is not in {file}");
        }
    }
    assert!(passed.len() > 30, "{passed:?}");
}

#[test]
fn the_c_interface_has_all_functions_of_the_header() {
    let page = read("book/src/reference/c-interface.md");
    let header = read("crates/capi/include/commloom.h");
    let names = header.lines().filter_map(|line| {
        let start = line.split_once(" cDAG_").or(line.split_once(" *cDAG_"))?.1;
        (!line.starts_with([' ', '#', '*'])).then(|| start.split_once('(').map(|(name, _)| name))?
    });
    let names: BTreeSet<&str> = names.collect();
    assert!(names.len() >= 18, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("| `cDAG_{name}(")), "cDAG_{name} is missing");
    }
}

#[test]
fn every_refusal_code_is_explained() {
    let page = read("book/src/reference/refusal-codes.md");
    let mut codes = BTreeSet::new();
    for file in files(&["crates/*.rs"]).into_iter().filter(|file| file.contains("/src/")) {
        let text = read(&file);
        for rest in text.split("=> \"E-").skip(1) {
            codes.insert(format!("E-{}", rest.split('"').next().expect("a code")));
        }
    }
    assert!(codes.len() > 20, "{codes:?}");
    for code in codes {
        assert!(page.contains(&format!("`{code}`")), "{code} is not on the page");
    }
}

/// Tables and code may be wider; tables of measurements are made by programs.
#[test]
fn lines_of_prose_end_before_column_100() {
    let mut wide = Vec::new();
    let root = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
    let root = root.map(str::to_owned);
    let pages = files(&["book/src/*.md"]).into_iter().chain(root);
    for page in pages.filter(|page| !page.starts_with("book/src/tables/")) {
        for (number, line) in without_blocks(&read(&page)).lines().enumerate() {
            let is_prose = !line.starts_with(['|', '!']) && !line.starts_with("    ");
            if is_prose && line.chars().count() >= 100 {
                wide.push(format!("{page}:{}", number + 1));
            }
        }
    }
    assert!(wide.is_empty(), "{wide:#?}");
}
