//! Text before and after.

use commloom_source::{FileId, Language, Source, Span};

use crate::emit::Text;

use super::{CallPlace, EditError, Rewrite, apply, rewrite};

fn span_of(text: &str, part: &str) -> Span {
    let start = text.find(part).unwrap_or_else(|| panic!("no {part:?} in {text:?}"));
    Span { file: FileId(0), start, end: start + part.len() }
}

/// `call` has the arguments `buf`, `n`, `TY`, each once; `removed` are statements.
fn change(
    language: Language,
    text: &str,
    call: &str,
    removed: &[&str],
) -> Result<String, EditError> {
    let buffer = if language.is_fortran() { "u(2, 2, 2)" } else { "&u[0]" };
    change_to(language, text, call, removed, buffer)
}

fn change_to(
    language: Language,
    text: &str,
    call: &str,
    removed: &[&str],
    buffer: &str,
) -> Result<String, EditError> {
    let statement = span_of(text, call);
    let within = |part: &str| {
        let at = text[statement.range()].find(part).unwrap() + statement.start;
        Span { file: FileId(0), start: at, end: at + part.len() }
    };
    let place = CallPlace {
        statement,
        buffer: within("buf"),
        count: within("n,").start_only(1),
        datatype: within("TY"),
        anew: None,
    };
    let source = Source { name: "t".into(), language, text: text.into() };
    let fortran = language.is_fortran();
    let written = Text {
        functions: Vec::new(),
        declarations: vec![if fortran { "integer :: t_1" } else { "MPI_Datatype t_1;" }.into()],
        before: vec![if fortran { "call make(t_1, ierr)" } else { "make(&t_1);" }.into()],
        buffer: buffer.into(),
        count: "1".into(),
        datatype: "t_1".into(),
        after: vec![if fortran { "call drop(t_1, ierr)" } else { "drop(&t_1);" }.into()],
    };
    let removed: Vec<Span> = removed.iter().map(|r| span_of(text, r)).collect();
    let declarations_at =
        text.find("body").or_else(|| text.find("do i")).unwrap_or(statement.start);
    let changes = rewrite(&Rewrite {
        source: &source,
        call: place,
        text: &written,
        removed: &removed,
        kept: &[],
        declarations_at,
        functions_at: 0,
    })?;
    Ok(apply(text, &changes).expect("changes do not meet"))
}

trait StartOnly {
    fn start_only(self, length: usize) -> Span;
}

impl StartOnly for Span {
    fn start_only(self, length: usize) -> Span {
        Span { end: self.start + length, ..self }
    }
}

#[test]
fn c_keeps_what_it_does_not_change() {
    let text = "void f() {\n    /* pack */\n    for (i = 0; i < n; i++)\n        b[i] = u[i];\
        \n    // send\n    MPI_Send(buf, n, TY, 1); // halo\n    x = 1;\n}\n";
    let found = change(
        Language::C,
        text,
        "MPI_Send(buf, n, TY, 1);",
        &["for (i = 0; i < n; i++)\n        b[i] = u[i];"],
    );
    assert_eq!(
        found.as_deref(),
        Ok("void f() {\n    /* pack */\n    // send\n    MPI_Datatype t_1;\n    make(&t_1);\
             \n    MPI_Send(&u[0], 1, t_1, 1); // halo\n    drop(&t_1);\n    x = 1;\n}\n")
    );
}

#[test]
fn c_gets_braces_where_a_statement_is_controlled() {
    let text = "  if (a) /* why */\n    MPI_Send(buf, n, TY);\n  else\n    for (;;) b = u;\n";
    let found = change(Language::C, text, "MPI_Send(buf, n, TY);", &["for (;;) b = u;"]);
    assert_eq!(
        found.as_deref(),
        Ok("  if (a) /* why */\n    {\n        MPI_Datatype t_1;\n        make(&t_1);\
             \n        MPI_Send(&u[0], 1, t_1);\n        drop(&t_1);\n    }\n  else\n    ;\n")
    );
}

#[test]
fn c_on_one_line() {
    let text = "for(i=0;i<n;i++) b[i]=u[i]; MPI_Send(buf,n,TY); return;\r\n";
    let found =
        change(Language::Cpp, text, "MPI_Send(buf,n,TY);", &["for(i=0;i<n;i++) b[i]=u[i];"]);
    assert_eq!(
        found.as_deref(),
        Ok("MPI_Datatype t_1;\r\nmake(&t_1);\r\nMPI_Send(&u[0],1,t_1);\r\ndrop(&t_1); return;\r\n")
    );
}

/// A type that is freed there would not be.
#[test]
fn nothing_is_written_behind_a_return() {
    let text = "for (;;) b = u;\nreturn MPI_Send(buf, n, TY);\n";
    let found = change(Language::C, text, "return MPI_Send(buf, n, TY);", &["for (;;) b = u;"]);
    assert!(matches!(found, Err(EditError::Returned { .. })), "{found:?}");
}

#[test]
fn a_directive_keeps_its_loop() {
    let text = "#pragma omp parallel for\nfor (;;) b = u;\nMPI_Send(buf, n, TY);\n";
    let found = change(Language::C, text, "MPI_Send(buf, n, TY);", &["for (;;) b = u;"]);
    assert!(matches!(found, Err(EditError::Directive { .. })));
    let text = "      do i = 1, 2\n!$omp parallel do\n      enddo i\n      call f(buf, n, TY)\n";
    let found = change(Language::FortranFixed, text, "call f(buf, n, TY)", &["enddo i"]);
    assert!(matches!(found, Err(EditError::Directive { .. })));
}

#[test]
fn fixed_form() {
    let text = "      subroutine s\n      integer i\nc comment\n      do i = 1, 2\
        \n        b(i) = u(i)\n      enddo i\nc send\n      call f(buf, n,\n     >       TY, x)\
        \n      end\n";
    let found = change(
        Language::FortranFixed,
        text,
        "call f(buf, n,\n     >       TY, x)",
        &["do i = 1, 2\n        b(i) = u(i)\n      enddo i"],
    );
    assert_eq!(
        found.as_deref(),
        Ok("      subroutine s\n      integer i\nc comment\n      integer :: t_1\nc send\
             \n      call make(t_1, ierr)\n      call f(u(2, 2, 2), 1,\n     >       t_1, x)\
             \n      call drop(t_1, ierr)\n      end\n")
    );
}

#[test]
fn fixed_form_never_passes_column_72() {
    let text = "body\n         call f(buf,n,TY, aaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbb)\n";
    let call = text.lines().nth(1).unwrap().trim();
    let found = change(Language::FortranFixed, text, call, &[]).unwrap();
    assert!(found.lines().all(|l| l.len() <= 72), "{found}");
    assert!(found.contains("call f(u(2, 2, 2),1,t_1, aaaaaaaaaaaaaaaaaaaa,\n     &"), "{found}");
}

#[test]
fn long_arguments_are_not_cut() {
    let long = format!("u({})", ["slice(1, stage)"; 8].join(", "));
    let text = "body\n      call f(buf,\nc why\n     &     n,   TY,\n     &     x)\n";
    let call = "call f(buf,\nc why\n     &     n,   TY,\n     &     x)";
    let found = change_to(Language::FortranFixed, text, call, &[], &long).unwrap();
    assert!(found.lines().all(|l| l.len() <= 72), "{found}");
    let joined = commloom_read::fortran::one_line(
        found.split_once("call f(u").unwrap().1,
        Language::FortranFixed,
    );
    let expected = format!("{}, 1, t_1, x) call drop(t_1, ierr)", &long[1..]);
    assert_eq!(joined, expected);
}

#[test]
fn an_if_of_one_line_becomes_a_block() {
    let text = "body\n  if (a > 1) call f(buf, n, TY) ! yes\n  x = 1\n";
    let found = change(Language::FortranFree, text, "call f(buf, n, TY)", &[]);
    assert_eq!(
        found.as_deref(),
        Ok("integer :: t_1\nbody\n  if (a > 1) then\n     call make(t_1, ierr)\
             \n     call f(u(2, 2, 2), 1, t_1) ! yes\n     call drop(t_1, ierr)\n  end if\
             \n  x = 1\n")
    );
    let removed = change(
        Language::FortranFree,
        "body\nif (a) b = u\ncall f(buf, n, TY)\n",
        "call f(buf, n, TY)",
        &["b = u"],
    );
    assert!(removed.unwrap().contains("if (a) continue\n"));
}

#[test]
fn a_label_stays_in_front() {
    let text = "body\n 10   call f(buf, n, TY)\n";
    let found = change(Language::FortranFixed, text, "call f(buf, n, TY)", &[]);
    assert_eq!(
        found.as_deref(),
        Ok("      integer :: t_1\nbody\n 10   continue\n      call make(t_1, ierr)\
             \n      call f(u(2, 2, 2), 1, t_1)\n      call drop(t_1, ierr)\n")
    );
}

#[test]
fn shared_lines_of_fortran_are_refused() {
    for text in ["body\ncall f(buf, n, TY); x = 1\n", "body\nx = 1; call f(buf, n, TY)\n"] {
        let found = change(Language::FortranFree, text, "call f(buf, n, TY)", &[]);
        assert!(matches!(found, Err(EditError::SharedLine { .. })), "{found:?}");
    }
}
