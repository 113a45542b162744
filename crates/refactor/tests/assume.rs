//! Facts have identifiers that a person can keep: each removes its own refusal, is unique in its
//! file, and stays when lines move.

mod harness;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use commloom_refactor::check::{self, Finding, Options, Project};
use commloom_refactor::fact::Premise;
use commloom_refactor::source::Language;

use harness::{Case, cases};

fn check(project: &Project, assume: &[String]) -> Vec<Finding> {
    check::check(project, &Options { assume: assume.to_vec(), rounds: 0 })
}

fn missing(findings: &[Finding]) -> Vec<Premise> {
    let refusals = findings.iter().filter_map(|finding| finding.outcome.as_ref().err());
    refusals.filter_map(|refusal| refusal.fact.as_deref().cloned()).collect()
}

/// All facts of a program, one after the other: each is assumed as soon as it is missing.
fn all_facts(name: &str, project: &Project) -> Vec<Premise> {
    let mut facts: Vec<Premise> = Vec::new();
    loop {
        let given: Vec<String> = facts.iter().map(|fact| fact.identifier().to_owned()).collect();
        let new = missing(&check(project, &given));
        for fact in &new {
            let id = fact.identifier();
            assert!(!given.iter().any(|known| known == id), "{name}: {id} removes nothing");
        }
        if new.is_empty() {
            return facts;
        }
        facts.extend(new);
    }
}

/// The words of a sentence: two names that share no memory have no order.
fn words(fact: &Premise) -> Vec<String> {
    let sentence = fact.to_string();
    let mut words: Vec<String> = sentence.split_whitespace().map(str::to_owned).collect();
    words.sort();
    words
}

/// Every case with its facts.
fn facts() -> &'static [(Case, Vec<Premise>)] {
    static FACTS: OnceLock<Vec<(Case, Vec<Premise>)>> = OnceLock::new();
    FACTS.get_or_init(|| {
        let with_facts = |case: Case| {
            let facts = all_facts(&case.name, &case.project());
            (case, facts)
        };
        cases().into_iter().map(with_facts).filter(|(_, facts)| !facts.is_empty()).collect()
    })
}

fn identifiers(facts: &[Premise]) -> Vec<String> {
    facts.iter().map(|fact| fact.identifier().to_owned()).collect()
}

#[test]
fn every_fact_has_an_identifier_of_its_own_that_removes_the_refusal() {
    let mut kinds = BTreeMap::new();
    for (case, facts) in facts() {
        let mut sentences: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for fact in facts {
            let id = fact.identifier().to_owned();
            let is_short = !id.contains(char::is_whitespace) && !id.contains(['\'', '"']);
            assert!(is_short && id.starts_with(fact.fact.kind()), "{}: {id}", case.name);
            let words = words(fact);
            let known = sentences.entry(id.clone()).or_insert_with(|| words.clone());
            assert_eq!(*known, words, "{}: {id}", case.name);
            kinds.insert(fact.fact.kind(), id);
        }
    }
    assert!(kinds.len() > 12, "{kinds:#?}");
}

/// A comment of three lines above everything.
fn moved(case: &Case) -> String {
    let mark = match case.language {
        Language::C | Language::Cpp => "/* moved */\n",
        Language::FortranFree => "! moved\n",
        Language::FortranFixed => "c moved\n",
    };
    mark.repeat(3) + &case.text
}

#[test]
fn lines_above_change_no_identifier() {
    let mut lines_are_in_sentences = false;
    for (case, facts) in facts() {
        let used = |project: &Project| -> (Vec<String>, Vec<String>) {
            let findings = check(project, &identifiers(facts));
            let missing = missing(&findings);
            assert!(missing.is_empty(), "{}: {missing:?}", case.name);
            let all = findings.iter().flat_map(|finding| &finding.assumed);
            all.map(|fact| (fact.identifier().to_owned(), fact.to_string())).unzip()
        };
        let (before, after) = (used(&case.project()), used(&case.project_of(moved(case))));
        lines_are_in_sentences |= before.1 != after.1;
        let sorted = |mut all: Vec<String>| {
            all.sort();
            all
        };
        assert_eq!(sorted(before.0), sorted(after.0), "{}", case.name);
    }
    assert!(lines_are_in_sentences, "a fact about lines is among the cases");
}

#[test]
fn sentences_are_understood_for_one_more_version() {
    for (case, facts) in facts() {
        let project = case.project();
        let sentences: Vec<String> = facts.iter().map(ToString::to_string).collect();
        let expected = check(&project, &identifiers(facts));
        assert!(check(&project, &sentences) == expected, "{}: {sentences:?}", case.name);
    }
}

/// Without the procedure an identifier holds in all of them; with it, in that one alone.
#[test]
fn an_identifier_is_about_one_procedure() {
    let pack = |name: &str| {
        format!(
            "static void {name}(int n, double *restrict u, double *restrict b) {{\n\
             for (int i = 0; i < n; i++) b[i] = u[3 * i];\n\
             MPI_Send(b, n, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);\n}}\n"
        )
    };
    let text = format!("#include <mpi.h>\n{}{}", pack("east"), pack("west"));
    let source =
        commloom_refactor::source::Source { name: "faces.c".into(), language: Language::C, text };
    let project = Project::new(vec![source]);
    let changed = |assume: &[&str]| -> Vec<bool> {
        let assume: Vec<String> = assume.iter().map(|fact| (*fact).to_owned()).collect();
        check(&project, &assume).iter().map(|finding| finding.outcome.is_ok()).collect()
    };
    assert_eq!(changed(&[]), [false, false]);
    assert_eq!(changed(&["buffer-dead:west/b"]), [false, true]);
    assert_eq!(changed(&["buffer-dead:b"]), [true, true]);
    assert_eq!(changed(&["buffer-dead:east/u"]), [false, false]);
}
