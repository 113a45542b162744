//! The tree of each construct, written in a notation of one line for each statement.

use commloom_source::tree::{
    Bound, Expression, ExpressionKind, MAX_DEPTH, Procedure, Statement, StatementKind, Subscript,
    Type, Unary, Unit,
};
use commloom_source::{FileId, Language, Source};

use super::read_alone;

fn read(language: Language, text: &str) -> Unit {
    let source = Source { name: "test".into(), language, text: text.into() };
    read_alone(&source, FileId(0))
}

/// The body of a procedure with these statements.
fn body(text: &str) -> String {
    lines(&whole(Language::C, &format!("void f(void) {{ {text} }}")).body)
}

fn body_cpp(text: &str) -> String {
    lines(&whole(Language::Cpp, &format!("void f() {{ {text} }}")).body)
}

fn whole(language: Language, text: &str) -> Procedure {
    let mut unit = read(language, text);
    assert!(unit.errors.is_empty(), "{:?} in {text}", unit.errors);
    unit.procedures.pop().unwrap()
}

fn lines(body: &[Statement]) -> String {
    body.iter().map(line).collect::<Vec<_>>().join(" ")
}

fn line(statement: &Statement) -> String {
    match &statement.kind {
        StatementKind::Loop(l) => format!(
            "for {}={}{}{} by {} {{{}}}",
            l.variable,
            show(&l.first),
            if l.bound == Bound::Inclusive { ".." } else { "..<" },
            show(&l.last),
            show(&l.step),
            lines(&l.body)
        ),
        StatementKind::While { condition, body } => {
            let condition = condition.as_ref().map_or(String::new(), show);
            format!("while {condition} {{{}}}", lines(body))
        }
        StatementKind::If { condition, then, otherwise } if otherwise.is_empty() => {
            format!("if {} {{{}}}", show(condition), lines(then))
        }
        StatementKind::If { condition, then, otherwise } => {
            format!("if {} {{{}}} else {{{}}}", show(condition), lines(then), lines(otherwise))
        }
        StatementKind::Assign { target, operation, value } => {
            let operation = operation.map_or(String::new(), |o| format!("{o:?}"));
            format!("{} {operation}= {};", show(target), show(value))
        }
        StatementKind::Evaluate(value) => format!("{};", show(value)),
        StatementKind::Declare(all) => all
            .iter()
            .map(|d| format!("{}: {};", d.name, type_text(&d.of)))
            .collect::<Vec<_>>()
            .join(" "),
        StatementKind::Block(body) => format!("{{{}}}", lines(body)),
        StatementKind::Return(None) => "return;".into(),
        StatementKind::Return(Some(value)) => format!("return {};", show(value)),
        StatementKind::Break(_) => "break;".into(),
        StatementKind::Continue(_) => "continue;".into(),
        StatementKind::Goto(labels) => format!("goto {};", labels.join(",")),
        StatementKind::Label(label) => format!("{label}:"),
        StatementKind::Nothing => ";".into(),
        StatementKind::Unknown(names) => format!("?({});", names.join(",")),
    }
}

fn show(e: &Expression) -> String {
    let list = |all: &[Expression]| all.iter().map(show).collect::<Vec<_>>().join(",");
    match &e.kind {
        ExpressionKind::Integer(n) => n.to_string(),
        ExpressionKind::Literal(text) => text.clone(),
        ExpressionKind::Name(name) => name.clone(),
        ExpressionKind::Element { base, subscripts } => {
            let all: Vec<String> = subscripts
                .iter()
                .map(|s| match s {
                    Subscript::At(index) => show(index),
                    Subscript::Section { .. } => ":".into(),
                })
                .collect();
            format!("{}[{}]", show(base), all.join(","))
        }
        ExpressionKind::Member { base, field } => format!("{}.{field}", show(base)),
        ExpressionKind::Unary(Unary::Dereference, inner) => format!("(*{})", show(inner)),
        ExpressionKind::Unary(Unary::Address, inner) => format!("&{}", show(inner)),
        ExpressionKind::Unary(Unary::Minus, inner) => format!("-{}", show(inner)),
        ExpressionKind::Unary(operator, inner) => format!("{operator:?}({})", show(inner)),
        ExpressionKind::Binary(operator, left, right) => {
            format!("({} {operator:?} {})", show(left), show(right))
        }
        ExpressionKind::Cast(of, inner) => format!("({}){}", type_text(of), show(inner)),
        ExpressionKind::SizeOfType(of) => format!("sizeof<{}>", type_text(of)),
        ExpressionKind::SizeOfValue(inner) => format!("sizeof {}", show(inner)),
        ExpressionKind::OffsetOf(of, field) => format!("offset<{}.{field}>", type_text(of)),
        ExpressionKind::Call { function, arguments } => {
            format!("{}({})", show(function), list(arguments))
        }
        ExpressionKind::Step { target, by, prefix: true } => format!("pre{by}({})", show(target)),
        ExpressionKind::Step { target, by, .. } => format!("post{by}({})", show(target)),
        ExpressionKind::Assign { target, value, .. } => {
            format!("({}={})", show(target), show(value))
        }
        ExpressionKind::Choice { condition, yes, no } => {
            format!("({}?{}:{})", show(condition), show(yes), show(no))
        }
        ExpressionKind::List(all) => format!("[{}]", list(all)),
        ExpressionKind::Unknown(names) => format!("?({})", names.join(",")),
        other => format!("{other:?}"),
    }
}

fn type_text(of: &Type) -> String {
    match of {
        Type::Basic(name, _) | Type::Named(name) => name.clone(),
        Type::Record(name) => format!("struct {name}"),
        Type::Pointer(inner) => format!("*{}", type_text(inner)),
        Type::Reference(inner) => format!("&{}", type_text(inner)),
        Type::Array(inner, dimensions) => {
            let all: Vec<String> = dimensions
                .iter()
                .map(|d| match d {
                    commloom_source::tree::Dimension::Extent(n) => format!("[{}]", show(n)),
                    commloom_source::tree::Dimension::AssumedShape { .. } => "[:]".into(),
                    _ => "[]".into(),
                })
                .collect();
            format!("{}{}", all.concat(), type_text(inner))
        }
        Type::Void => "void".into(),
        Type::Unknown => "?".into(),
    }
}

#[test]
fn loops_that_count() {
    for (text, expected) in [
        ("for (i = 0; i < n; i++) b[i] = 0;", "for i=0..<n by 1 {b[i] = 0;}"),
        ("for (int i = 0; i < n; ++i) ;", "i: int; for i=0..<n by 1 {;}"),
        ("for (i = n - 1; i >= 0; i--) ;", "for i=(n Subtract 1)..0 by -1 {;}"),
        ("for (i = 0; n > i; i += 2) ;", "for i=0..<n by 2 {;}"),
        ("for (i = 0; i != n; i = i + 1) ;", "for i=0..<n by 1 {;}"),
        ("for (i = 0; i <= n; i = s + i) ;", "for i=0..n by s {;}"),
        ("for (i = n; i > 0; i -= s) ;", "for i=n..<0 by -s {;}"),
        ("for (; i < 3; i++) ;", "for i=i..<3 by 1 {;}"),
        (
            "for (i = 0, p = 0; i < n; i++, p += 3) b[p] = 0;",
            "p = 0; for i=0..<n by 1 {b[p] = 0; p Add= 3;}",
        ),
        ("for (i = 0; i < s->n; i++) s->b[i] = 0;", "for i=0..<(*s).n by 1 {(*s).b[i] = 0;}"),
        (
            "for (i = 0; i < n; i++) { if (a[i]) continue; x++; }",
            "for i=0..<n by 1 {if a[i] {continue;} post1(x);}",
        ),
    ] {
        assert_eq!(body(text), expected, "{text}");
    }
}

#[test]
fn loops_that_do_not_count() {
    for (text, expected) in [
        ("for (i = 0; i < n; i++) i = 3;", "i = 0; while (i Less n) {i = 3; post1(i);}"),
        ("for (i = 0; i < n; i++) n--;", "i = 0; while (i Less n) {post-1(n); post1(i);}"),
        ("for (i = 0; i < n; i++) g(&i);", "i = 0; while (i Less n) {g(&i); post1(i);}"),
        ("for (i = 0; i < n; i--) ;", "i = 0; while (i Less n) {; post-1(i);}"),
        ("for (i = 0; i != n; i += 2) ;", "i = 0; while (i NotEqual n) {; i Add= 2;}"),
        (
            "for (i = 0; i < l[k]; i++) l[i] = 1;",
            "i = 0; while (i Less l[k]) {l[i] = 1; post1(i);}",
        ),
        ("for (i = 0; i < g(); i++) ;", "i = 0; while (i Less g()) {; post1(i);}"),
        ("for (;;) break;", "while  {break;}"),
        (
            "for (; *p; p++) if (*p) continue;",
            "while (*p) {if (*p) {goto next@1;} next@1: post1(p);}",
        ),
        ("while (n--) *b++ = *a++;", "while post-1(n) {(*post1(b)) = (*post1(a));}"),
        ("do { x = 1; } while (x < 3);", "while  {x = 1; if (x Less 3) {} else {break;}}"),
    ] {
        assert_eq!(body(text), expected, "{text}");
    }
}

#[test]
fn expressions() {
    for (text, expected) in [
        ("g[i][j].x = a->b.c;", "g[i][j].x = (*a).b.c;"),
        (
            "x = (double)y + 0x10UL - 010 + 1e3;",
            "x = ((((double)y Add (unsigned long)16) Subtract 8) Add 1e3);",
        ),
        ("x = -(a) ? b : !c;", "x = (-a?b:Not(c));"),
        (
            "memcpy(&b[p], a[i].r, sizeof(double) * 3);",
            "memcpy(&b[p],a[i].r,(sizeof<double> Multiply 3));",
        ),
        (
            "x = sizeof *p + sizeof(A) + offsetof(A, id);",
            "x = ((sizeof (*p) Add sizeof A) Add offset<A.id>);",
        ),
        ("*p++ = x[--j];", "(*post1(p)) = x[pre-1(j)];"),
        ("a = b = 0;", "a = (b=0);"),
        ("a = 1, b = 2;", "a = 1; b = 2;"),
        ("x += *(u + i * n);", "x Add= (*(u Add (i Multiply n)));"),
        ("(void)f(x);", "f(x);"),
        ("double (*q)[3] = (double (*)[3])p;", "q: *[3]double; q = (*[3]double)p;"),
    ] {
        assert_eq!(body(text), expected, "{text}");
    }
}

#[test]
fn macros_are_expanded_where_they_stand() {
    let f = whole(
        Language::C,
        "#define N 5\n#define IDX(i,j) ((i)*N+(j))\n#define PUT(b,x) do { *b++ = x; } while (0)\n\
         #define BAD n+1\n#define real double\n\
         void f(real *u) { real v; x = u[IDX(i,j+1)]; PUT(b, x + N); y = 2 * BAD; z = BAD; }",
    );
    assert_eq!(
        lines(&f.body),
        "v: double; x = u[((i Multiply N) Add (j Add 1))]; {(*post1(b)) = (x Add N);} \
         y = (2 Multiply ?(n)); z = (n Add 1);"
    );
    let twice = whole(Language::C, "#define P a = 1; b = 2\nvoid f(void) { P; if (c) P; }");
    assert_eq!(lines(&twice.body), "a = 1; b = 2; if c {?(a,b);}");
}

#[test]
fn branches() {
    for (text, expected) in [
        ("if (a) b = 1; else if (c) d = 2; else ;", "if a {b = 1;} else {if c {d = 2;} else {;}}"),
        (
            "switch (x) { case 1: case 2: a = 1; break; case 3: { b = 2; return; } \
             default: c = 3; }",
            "if ((x Equal 1) Or (x Equal 2)) {a = 1;} else {if (x Equal 3) {{b = 2; return;}} \
             else {c = 3;}}",
        ),
        (
            "switch (x) { case 1: a = 1; case 2: b = 2; }",
            "if (x Equal 1) {goto case@2;} if (x Equal 2) {goto case@3;} goto end@1; \
             case@2: a = 1; case@3: b = 2; end@1:",
        ),
        ("goto out; out: return 3;", "goto out; out: return 3;"),
        (
            "a = 1;\n#ifdef X\nb = 2;\n#elif defined(Y)\nc = 3;\n#else\nd = 4;\n#endif\n",
            "a = 1; if ?() {b = 2;} else {if ?() {c = 3;} else {d = 4;}}",
        ),
    ] {
        assert_eq!(body(text), expected, "{text}");
        let f = whole(Language::C, &format!("void f(void) {{ {text} }}"));
        f.body.iter().for_each(|s| {
            s.each(&mut |around| {
                for inside in around.bodies().into_iter().flatten() {
                    assert!(around.span.contains(inside.span), "{text}: {around:?}");
                }
            })
        });
    }
    let f = whole(
        Language::C,
        "void f(void) { int a;\n#pragma omp parallel for\nfor (;;) ;\n#if X\na = 1;\n#endif\n}",
    );
    assert_eq!(f.directives.len(), 2);
}

#[test]
fn names_are_unique_in_a_procedure() {
    for (text, expected) in [
        ("int i; { double i; i = 1; } i = 2;", "i: int; {i@2: double; i@2 = 1;} i = 2;"),
        ("{ int k; k = 1; } { int k; k = 2; }", "{k: int; k = 1;} {k: int; k = 2;}"),
        ("{ int k; k = 1; } { char k; k = 2; }", "{k: int; k = 1;} {k@2: char; k@2 = 2;}"),
        ("n = 1; { int n; n = 2; } n = 3;", "n = 1; {n@1: int; n@1 = 2;} n = 3;"),
        ("{ int n; n = 2; } n = 3;", "{n: int; n = 2;} ?(n) = 3;"),
    ] {
        assert_eq!(body(text), expected, "{text}");
    }
}

#[test]
fn types_and_globals() {
    let unit = read(
        Language::C,
        "typedef struct { double r[3]; int id, *p; } A; struct B { A a; unsigned x:3; };\n\
         enum { E1, E2 = 5, E3 };\nstatic double g[N][M][3], *h; const int k = 4; \
         extern void foo(const double *restrict a, int (*b)[3], ...);\n\
         typedef double V[3];\n",
    );
    let record = &unit.scope.records[0];
    let fields: Vec<String> =
        record.fields.iter().map(|f| format!("{} {}", f.name, type_text(&f.of))).collect();
    assert_eq!(fields, ["r [3]double", "id int", "p *int"]);
    assert_eq!(unit.scope.aliases[0], ("A".into(), Type::Record(record.name.clone())));
    assert_eq!(type_text(&unit.scope.aliases[1].1), "[3]double");
    assert!(unit.scope.records[1].is_opaque);
    let constants: Vec<String> =
        unit.scope.constants.iter().map(|c| format!("{}={}", c.name, show(&c.value))).collect();
    assert_eq!(constants, ["E1=0", "E2=5", "E3=6", "k=4"]);
    let variables: Vec<String> =
        unit.scope.variables.iter().map(|v| format!("{} {}", v.name, type_text(&v.of))).collect();
    assert_eq!(variables, ["g [N][M][3]double", "h *double"]);
    let foo = &unit.prototypes[0];
    assert!(foo.variadic && foo.parameters[0].unaliased && foo.parameters[0].intent.is_some());
    assert_eq!(type_text(&foo.parameters[1].of), "*[3]int");
}

#[test]
fn procedures() {
    let f =
        whole(Language::C, "static int f(int n, double a[n][n], char *s) { int x = 1; return n; }");
    assert_eq!(f.parameters, ["n", "a", "s"]);
    assert_eq!(type_text(&f.scope.variables[1].of), "*[n]double");
    assert!(f.is_local && f.body_start == 58, "{}", f.body_start);
    let variable = whole(Language::C, "void f(int n, double a[n][n]) { x = n; }");
    assert_eq!(lines(&variable.body), "x = n;");
    let old = whole(Language::C, "int f(a, b) int a; double *b; { }");
    assert_eq!(type_text(&old.scope.variables[1].of), "*double");
}

#[test]
fn cpp() {
    for (text, expected) in [
        ("std::vector<double> b(n);", "b: [:]double; std::vector(n);"),
        (
            "std::vector<double> b(3 * n); g(b.data());",
            "b: [:]double; std::vector((3 Multiply n)); g(&b[0]);",
        ),
        ("int w{5}; const int& r = w;", "w: int; w = 5; r: &int;"),
        ("double *p = new (q) double[n];", "p: *double; p = (*double)$placement(n);"),
        (
            "double *p = new double[3 * n]; delete[] p;",
            "p: *double; p = (*double)new((3 Multiply n)); delete(p);",
        ),
        ("x = static_cast<float>(y) + int(z);", "x = ((float)y Add (int)z);"),
        ("const auto e = MPI_Wait(r, s);", "e: int; e = MPI_Wait(r,s);"),
        ("auto e = 3;", "e: int; e = 3;"),
        ("auto e = 3u;", "e: ?; e = (unsigned int)3;"),
        ("decltype(x) e = 3;", "e: ?; e = 3;"),
        ("if (int e = g(x)) y = e;", "{e: int; e = g(x); if e {y = e;}}"),
        (
            "if (int e = MPI_Wait(r, s); e && y) y = 1;",
            "{e: int; e = MPI_Wait(r,s); if (e And y) {y = 1;}}",
        ),
        ("if (y = 1; y > x) x = 2;", "{y = 1; if (y Greater x) {x = 2;}}"),
        ("throw std::range_error(x);", "std::range_error(x); return;"),
        ("try { throw x; } catch (...) { y = 1; }", "{?(throw,x);} if ?() {y = 1;}"),
        ("g(__LINE__, __func__);", "g(__LINE__,__func__);"),
        ("g(MPI_Wait(r, s), x);", "MPI_Wait(r,s); g(?(),x);"),
        ("g(h(), MPI_Wait(r, s));", "g(h(),MPI_Wait(r,s));"),
        ("for (auto &e : v) e = 1;", "e: &?; while ?(v) {e = ?(); e = 1;}"),
        ("auto z = [&](int i) { return i + k; };", "z: ?; z = ?(i,k,return,int);"),
        (
            "std::copy(a, a + n, b);",
            "{copied@1: long; for copied@1=0..<n by 1 {b[copied@1] = a[copied@1];}}",
        ),
    ] {
        let mut got = body_cpp(text);
        if text.contains("[&]") {
            got = got.replace("?(i,int,k,return)", "?(i,k,return,int)");
        }
        assert_eq!(got, expected, "{text}");
    }
    let unit = read(
        Language::Cpp,
        "namespace a { class K { int n; double *x; void g(int q) { x[q] = n; } }; }\n\
         void a::K::f() {}\ntemplate <class T> void h(T *t) { *t = 0; }\n\
         extern \"C\" { int bar(void); }",
    );
    assert!(unit.errors.is_empty());
    let names: Vec<&str> = unit.procedures.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a::K::g", "a::K::f", "h"]);
    assert_eq!(unit.prototypes[0].name, "bar");
}

#[test]
fn errors_elsewhere_do_no_harm() {
    let unit =
        read(Language::C, "int x = @ ;\nvoid f(void) { a = 1; }\nvoid g(void) { b = = 2; c = 3; }");
    assert!(!unit.errors.is_empty());
    let f = unit.procedures.iter().find(|p| p.name == "f").unwrap();
    assert_eq!(lines(&f.body), "a = 1;");
    assert!(!f.has_errors);
    let g = unit.procedures.iter().find(|p| p.name == "g").unwrap();
    assert_eq!(lines(&g.body), "?(b); c = 3;");
    assert!(g.has_errors);
}

#[test]
fn what_is_too_deep_is_unknown_and_harmless() {
    let deep = 20_000;
    let texts = [
        format!("void f(void) {{ x = {}1{}; }}", "(".repeat(deep), ")".repeat(deep)),
        format!("void f(void) {{ x = {}y; }}", "-".repeat(deep)),
        format!("void f(void) {{ x = {}y; }}", "a + ".repeat(deep)),
        format!("void f(void) {{ x = y{}; }}", "->z".repeat(deep)),
        format!("void f(void) {{ {} {} }}", "{".repeat(deep), "}".repeat(deep)),
        format!("void f(void) {{ {} ; }}", "if (a) ".repeat(deep)),
        format!("void f(void) {{ {} ; }}", "for (;;) ".repeat(deep)),
        format!("void f(int {}x) {{ }}", "*".repeat(deep)),
        format!("{} int x; {}", "struct { ".repeat(deep), "} y; ".repeat(deep)),
        format!("#if 1\n{}{}", "#if 1\n".repeat(deep), "#endif\n".repeat(deep)),
        format!("void f(void) {{ {} ; }}", "switch (x) case 1: ".repeat(deep)),
        "{ ( [ ".repeat(deep),
    ];
    for text in texts {
        for language in [Language::C, Language::Cpp] {
            let unit = read(language, &text);
            for procedure in &unit.procedures {
                assert!(depth(&procedure.body) <= MAX_DEPTH);
            }
        }
    }
    // A hundred operators in a row are well inside.
    let sum = body(&format!("x = {}y;", "a + ".repeat(100)));
    assert!(!sum.contains('?'));
}

fn depth(body: &[Statement]) -> usize {
    let inner = |s: &Statement| match &s.kind {
        StatementKind::Loop(l) => depth(&l.body),
        StatementKind::While { body, .. } | StatementKind::Block(body) => depth(body),
        StatementKind::If { then, otherwise, .. } => depth(then).max(depth(otherwise)),
        StatementKind::Assign { value, .. } => expression_depth(value),
        _ => 0,
    };
    1 + body.iter().map(inner).max().unwrap_or(0)
}

fn expression_depth(e: &Expression) -> usize {
    1 + match &e.kind {
        ExpressionKind::Unary(_, inner)
        | ExpressionKind::Member { base: inner, .. }
        | ExpressionKind::Cast(_, inner) => expression_depth(inner),
        ExpressionKind::Binary(_, left, right) => {
            expression_depth(left).max(expression_depth(right))
        }
        _ => 0,
    }
}

#[test]
fn a_bound_that_changes_something_spoils_its_procedure() {
    let text = "void f(int m, double u[3][m++]) {}\nvoid g(int m) { double u[m = 3]; }\n\
        void h(int m, double u[3][m + 1]) { double v[m]; v[m++] = 1; }\n";
    let source = Source { name: "t.c".into(), language: Language::C, text: text.into() };
    let unit = read_alone(&source, FileId(0));
    let spoilt: Vec<bool> = unit.procedures.iter().map(|p| p.has_errors).collect();
    assert_eq!(spoilt, [true, true, false]);
}

#[test]
fn a_name_in_two_lines_spoils_its_procedure() {
    let unit = read(
        Language::C,
        "void f(void) {\n  MPI_\\\nSend(b);\n}\nvoid g(void) { a = 1 + \\\n2; }\n",
    );
    let [f, g] = unit.procedures.as_slice() else { panic!("two procedures") };
    assert!(f.has_errors && !g.has_errors);
    assert!(lines(&f.body).contains("MPI_Send"), "{}", lines(&f.body));
}
