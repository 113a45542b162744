//! Verdicts on campaigns with a known answer.

mod common;

use commloom_guideline::report::Report;
use commloom_guideline::results::{Method, Mode, Operation, Results};
use commloom_guideline::verdict::{
    Finding, Guideline, Judgement, Status, Study, Verdict, advice, sentence,
};
use common::{break_launch, campaign, fair, unfair};

/// Violations of a guideline: description, in ping-pongs of the smallest size, and the factor.
fn violated(report: &Report<'_>, guideline: Guideline, mode: Mode) -> Vec<(String, f64)> {
    let of = |j: &&Judgement| {
        let case = report.study.subjects[0].case(&j.key);
        let key = (j.key.operation, j.key.mode, j.key.method);
        j.guideline == guideline
            && case.bytes == 3200
            && key == (Operation::Pingpong, mode, Method::Typed)
    };
    let name = |j: &Judgement| report.study.subjects[0].case(&j.key).description.clone();
    report.violations().filter(of).map(|j| (name(j), j.ratio.estimate)).collect()
}

fn assert_violated(found: &[(String, f64)], expected: &[(&str, f64)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((name, factor), (expected, of)) in found.iter().zip(expected) {
        assert!(name == expected && (factor / of - 1.0).abs() < 0.02, "{found:?}");
    }
}

#[test]
fn every_guideline_finds_what_is_there() {
    let results = campaign("MPICH", "4.0.2", 5, unfair);
    let report = Report::of(&[&results]);
    let of = |guideline| violated(&report, guideline, Mode::Native);
    assert_violated(&of(Guideline::Gl1), &[("Contiguous-subtype", 1.5)]);
    assert_violated(&of(Guideline::Gl23), &[("Tiled", 2.0)]);
    assert_violated(&of(Guideline::Gl4), &[("Tiled-vector", 3.0), ("Contiguous-subtype", 1.5)]);
    let normal = of(Guideline::Gl4Normal);
    assert_violated(&normal[..2], &[("Tiled-vector", 3.75), ("Contiguous-subtype", 1.875)]);
    assert_eq!(normal.len(), 5, "all are slower than the normal form: {normal:?}");
    let of = |guideline| violated(&report, guideline, Mode::Commloom);
    for guideline in [Guideline::Gl1, Guideline::Gl23, Guideline::Gl4, Guideline::Gl4Normal] {
        assert_violated(&of(guideline), &[]);
    }
    assert_violated(&of(Guideline::Commloom), &[("normal form", 1.25)]);
}

#[test]
fn a_library_that_keeps_all_guidelines_is_not_blamed() {
    let results = campaign("MPICH", "4.0.2", 5, fair);
    let report = Report::of(&[&results]);
    assert!(report.judgements.len() > 100);
    let kept = |j: &Judgement| j.verdict(1.1) == Verdict::Kept;
    assert!(report.judgements.iter().all(kept));
}

#[test]
fn gl1_is_judged_in_both_directions() {
    let results = campaign("MPICH", "4.0.2", 5, |case, operation, method, mode| {
        let slow = if case.description == "Tiled" { 2.0 } else { 1.0 };
        slow * fair(case, operation, method, mode)
    });
    let report = Report::of(&[&results]);
    let found = violated(&report, Guideline::Gl1, Mode::Native);
    assert_violated(&found, &[("Tiled", 2.0), ("Tiled", 2.0)]);
}

#[test]
fn commloom_that_is_slower_than_the_library_is_blamed() {
    let results = campaign("MPICH", "4.0.2", 5, |case, operation, method, mode| {
        let slow = mode == Mode::Commloom && case.description == "Vector-tiled";
        fair(case, operation, method, mode) * if slow { 1.4 } else { 1.0 }
    });
    let report = Report::of(&[&results]);
    let found = violated(&report, Guideline::Commloom, Mode::Commloom);
    assert_violated(&found, &[("Vector-tiled", 1.4), ("Vector-tiled", 1.4)]);
}

#[test]
fn few_launches_raise_suspicion_only() {
    let results = campaign("MPICH", "4.0.2", 4, unfair);
    let report = Report::of(&[&results]);
    assert_eq!(report.violations().count(), 0);
    let suspected = |j: &&Judgement| j.verdict(1.1) == Verdict::Suspected;
    assert!(report.judgements.iter().filter(suspected).count() > 10);
    let text = report.terminal(false);
    for words in
        ["4 launches cannot tell", "MPICH 4.0.2, native: what seems too slow", "Tiled-vector"]
    {
        assert!(text.contains(words), "{words} is missing in {text}");
    }
    assert!(report.findings.iter().all(|f| f.status() == Status::Open));
}

#[test]
fn judgements_say_in_words_what_to_do() {
    let results = campaign("MPICH", "4.0.2", 5, unfair);
    let report = Report::of(&[&results]);
    let find = |guideline| {
        let of =
            |j: &&Judgement| j.guideline == guideline && j.key.operation == Operation::Pingpong;
        report.violations().find(of).expect("a violation")
    };
    let vector = find(Guideline::Gl4Normal);
    let words = sentence(&report.study, vector);
    assert!(
        words.starts_with(
            "MPICH 4.0.2, native, ping-pong: Tiled-vector: Tiled, variant 1, A=2, B=4"
        ),
        "{words}"
    );
    assert!(words.contains("times as long as commloom's normal form."), "{words}");
    let words = advice(&report.study, vector);
    assert!(words.starts_with("Use commloom's normal form instead: one vector("), "{words}");
    assert!(advice(&report.study, find(Guideline::Gl23)).contains("MPI_Pack"));
    assert!(advice(&report.study, find(Guideline::Gl1)).starts_with("Use Tiled instead"));
}

#[test]
fn expectations_of_the_paper_are_examined() {
    let results = campaign("MPICH", "4.0.2", 5, unfair);
    let report = Report::of(&[&results]);
    let status = |test, mode| -> Vec<Status> {
        let of = |f: &&Finding| f.claim.test == test && f.mode == mode;
        report.findings.iter().filter(of).map(Finding::status).collect()
    };
    use Status::{Fails, Holds, Partly};
    // With gaps slower than without, and small blocks slower than large ones.
    assert_eq!(status(1, Mode::Native), [Holds, Holds]);
    // For small units packing is faster than the datatype; for large ones slower.
    assert_eq!(status(3, Mode::Native), [Partly, Holds]);
    assert_eq!(status(3, Mode::Commloom), [Holds, Holds]);
    assert_eq!(status(4, Mode::Native), [Partly]);
    // Tiled-struct is never slower here.
    assert_eq!(status(5, Mode::Native), [Fails]);
    assert_eq!(status(6, Mode::Native), [Partly]);
    assert_eq!(status(6, Mode::Commloom), [Holds]);
    assert_eq!(status(7, Mode::Native), [Holds]);
    assert_eq!(status(8, Mode::Native), [], "not measured");
    let vector = report.findings.iter().find(|f| f.claim.test == 6).expect("test 6");
    // Two operations, two sizes, two block sizes.
    assert_eq!((vector.cells, vector.slower, vector.faster), (8, 4, 0));
}

#[test]
fn launches_that_failed_are_no_times() {
    let mut results = campaign("MPICH", "4.0.2", 6, fair);
    for launch in [1, 3] {
        break_launch(&mut results, "Tiled-vector", launch, "byte 7 is wrong");
    }
    let report = Report::of(&[&results]);
    let subject = &report.study.subjects[0];
    let [failure] = &subject.failures[..] else { panic!("{:?}", subject.failures) };
    assert_eq!((failure.error.as_str(), &failure.launches[..]), ("byte 7 is wrong", &[1, 3][..]));
    assert_eq!(subject.times[&failure.key].summary.launches, 4);
    assert!(report.terminal(false).contains("byte 7 is wrong (launches 1, 3)"));
    assert!(report.html().contains("byte 7 is wrong"));
}

#[test]
fn libraries_of_several_files_have_different_names() {
    let names = |files: &[&Results]| -> Vec<String> {
        Study::of(files).subjects.into_iter().map(|s| s.name).collect()
    };
    let one = campaign("MPICH", "4.0.2", 1, fair);
    let mut other = campaign("MPICH", "5.0.2", 1, fair);
    assert_eq!(names(&[&one, &other]), ["MPICH 4.0.2", "MPICH 5.0.2"]);
    other.runs[0].library.version = "4.0.2".into();
    assert_eq!(names(&[&one, &other]), ["MPICH 4.0.2, file 1", "MPICH 4.0.2, file 2"]);
    other.date = "2026-12-01T00:00:00Z".into();
    assert_eq!(names(&[&one, &other]), ["MPICH 4.0.2, 2026-11-21", "MPICH 4.0.2, 2026-12-01"]);
    other.environment.host = "there".into();
    assert_eq!(names(&[&one, &other]), ["MPICH 4.0.2, here", "MPICH 4.0.2, there"]);
}
