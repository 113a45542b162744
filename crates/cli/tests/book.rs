//! The book is right about commands: blocks of `console` are run, the page of the command
//! line is what the help says, and manual pages have all sections.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages of the book but the full tables, and the first page.
fn pages() -> Vec<PathBuf> {
    let book = root().join("book/src");
    let mut found = vec![root().join("README.md")];
    let mut folders = vec![book.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path != book.join("tables") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 30, "{found:?}");
    found
}

/// A fenced block: the words behind its fence, and its lines.
struct Block<'t> {
    words: Vec<&'t str>,
    lines: Vec<&'t str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(words) if !is_open => {
                found.push(Block { words: words.split(',').collect(), lines: Vec::new() });
                is_open = true;
            }
            Some(_) => is_open = false,
            None if is_open => found.last_mut().expect("an open block").lines.push(line),
            None => {}
        }
    }
    found
}

/// Reasons for which a session is not run here.
const REASONS: &[&str] = &[
    "builds-for-minutes",
    "changes-your-sources",
    "checks-your-sources",
    "installs",
    "measures",
    "needs-an-installation",
    "needs-modules",
    "needs-mpi",
    "needs-root",
];

/// A folder for the files of a page, with the examples in it.
fn place(page: &Path) -> PathBuf {
    let name = page.strip_prefix(root()).expect("below").with_extension("");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("a folder");
    let examples = root().join("examples").canonicalize().expect("the examples");
    std::os::unix::fs::symlink(examples, place.join("examples")).expect("a link");
    place
}

/// Whether a line of a session must be printed again: not if it holds a time, or stands for
/// others.
fn is_fixed(line: &str) -> bool {
    let mut words = line.split(|c: char| c.is_whitespace() || "(),".contains(c));
    let is_unit = |word: &str| matches!(word, "us" | "µs" | "ms" | "s" | "GB/s");
    !line.trim().is_empty() && line.trim() != "..." && !words.any(is_unit)
}

/// Runs the commands of a block, one after the other.
fn run(page: &Path, block: &Block, place: &Path, status: i32) {
    let bin = Path::new(env!("CARGO_BIN_EXE_commloom")).parent().expect("a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut printed = String::new();
    let commands: Vec<&str> = block.lines.iter().filter_map(|l| l.strip_prefix("$ ")).collect();
    assert!(!commands.is_empty(), "{}: a session without a command", page.display());
    for (number, command) in commands.iter().enumerate() {
        let mut shell = Command::new("bash");
        shell.args(["-c", command]).current_dir(place).env("PATH", &path);
        let done = shell.env_remove("LD_PRELOAD").stdin(Stdio::null()).output().expect("bash");
        let wanted = if number + 1 == commands.len() { status } else { 0 };
        printed += &String::from_utf8_lossy(&done.stdout);
        printed += &String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(wanted), "{}: {command}: {printed}", page.display());
    }
    for line in block.lines.iter().filter(|line| !line.starts_with("$ ") && is_fixed(line)) {
        let is_there = printed.lines().any(|p| p.trim_end() == line.trim_end());
        assert!(is_there, "{}: `{line}` is not printed:\n{printed}", page.display());
    }
}

#[test]
fn sessions_are_as_the_pages_say() {
    let mut sessions = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let place = place(&page);
        for block in blocks(&text) {
            let word = |name: &str| block.words.iter().find_map(|word| word.strip_prefix(name));
            if let Some(file) = word("file=") {
                fs::write(place.join(file), block.lines.join("\n") + "\n").expect("a file");
            }
            if block.words.first() != Some(&"console") {
                continue;
            }
            if let Some(reason) = word("ignore=") {
                assert!(REASONS.contains(&reason), "{}: {reason} is no reason", page.display());
                continue;
            }
            let status = word("status=").map_or(0, |number| number.parse().expect("a status"));
            run(&page, &block, &place, status);
            sessions += 1;
        }
    }
    assert!(sessions > 10, "only {sessions} sessions were run");
}

/// The names of all commands.
fn commands() -> Vec<String> {
    let help = common::output(&["--help"], "");
    let list = help.split("Commands:\n").nth(1).expect("commands");
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn the_page_of_the_command_line_is_the_help() {
    let mut page = String::from(
        "# Command line\n\n\
         The help of every command, as `commloom COMMAND --help` prints it. `make install` \
         installs the\nsame as manual pages. A test makes this page: `UPDATE_BOOK=1 cargo test \
         --workspace --test book`.\n",
    );
    let help = |title: &str, arguments: &[&str]| {
        let help = common::output(arguments, "");
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        assert!(lines.len() > 5, "{help}");
        for line in &lines {
            assert!(line.chars().count() <= 80, "{title}: wider than 80 columns: {line}");
        }
        format!("\n## {title}\n\n```text\n{}\n```\n", lines.join("\n").trim_end())
    };
    page += &help("commloom", &["--help"]);
    for command in commands() {
        page += &help(&format!("commloom {command}"), &[&command, "--help"]);
    }
    let file = root().join("book/src/reference/command-line.md");
    if std::env::var_os("UPDATE_BOOK").is_some() {
        fs::write(&file, &page).expect("the page can be written");
    }
    let old = fs::read_to_string(&file).unwrap_or_default();
    assert!(old == page, "the page is old: UPDATE_BOOK=1 cargo test --workspace --test book");
}

#[test]
fn manual_pages_have_examples_and_variables() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manual");
    fs::create_dir_all(&folder).expect("a folder");
    common::output(&["manual", folder.to_str().expect("a name")], "");
    let page = |name: &str| fs::read_to_string(folder.join(name)).expect("a page");
    for name in commands().iter().map(|c| format!("commloom-{c}.1")).chain(["commloom.1".into()]) {
        let text = page(&name);
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "ENVIRONMENT"] {
            assert!(text.contains(&format!(".SH {section}\n")), "{name} has no {section}: {text}");
        }
    }
    let text = page("commloom-exec.1");
    assert!(text.contains("COMMLOOM_WARMUP") && text.contains("mpirun \\-n 4"), "{text}");
}
