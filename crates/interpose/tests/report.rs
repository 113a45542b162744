//! The report: who committed a type, what became of its messages, and a page that browsers show.

mod harness;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use harness::{Library, libraries, lines};
use serde_json::Value;

fn place(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}"));
    let _ = std::fs::remove_file(&path);
    path
}

/// `report.c` with every library.
fn programs() -> &'static [(Library, PathBuf)] {
    static COMPILED: OnceLock<Vec<(Library, PathBuf)>> = OnceLock::new();
    let compiled = |library: Library| {
        let program = library.compile("report");
        (library, program)
    };
    COMPILED.get_or_init(|| libraries().into_iter().map(compiled).collect())
}

/// Runs the program on two ranks under commloom; returns what it wrote as its report.
fn report(
    library: &Library,
    program: &Path,
    extension: &str,
    environment: &[(&str, &str)],
) -> String {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let path = place(&format!("{run}.{extension}"));
    let to = path.to_string_lossy();
    let mut all = vec![("COMMLOOM_WARMUP", "0"), ("COMMLOOM_REPORT", &to)];
    all.extend(environment);
    lines(&library.run(program, [true, true], &all));
    std::fs::read_to_string(&path).expect("the report is there")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("the report is JSON")
}

/// The row of a type.
#[track_caller]
fn row<'r>(report: &'r Value, before: &str) -> &'r Value {
    let types = report["types"].as_array().expect("a list");
    types.iter().find(|t| t["before"] == before).unwrap_or_else(|| panic!("{before}: {report}"))
}

/// The line of a source file that has this mark.
fn line(file: &str, mark: &str) -> u64 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    let text = std::fs::read_to_string(path).expect("a source file");
    let mark = format!("mark: {mark}");
    let at = text.lines().position(|l| l.contains(&mark)).expect("the mark");
    u64::try_from(at).expect("a line") + 1
}

#[track_caller]
fn assert_site(site: &Value, function: &str, file: &str, mark: &str, handles: u64) {
    assert_eq!(site["function"], function, "{site}");
    let found = site["file"].as_str().unwrap_or_default();
    assert!(found.ends_with(file), "{site}");
    assert_eq!(site["line"], line(file, mark), "{site}");
    assert_eq!(site["handles"], handles, "{site}");
}

#[test]
fn types_are_known_by_the_lines_that_committed_them() {
    for (library, program) in programs() {
        let report = json(&report(library, program, "json", &[("COMMLOOM_FORCE", "pack")]));
        // On two ranks each: twice as many handles as calls.
        let vector = row(&report, "vec(300, 20, vec(2, 4, MPI_INT))");
        assert_site(&vector["sites"][0], "make_vector", "c/report.c", "vector", 4);
        assert_site(&vector["sites"][1], "main", "c/report.c", "same", 2);
        assert_eq!(vector["sites"].as_array().map(Vec::len), Some(2));
        assert_eq!(vector["handles"], 6);
        let contiguous = row(&report, "vec(100, 4, MPI_INT)");
        assert_site(&contiguous["sites"][0], "main", "c/report.c", "contiguous", 2);
        let types = report["types"].as_array().expect("a list");
        let list = types.iter().find(|t| t["sites"][0]["function"] == "make_list").expect("a list");
        assert_site(&list["sites"][0], "make_list", "c/report.c", "list", 2);
    }
}

#[test]
fn types_of_fortran_programs_are_known_by_their_lines() {
    for library in libraries().into_iter().filter(Library::has_fortran) {
        for binding in ["MPIF_H", "USE_MPI", "USE_MPI_F08"] {
            let program = library.compile_fortran("report", &[binding]);
            let report = json(&report(&library, &program, "json", &[]));
            let vector = row(&report, "vec(300, 20, vec(2, 4, MPI_INTEGER))");
            assert_site(&vector["sites"][0], "make_vector_", "fortran/report.F90", "vector", 2);
        }
    }
}

#[test]
fn expectations_count_messages_at_both_ends() {
    for (library, program) in programs() {
        let expected = |setting: (&str, &str)| {
            let report = json(&report(library, program, "json", &[setting]));
            let vector = row(&report, "vec(300, 20, vec(2, 4, MPI_INT))");
            ["expected_native_ns", "expected_ns"].map(|name| vector[name].as_u64())
        };
        // However the messages go, what they would have taken untouched is the same.
        let [untouched, packed] = expected(("COMMLOOM_FORCE", "pack"));
        assert!(untouched > Some(0) && packed > Some(0) && untouched != packed);
        assert_eq!(expected(("COMMLOOM_OFF", "pack,types")), [untouched, untouched]);
    }
}

#[test]
fn every_exchange_is_counted_once_under_the_message_that_it_begins_with() {
    for library in libraries() {
        let program = library.compile("rounds");
        let report = json(&report(&library, &program, "json", &[]));
        let exchanges = |begins_with: &str, bytes: u64| {
            let types = report["types"].as_array().expect("a list");
            let all = types.iter().flat_map(|t| t["exchanges"].as_array().expect("a list"));
            let of = |e: &&Value| e["begins_with"] == begins_with && e["bytes"] == bytes;
            let sum = |name: &str| {
                all.clone().filter(of).map(|e| e[name].as_u64().expect("a number")).sum::<u64>()
            };
            (sum("exchanges"), sum("tries"))
        };
        // Of both ranks. Requests that are asked for are as good as completed.
        for (begins_with, bytes, count) in
            [("receive", 512, 400), ("receive", 256, 300), ("receive", 128, 200), ("send", 64, 300)]
        {
            let (counted, _) = exchanges(begins_with, bytes);
            assert_eq!(counted, 2 * count, "{}: {begins_with} {bytes}: {report}", library.name);
        }
        // The others have not paid for what a trial makes. The first send of a datatype may be
        // left alone: then the receive in the same call is the first message.
        let long = ["send", "receive"].map(|part| exchanges(part, 8 << 16));
        assert_eq!(long[0].0 + long[1].0, 2 * 120, "{}: {report}", library.name);
        assert!(long[0].1 > 0, "{}: nothing was tried: {report}", library.name);
        // Sent and received, one call.
        assert_eq!(exchanges("collective", 64).0, 2 * 100, "{}: {report}", library.name);
    }
}

#[test]
fn the_page_shows_every_type_and_is_well_formed() {
    for (library, program) in programs() {
        let page = report(library, program, "html", &[("COMMLOOM_FORCE", "pack")]);
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let tree = roxmltree::Document::parse_with_options(&page, options).expect("XML");
        let text: String =
            tree.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect();
        let vector = line("c/report.c", "vector");
        for part in
            ["vec(300, 20, vec(2, 4, MPI_INT))", &format!("c/report.c:{vector}"), "40 contiguous"]
        {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        let sections = tree.descendants().filter(|n| n.tag_name().name() == "section").count();
        assert_eq!(sections, 3, "three layouts");
        let elsewhere = |value: &str| value.contains("//") && !value.contains("www.w3.org");
        let attributes = tree.descendants().flat_map(|n| n.attributes());
        assert!(!attributes.map(|a| a.value()).any(elsewhere), "nothing is loaded");
    }
}

#[test]
fn a_browser_shows_the_page() {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let Some(browser) =
        ["chromium", "chromium-browser", "google-chrome"].into_iter().find(is_there)
    else {
        commloom_testkit::skipped("there is no Chromium");
        return;
    };
    let Some((library, program)) = programs().first() else { return };
    let page = place("browser.html");
    std::fs::write(&page, report(library, program, "html", &[])).expect("a file");
    let profile = place("profile");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser starts");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("commloom report"), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(shown.matches("<section").count(), 3, "{shown}");
    assert!(shown.contains("<svg"), "{shown}");
}

/// How many messages of the program's vector went through the engine, and how many were seen at
/// all, with so many rounds inside of its region.
#[track_caller]
fn counts_of_region(library: &Library, rounds: &str, off: &str) -> [u64; 2] {
    let path = place(&format!("regions-{}-{rounds}-{off}.json", library.name));
    let to = path.to_string_lossy();
    let environment = [
        ("COMMLOOM_WARMUP", "0"),
        ("COMMLOOM_FORCE", "pack"),
        ("COMMLOOM_OFF", off),
        ("COMMLOOM_REPORT", &*to),
    ];
    let program = library.compile("regions");
    let printed = lines(&library.run_case(2, &program, rounds, &environment, true));
    assert!(printed.iter().all(|line| line.ends_with(": 0 wrong")), "{printed:?}");
    let report = json(&std::fs::read_to_string(&path).expect("the report is there"));
    assert_eq!(report["failures"], 0);
    let row = row(&report, "vec(100, 16, vec(2, 4, MPI_INT))");
    ["engine", "calls"].map(|count| row[count].as_u64().expect("a number"))
}

#[test]
fn a_region_that_the_program_marks_is_left_alone_where_that_is_wanted() {
    for library in libraries() {
        let with = |rounds: &str, off: &str| counts_of_region(&library, rounds, off);
        let without = with("0", "regions");
        // The two persistent requests of each rank were made outside of it, and are packed in it.
        assert_eq!(with("7", "regions"), without.map(|count| count + 7 * 4), "{}", library.name);
        assert!(with("7", "files")[0] > without[0] + 7 * 4, "{}", library.name);
    }
}
