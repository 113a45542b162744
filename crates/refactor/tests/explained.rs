//! Explanations of programs that are judged in several settings of the preprocessor.

use commloom_refactor::check::{self, Finding, Options, Project};
use commloom_refactor::explain::Explanation;
use commloom_refactor::source::{FileId, Language, Source, Span};

fn text(types: &str) -> String {
    format!(
        "#include <mpi.h>\n{types}\nvoid f(const REAL *restrict u, int n) {{\n  REAL b[100];\n  \
         int i;\n  for (i = 0; i < n; i++)\n    b[i] = u[3 * i];\n  \
         MPI_Send(b, n, KIND, 1, 0, MPI_COMM_WORLD);\n}}\n"
    )
}

/// The explanation of the line with some words, and the finding, which must be the one there.
fn explained(text: &str, words: &str) -> (Finding, Explanation) {
    let name = "a.c".to_owned();
    let source = Source { name, language: Language::C, text: text.to_owned() };
    let project = Project::new(vec![source]);
    let options = Options::default();
    let start = text.find(words).expect("the words");
    let at = Span { file: FileId(0), start, end: start + words.len() };
    let mut told = check::explain(&project, &options, at, 4);
    assert_eq!(told.len(), 1, "{words}: {told:?}");
    let (finding, explanation) = told.remove(0);
    assert_eq!(check::check(&project, &options), std::slice::from_ref(&finding));
    (finding, explanation)
}

#[test]
fn a_datatype_that_the_preprocessor_decides_about() {
    let both = text(
        "#ifdef DOUBLE\n#define REAL double\n#define KIND MPI_DOUBLE\n#else\n\
         #define REAL float\n#define KIND MPI_FLOAT\n#endif",
    );
    // The call, and the loop, of which nothing is known where all branches are read together.
    for words in ["MPI_Send(b", "b[i] = u"] {
        let (finding, explanation) = explained(&both, words);
        let change = finding.outcome.expect("a change");
        assert_eq!(change.summary, "vector(n, 1, 3) of KIND", "{words}");
        assert_eq!(explanation.settings, 2);
        assert!(explanation.conditions.iter().all(|judged| judged.holds));
        assert!(!explanation.steps.is_empty() && explanation.copies.len() == 1);
        assert!(!explanation.instances.is_empty());
    }
}

#[test]
fn the_setting_that_refuses_is_explained() {
    let one = text(
        "#define REAL double\n#ifdef DOUBLE\n#define KIND MPI_DOUBLE\n#else\n\
         #define KIND MPI_INT\n#endif",
    );
    let (finding, explanation) = explained(&one, "MPI_Send(b");
    let refusal = finding.outcome.expect_err("a refusal");
    assert_eq!(explanation.settings, 2, "{refusal:?}");
    let last = explanation.conditions.last().expect("conditions");
    assert!(!last.holds, "{refusal:?}");
}

#[test]
fn without_choices_there_is_one_setting() {
    let plain = text("#define REAL double\n#define KIND MPI_DOUBLE");
    let (finding, explanation) = explained(&plain, "MPI_Send(b");
    assert!(finding.outcome.is_ok());
    assert_eq!(explanation.settings, 0);
}
