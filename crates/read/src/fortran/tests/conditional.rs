//! Lines that are comments or statements.

use commloom_source::Language;

use super::{print, unit};

/// The statements of the only procedure, and whether all of it is read.
fn body(language: Language, text: &str) -> (String, bool) {
    let found = unit(language, text);
    let procedure = &found.procedures[0];
    (print::statements(&procedure.body), !procedure.has_errors)
}

fn free(text: &str) -> (String, bool) {
    body(Language::FortranFree, &format!("subroutine s\n{text}\nend subroutine\n"))
}

fn fixed(text: &str) -> (String, bool) {
    body(Language::FortranFixed, &format!("      subroutine s\n{text}\n      end\n"))
}

#[test]
fn a_conditional_line_is_executed_or_not() {
    let one = ("x = 1\nif unknown<>\n  x = 2\n".to_owned(), true);
    assert_eq!(free("x = 1\n!$ x = 2 ! or not"), one);
    assert_eq!(free("x = 1\n  !$ x = &\n!$ & 2"), one);
    for mark in ["!$", "c$", "C$", "*$", "D ", "d "] {
        assert_eq!(fixed(&format!("      x = 1\n{mark}    x =\n{mark}   &  2")), one, "{mark}");
    }
    assert_eq!(fixed("      x = 1\nd\tx = 2"), one);
}

#[test]
fn directives_and_comments_are_none() {
    let one = ("x = 1\n".to_owned(), true);
    for line in ["!$omp parallel", "!$acc loop", "!$Id: s.f90 $", "!$", "! $ x = 2", "!$ ! x = 2"] {
        assert_eq!(free(&format!("{line}\nx = 1")), one, "{line}");
        assert_eq!(fixed(&format!("{line}\n      x = 1")), one, "{line}");
    }
    for line in ["c$omp flush", "c$$$  x = 2", "Debug", "d", "*$"] {
        assert_eq!(fixed(&format!("{line}\n      x = 1")), one, "{line}");
    }
}

#[test]
fn what_is_a_part_of_something_spoils_the_procedure() {
    for text in [
        "!$ if (a) then\nx = 1\n!$ end if",
        "if (a) then\nx = 1\n!$ else\nx = 2\nend if",
        "x = 1 &\n!$ + 1 &\n + 2",
        "!$ x = 1 &\n + 2",
        "!$ do i = 1, 2\nx = i\n!$ end do",
        "!$ x = 1; y = 2",
        "!$ 10 continue",
    ] {
        assert!(!free(text).1, "{text}");
    }
    assert!(!fixed("      x = 1\n!$   & + 1").1);
    assert!(!fixed("!$    x = 1\n     & + 1").1);
}

#[test]
fn declarations_are_seen_where_they_may_be_none() {
    let text = "subroutine s\nuse mpi\n!$ use omp_lib\n!$ integer :: k\n!$ k = 1\nx = 1\nend\n";
    let found = unit(Language::FortranFree, text);
    let procedure = &found.procedures[0];
    assert!(!procedure.has_errors && procedure.scope.variables.iter().any(|v| v.name == "k"));
    assert_eq!(procedure.directives.len(), 3);
    assert_eq!(procedure.body_start, text.find("!$ k = 1").unwrap());
}

#[test]
fn a_name_of_mpi_in_two_lines_is_called_and_spoils_the_procedure() {
    let text = "call mpi_& ! first\n! comment\n  &send(b, n)";
    assert_eq!(free(text), ("mpi_send(b, n)\n".to_owned(), false));
    let text = "      call mpi_\n     &send(b, n)";
    assert_eq!(fixed(text), ("mpi_send(b, n)\n".to_owned(), false));
    // In a text it is none.
    assert!(free("x = 'mpi_&\n&send'").1);
}
