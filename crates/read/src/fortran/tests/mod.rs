//! Texts and what they are read as.

mod conditional;
mod print;

use commloom_source::tree::{
    ExpressionKind, Intent, Procedure, StatementKind, Storage, Type, Unit,
};
use commloom_source::{FileId, Language, Source};

use super::{Meaning, read, settle};

fn unit(language: Language, text: &str) -> Unit {
    read(&Source { name: "t".into(), language, text: text.into() }, FileId(0))
}

fn free(text: &str) -> Unit {
    unit(Language::FortranFree, text)
}

/// The statements of the only procedure around `text`.
#[track_caller]
fn check_body(text: &str, expected: &str) {
    let found = free(&format!("subroutine s\nimplicit none\n{text}\nend subroutine\n"));
    assert!(found.errors.is_empty(), "{:?}", found.errors);
    assert_eq!(print::statements(&found.procedures[0].body).trim_end(), expected.trim_end());
}

#[test]
fn loops() {
    check_body("do i = 1, n\nx = i\nend do", "do i = 1, n, 1\n  x = i\n");
    check_body(
        "outer: do i = n, 1, -2\ncycle outer\nexit\nenddo outer",
        "outer: do i = n, 1, (-2)\n  next outer\n  break \n",
    );
    check_body("do while (x < 3)\nx = x + 1\nend do", "while (x < 3)\n  x = (x + 1)\n");
    check_body("do\nexit\nend do", "while \n  break \n");
    check_body(
        "do concurrent (i = 1:n, j = 1:m:2)\nx = i\nend do",
        "do new i = 1, n, 1\n  do new j = 1, m, 2\n    x = i\n",
    );
    check_body(
        "real x(3), y(3)\nforall (i = 1:n) x(i) = y(i)",
        "do new i = 1, n, 1\n  x[i] = y[i]\n",
    );
}

#[test]
fn labelled_loops_share_their_end() {
    check_body(
        "real b(3,3)\ndo 10 j = 1, n\ndo 10 k = 1, 3\nb(j,k) = 0\n10 continue\nx = 1",
        "do j = 1, n, 1\n  do k = 1, 3, 1\n    b[j, k] = 0\n  nothing\nx = 1\n",
    );
    check_body("real b(3)\ndo 10 j = 1, n\n10 b(j) = 0", "do j = 1, n, 1\n  b[j] = 0\n");
    // The last statement belongs to the inner loop; the grammar gives it to the outer.
    check_body("real b(3)\ndo 10 j = 1, n\ndo 10 k = 1, n\n10 b(j) = k", "unknown j n k b\n");
}

#[test]
fn branches() {
    check_body("if (a .eq. 1) return", "if (a == 1)\n  return\n");
    check_body(
        "if (a) then\nx = 1\nelse if (b) then\nx = 2\nelse\nx = 3\nend if",
        "if a\n  x = 1\nelse\n  if b\n    x = 2\n  else\n    x = 3\n",
    );
    check_body(
        "select case (n)\ncase (1, 3:4)\nx = 1\ncase default\nx = 2\ncase (:0)\nx = 3\nend select",
        "if ((n == 1) or ((n >= 3) and (n <= 4)))\n  x = 1\nelse\n  if (n <= 0)\n    x = 3\n  else\
         \n    x = 2\n",
    );
    check_body(
        "goto 20\n20 continue\ngo to (20, 30), i\n30 x = 1\n40 x = 2",
        "goto 20\nlabel 20\nnothing\nif unknown<i>\n  goto 20 30\nlabel 30\nx = 1\nx = 2\n",
    );
    check_body(
        "if (x) 10, 20, 30\n10 continue\n20 continue\n30 continue",
        "x\ngoto 10 20 30\nlabel 10\nnothing\nlabel 20\nnothing\nlabel 30\nnothing\n",
    );
}

#[test]
fn operators() {
    check_body("x = -a**2 + b*c/d - 1", "x = (((-(a ** 2)) + ((b * c) / d)) - 1)\n");
    check_body("x = .not. a .and. b .or. c == d", "x = (((not a) and b) or (c == d))\n");
    check_body("x = a**b**c", "x = unknown<a b c>\n");
    check_body("x = (a + b) * 2_8", "x = ((a + b) * 2)\n");
    check_body("x = mod(a, 3) + merge(1, 2, b)", "x = ((a mod 3) + (b ? 1 : 2))\n");
    check_body("x = real(a, 8) + int(b)", "x = (<real(8)>a + <integer>b)\n");
    check_body("x = [1, 2] + (/ 3, n /)", "x = ({1, 2} + {3, n})\n");
}

#[test]
fn elements_calls_and_components() {
    check_body(
        "real :: a(3), b(:,:)\na(i) = f(i) + b(1, i)\na(:) = b(1, 2::2)",
        "a[i] = (f(i) + b[1, i])\na[::] = b[1, 2::2]\n",
    );
    check_body(
        "type t\nreal x(3)\nend type\ntype(t) :: v(4)\nv(i)%x(2) = v(1)%y%z",
        "v[i]%x[2] = v[1]%y%z\n",
    );
    check_body(
        "call mpi_send(buf=x, count=n, tag = 1)\ncall f\ncall p%run(2)",
        "mpi_send(buf=x, count=n, tag=1)\nf()\np%run(2)\n",
    );
    // A statement function is refused by being unknown.
    check_body("sf(x) = x + 1", "unknown sf x x\n");
}

#[test]
fn input_output_and_memory() {
    check_body(
        "real u(3)\nread(5, *, err=20) x, (u(i), i=1,n)\nwrite(*,*) x\n20 continue",
        "$read(unit_identifier=5, err=20, x, {u[i], i=1, n})\nif unknown<>\n  goto 20\n$write(x)\n\
         label 20\nnothing\n",
    );
    check_body(
        "real, allocatable :: q(:)\nallocate(q(0:n), stat=e)\ndeallocate(q)\nstop",
        "$allocate(q[0:n:], stat=e)\n$deallocate(q)\nreturn\n",
    );
    check_body("p => q", "unknown p q\n");
    check_body("where (a > 0) a = b", "unknown a b\n");
}

#[test]
fn preprocessor() {
    let found = free(
        "subroutine s\n#ifdef A\ninteger x(2)\n#endif\n#if B\nx(1) = 1\n#else\nx(1) = 2\n#endif\n\
         end\n",
    );
    let procedure = &found.procedures[0];
    assert_eq!(print::statements(&procedure.body), "if unknown<>\n  x[1] = 1\nelse\n  x[1] = 2\n");
    assert!(!procedure.directives.is_empty());
}

#[track_caller]
fn variables(procedure: &Procedure) -> Vec<String> {
    procedure.scope.variables.iter().map(|v| format!("{} {}", v.name, print::of(&v.of))).collect()
}

#[test]
fn declarations_in_any_order() {
    let found = free(
        "subroutine s(u, n, c, w)
           use m, only: a => b, c2
           use k
           integer, parameter :: dp = kind(1.0d0), wp = selected_real_kind(6)
           real(dp), intent(inout) :: u(-1:n, 0:*)
           real*8, intent(in), dimension(:,:) :: w
           double precision z
           integer*8 i8
           complex(dp) zc
           complex*16 zd
           real(other) xo
           character*(*) c
           character(len=5) d
           dimension z(3)
           integer, pointer :: p(:)
           real(wp), allocatable, save :: q(:)
           common /blk/ v(10), x
           common y
           equivalence (v(2), x)
           parameter (k5 = 5)
           integer :: kept = 3
           x = 1
         end",
    );
    let procedure = &found.procedures[0];
    assert_eq!(
        variables(procedure),
        [
            "u real(8)[(-1):n, 0:*]",
            "w real(8)[:, :]",
            "z double precision[:3]",
            "i8 integer(8)",
            "zc complex(16)",
            "zd complex(16)",
            "xo real(other)",
            "c character()",
            "d character(5)",
            "p pointer integer[:]",
            "q real(4)[:]",
            "v real[:10]",
            "kept integer",
        ]
    );
    let by = |name: &str| procedure.scope.variables.iter().find(|v| v.name == name).unwrap();
    assert_eq!(by("u").intent, Some(Intent::InOut));
    assert_eq!(by("w").intent, Some(Intent::In));
    assert!(by("u").unaliased && !by("p").unaliased);
    assert_eq!(by("u").storage, Storage::Argument);
    assert_eq!(by("v").storage, Storage::Shared);
    assert_eq!(by("kept").storage, Storage::Kept);
    assert_eq!(by("z").storage, Storage::Local);
    assert!(by("q").allocatable);
    let scope = &procedure.scope;
    assert_eq!(scope.commons.len(), 2);
    assert_eq!(scope.commons[0].variables, ["v", "x"]);
    assert_eq!(scope.uses[0].names, [("a".to_owned(), "b".to_owned()), ("c2".into(), "c2".into())]);
    assert!(scope.uses[0].only && !scope.uses[1].only);
    assert_eq!(print::expression(&scope.equivalences[0].places[0]), "v[2]");
    assert!(scope.constants.iter().any(|c| c.name == "k5"));
    assert!(scope.implicit);
}

#[test]
fn modules_and_internal_procedures() {
    let text = "module m
  implicit none
  real(8) :: g(5)
  type t
    sequence
    integer :: n
    real(8), allocatable :: x(:)
  end type
  interface
    subroutine ext(a)
      integer, intent(in) :: a
    end subroutine
  end interface
contains
  subroutine s
    g(1) = f(2)
  contains
    integer function f(x) result(r)
      integer x
      r = g(x)
    end function
  end subroutine
end module
program main
  use m
  call s
end program
";
    let found = free(text);
    let names: Vec<_> = found
        .procedures
        .iter()
        .map(|p| (p.name.as_str(), p.module.as_deref(), p.host.as_deref()))
        .collect();
    assert_eq!(names, [("s", Some("m"), None), ("f", Some("m"), Some("s")), ("main", None, None)]);
    assert_eq!(print::statements(&found.procedures[0].body), "g[1] = f(2)\n");
    assert_eq!(
        print::statements(&found.procedures[1].body),
        "r = <integer(4)>g[x]\n".replace("<integer(4)>", "")
    );
    assert_eq!(found.procedures[1].result, Some(Type::Basic("integer".into(), 4)));
    assert_eq!(found.modules[0].1.variables[0].storage, Storage::Shared);
    let record = &found.modules[0].1.records[0];
    assert!(record.fields[1].is_elsewhere && !record.fields[0].is_elsewhere);
    assert_eq!(found.prototypes[0].name, "ext");
    let start = found.procedures[0].body_start;
    assert!(text[start..].starts_with("g(1) = f(2)"));
}

#[test]
fn spans_lie_in_the_fixed_text() {
    let text = "      subroutine s\n      include 'header.h'\nc comment\n      call f(buff(1),\
        \n     >       n)\n\n   10 do i=1,2\n        x(i) = 1\n      enddo\n      end\n";
    let found = unit(Language::FortranFixed, text);
    let procedure = &found.procedures[0];
    let spans: Vec<_> = procedure.body.iter().map(|s| &text[s.span.range()]).collect();
    assert_eq!(spans[0], "call f(buff(1),\n     >       n)");
    assert_eq!(spans[1], "10 do i=1,2\n        x(i) = 1\n      enddo");
    assert_eq!(&text[procedure.span.range()], text.trim());
    assert!(text[procedure.body_start..].starts_with("call f"));
    assert_eq!(procedure.scope.includes[0].0, "header.h");
    assert_eq!(found.includes.len(), 1);
}

#[test]
fn what_is_included_is_settled_later() {
    let header = unit(
        Language::FortranFixed,
        "c header\n      integer n\n      parameter (n = 4)\n      double precision u(n),\
         \n     >  b(0:n)\n      common /f/ u, b\n",
    );
    assert!(header.procedures.is_empty() && header.errors.is_empty());
    assert_eq!(header.scope.variables.len(), 2);
    assert_eq!(header.scope.commons[0].name, "f");
    let mut found = unit(
        Language::FortranFixed,
        "      subroutine s\n      include 'h'\n      u(1) = b(2)\n      end\n",
    );
    let procedure = &mut found.procedures[0];
    assert_eq!(print::statements(&procedure.body), "u(1) = b(2)\n");
    settle(procedure, &|_| Meaning::Array, true);
    assert_eq!(print::statements(&procedure.body), "u[1] = b[2]\n");
}

#[test]
fn an_error_spoils_its_procedure_only() {
    let found = free(
        "module m\ncontains\nsubroutine bad\nreal a(3)\nif (a(1) then ) = 4 (\nend subroutine\n\
         subroutine good\nreal b(3)\nb(1) = 2\nend subroutine\nend module\n",
    );
    assert!(!found.errors.is_empty());
    let good = found.procedures.iter().find(|p| p.name == "good").unwrap();
    assert!(!good.has_errors);
    assert_eq!(good.module.as_deref(), Some("m"));
    assert_eq!(print::statements(&good.body), "b[1] = 2\n");
    assert!(found.procedures.iter().any(|p| p.name == "bad" && p.has_errors));
}

#[test]
fn text_past_column_72_is_an_error_of_its_procedure() {
    let long = format!("      subroutine s\n      x = 1{}+ y\n      end\n", " ".repeat(61));
    assert!(unit(Language::FortranFixed, &long).procedures[0].has_errors);
}

#[test]
fn deep_nesting_is_unknown() {
    let depth = 5000;
    let parentheses = format!("x = {}1{}\n", "(".repeat(depth), ")".repeat(depth));
    let sum = format!("x = 1{}\n", " + y".repeat(depth));
    let blocks = format!("{}{}", "if (a) then\n".repeat(depth), "end if\n".repeat(depth));
    let chain = format!("if (a) then\n{}end if\n", "else if (a) then\nx = 1\n".repeat(depth));
    let calls = format!("x = {}1{}\n", "f(".repeat(depth), ")".repeat(depth));
    for text in [parentheses, sum, blocks, chain, calls] {
        let found = free(&format!("subroutine s\n{text}end\n"));
        assert_eq!(found.procedures.len(), 1);
    }
    let hosts = "subroutine s\ncontains\n".repeat(depth) + &"end subroutine\n".repeat(depth);
    assert!(free(&hosts).procedures.len() <= depth);
}

/// Every prefix of a text, and every text with a piece left out: no panic, and places that lie in
/// it.
#[test]
fn any_text() {
    let text = "subroutine s(u)\ninteger :: u(3), x = 1\ndata x /1/\ncommon /b/ y(2)\n\
        10 do i = 1, 3\nif (i == 2) then\nu(i) = f(u(1:2), k=3)\nelse\nwrite(*,'(a)') 'é', x\n\
        end if\nend do\nselect case (x)\ncase (1:2)\ngoto 10\nend select\nend subroutine\n";
    let fixed: String = text.lines().map(|l| format!("      {l}\n")).collect();
    for (language, text) in
        [(Language::FortranFree, text), (Language::FortranFixed, fixed.as_str())]
    {
        for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            let cut = text.get(at + 7..).unwrap_or("");
            for changed in [text[..at].to_owned(), format!("{}{cut}", &text[..at])] {
                let found = unit(language, &changed);
                for procedure in &found.procedures {
                    assert!(changed.get(procedure.span.range()).is_some(), "{changed:?}");
                    for statement in &procedure.body {
                        assert!(changed.get(statement.span.range()).is_some(), "{changed:?}");
                        let is_step = match &statement.kind {
                            StatementKind::Evaluate(e) => {
                                matches!(e.kind, ExpressionKind::Step { .. })
                            }
                            _ => false,
                        };
                        assert!(!is_step, "{changed:?}");
                    }
                }
            }
        }
    }
}
