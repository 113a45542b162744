//! Programs of C, and the frame that those of C++ share.

pub mod exchange;
mod shapes;
mod twists;

use commloom_refactor::source::Language;

use super::calls::{Asked, Call};
use super::{Phase, Program, Rng, Shape, Twist, filled, one, placed};
use Phase::{Between, First, Last, Pending};

pub use shapes::{PARTS, SHAPES};
pub use twists::TWISTS;

pub const HELPERS: &str =
    "static int add@(double *a) { for (int x = 0; x < 60; x++) a[x] += 100; return 1; }
static void set@(double *a) { a[0] = 7; }
static double first@(const double *a) { return a[0]; }
static double *known@;
static void poke@(void) { known@[1] += 30; known@[0] += 30; known@[2] += 30; }
static void aim@(double **p, double *a) { *p = a; }
struct box@ { double *p; int n; };
static void add_in@(struct box@ *x) { x->p[0] += 9; x->p[1] += 9; x->p[2] += 9; }
static int back@(int n) { return n; }
static void check@(int failed) { if (failed != MPI_SUCCESS) abort(); }
static void check_at@(int failed, const char *f, int l) { if (failed && f && l) abort(); }
static int note@(double *a, int failed) { a[1] += 3 + failed; return failed; }
static int poke_too@(int failed) { poke@(); return failed; }
#define CELL@(i, j) u[(long)(i) * 20 + (j)]
#define CHECK@(call) do { int failed = (call); if (failed != MPI_SUCCESS) abort(); } while (0)
#define LEAVE@(call) if ((call) != MPI_SUCCESS) return t
#define TEST@(call) (void)((call) == MPI_SUCCESS || (abort(), 0))
#define USUAL@ 3
#ifndef DEPTH@
#define DEPTH@ USUAL@
#endif
";

/// Names for the datatype of all calls, each with what defines it.
const DATATYPES: &[(&str, &str)] = &[
    ("MPI_DOUBLE", ""),
    ("MPI_DOUBLE", ""),
    ("MPI_DOUBLE", ""),
    ("MPI_DOUBLE", ""),
    (
        "NUMBERS@",
        "#if SINGLE@\n#define NUMBERS@ MPI_FLOAT\n#else\n#define NUMBERS@ MPI_DOUBLE\n#endif\n",
    ),
    (
        "NUMBERS@",
        "#ifdef OTHER@\n#define NUMBERS@ MPI_INT64_T\n#else\n#define NUMBERS@ MPI_DOUBLE\n#endif\n",
    ),
    ("numbers@", "static const MPI_Datatype numbers@ = MPI_DOUBLE;\n"),
    (
        "numbers@",
        "static MPI_Datatype numbers@ = MPI_DOUBLE;\n\
         void choose@(void) { numbers@ = MPI_FLOAT; }\n",
    ),
    (
        "numbers@",
        "static MPI_Datatype numbers@ = MPI_DOUBLE;\nvoid wide@(void) { MPI_Type_contiguous(2, \
        MPI_DOUBLE, &numbers@); }\n",
    ),
];

/// The surroundings of copies and call.
pub const AROUND: &[(&str, &str)] = &[
    ("plain", "BODY"),
    ("loop", "for (int it = 0; it < 2; it++) {\nBODY\n}"),
    ("do while", "int it = 0;\ndo {\nBODY\n} while (++it < 2);"),
    ("condition", "if (m > 2) {\nBODY\n}"),
    ("one line", "if (m > 2) {\nBODY\n} else\nt += 2;"),
    ("switch", "switch (m) {\ncase 3: {\nBODY\nbreak;\n}\ndefault:\nt += 1;\n}"),
    ("goto", "if (m == 4)\ngoto end;\nBODY\nend:\nt += 0;"),
    ("block", "{\nBODY\n}"),
];

/// Name, declaration and end.
pub const BUFFERS: &[(&str, &str, &str)] = &[
    ("automatic", "double b[400];", ""),
    ("static", "static double b[400];", ""),
    ("with values", "double b[400] = {1, 2, 3};", ""),
    ("allocated", "double *b = malloc(400 * sizeof(double));", "free(b);"),
    ("variable length", "double b[n * m + 6 * n + m + 4];", ""),
    ("global", "double *b = global@;", ""),
    ("in a structure", "struct in@ { int k; double b[400]; } in;\ndouble *b = in.b;", ""),
];

/// A language: what its programs are drawn from, and how they begin.
pub struct Tongue {
    pub language: Language,
    pub begin: &'static str,
    pub shapes: &'static [&'static [Shape]],
    pub twists: &'static [&'static [Twist]],
    /// Statements with the call in them.
    pub expressions: &'static [&'static [&'static str]],
    pub buffers: &'static [(&'static str, &'static str, &'static str)],
    /// How pointers are said to lead to memory of their own.
    pub restrict: &'static str,
    /// Makes a text one for a buffer that is an object.
    pub adapt: fn(&str, &str) -> String,
}

pub fn program(rng: &mut Rng, number: usize) -> Program {
    let tongue = Tongue {
        language: Language::C,
        begin: "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n",
        shapes: &[SHAPES],
        twists: &[TWISTS],
        expressions: &[EXPRESSIONS],
        buffers: BUFFERS,
        restrict: "restrict ",
        adapt: |text, _| text.to_owned(),
    };
    drawn(rng, number, &tongue)
}

/// One of several lists, each as probable as it is long.
fn from<'a, T>(rng: &mut Rng, lists: &[&'a [T]]) -> &'a T {
    let all: usize = lists.iter().map(|list| list.len()).sum();
    let mut at = rng.usize(..all);
    for list in lists {
        match list.get(at) {
            Some(found) => return found,
            None => at -= list.len(),
        }
    }
    &lists[0][0]
}

/// The twists, each with its phase.
fn twists(
    rng: &mut Rng,
    tongue: &Tongue,
    call: Call,
    is_object: bool,
) -> Vec<(&'static Twist, Phase)> {
    let mut all: Vec<(&Twist, Phase)> = Vec::new();
    for _ in 0..*one(rng, &[0, 1, 1, 1, 1, 1, 2]) {
        let twist = from(rng, tongue.twists);
        let phase = *one(rng, twist.phases);
        let fits = (phase != Pending || call.waits())
            && (is_object || !twist.name.contains("object"))
            // Its request would be left behind.
            && !(call.is_persistent() && twist.name == "left early");
        if fits && !all.iter().any(|(known, _)| known.name == twist.name) {
            all.push((twist, phase));
        }
    }
    all
}

/// Changes around the call itself: its arguments, or whether it is made.
struct Odd {
    count: String,
    tag: String,
    peer: &'static str,
    checks: Option<&'static str>,
    condition: &'static str,
    early: String,
}

/// The call in an expression: evaluated once; never, or perhaps; with branches that change what
/// may be pending.
pub const EXPRESSIONS: &[&str] = &[
    "if ({} != MPI_SUCCESS)\nu[2] = 7;",
    "if ({} == MPI_SUCCESS)\nu[2] = 7;",
    "if (MPI_SUCCESS == {} && n > 0) {\nv[0] += 1;\n} else {\nu[1] = 3;\n}",
    "if (n > 0 && {} != MPI_SUCCESS)\nu[2] = 7;",
    "if (n < 0)\nu[3] = 1;\nelse if ({} != MPI_SUCCESS)\nu[2] = 7;",
    "u[4] += {} != MPI_SUCCESS;",
    "u[4] = 5 + {};",
    "check@({});",
    "check_at@({}, __FILE__, __LINE__);",
    "check@(back@({}));",
    "note@(u, {});",
    "u[5] += back@({});",
    "known@ = u;\nif (poke_too@({}))\nu[2] = 7;",
    "if (note@(v, {}) != MPI_SUCCESS)\nu[2] = 7;",
    "{\nint failed = {};\nu[4] += failed;\n}",
    "{\nint failed = {}, more = 2;\ncheck@(failed);\nu[4] += more;\n}",
];

const ZEROS: &str = "memset(b, 0, (n * m + 6 * n + m + 4) * sizeof(double));\n";

fn odd(
    rng: &mut Rng,
    tongue: &Tongue,
    shape: &Shape,
    call: Call,
    sends: bool,
    buffer: &str,
    names: &mut Vec<&'static str>,
) -> Odd {
    let mut odd = Odd {
        count: shape.count.to_owned(),
        tag: "3".to_owned(),
        peer: "peer",
        checks: None,
        condition: "",
        early: String::new(),
    };
    let count = &shape.count;
    let has_values = ["static", "with values", "global", "vector", "array"].contains(&buffer);
    match rng.u8(..24) {
        0 if !call.is_collective() => {
            names.push("an argument writes the array");
            odd.tag = "add@(u)".into();
        }
        1 => {
            names.push("a condition writes the array");
            odd.condition = "if (add@(u))\n";
        }
        2 if buffer == "static" => {
            names.push("the buffer read at the beginning");
            odd.early = "t += b[0];\n".into();
        }
        3 if sends && !call.is_collective() => {
            names.push("fewer are sent");
            odd.count = format!("({count} > 1 ? {count} - 1 : {count})");
        }
        4 if !sends && !call.is_collective() => {
            names.push("more are received");
            odd.count = format!("{count} + 1");
        }
        5 => {
            names.push("the call depends on a condition");
            odd.condition = "if (m > 2)\n";
            // What is not received must be defined, too.
            if !sends {
                odd.early = ZEROS.into();
            }
        }
        6 | 7 if !sends && !call.is_collective() => {
            names.push("nobody sends");
            odd.peer = *one(rng, &["MPI_PROC_NULL", "(m > 2 ? MPI_PROC_NULL : peer)", "from"]);
            if odd.peer == "from" {
                odd.early = "int from = n > 2 ? MPI_PROC_NULL : peer;\n".into();
            }
            // What is unpacked then must be defined.
            if !has_values {
                odd.early += ZEROS;
            }
        }
        8 | 9 => {
            names.push("a macro checks the call");
            odd.checks = Some(*one(rng, &["CHECK@", "LEAVE@", "TEST@"]));
        }
        10..13 => {
            names.push("an expression has the call in it");
            odd.checks = Some(*from(rng, tongue.expressions));
        }
        _ => {}
    }
    odd
}

pub fn drawn(rng: &mut Rng, number: usize, tongue: &Tongue) -> Program {
    let call = Call::drawn(rng);
    let sends = rng.bool();
    let shape = if call.has_parts(sends) { one(rng, PARTS) } else { from(rng, tongue.shapes) };
    let buffer = one(rng, tongue.buffers);
    let is_object = (tongue.adapt)("b", buffer.0) != "b";
    let twists = twists(rng, tongue, call, is_object);
    let mut names: Vec<&'static str> = twists.iter().map(|(twist, _)| twist.name).collect();
    let at: Vec<(usize, Phase)> = twists.iter().map(|(_, phase)| *phase).enumerate().collect();
    let all: Vec<&Twist> = twists.iter().map(|(twist, _)| *twist).collect();
    let place = |phase| placed(&all, &at, phase, shape);
    let Odd { count, tag, peer, checks, condition, mut early } =
        odd(rng, tongue, shape, call, sends, buffer.0, &mut names);
    let requests = *one(rng, &["one", "one", "one", "array", "waitall", "other first"]);
    let asked = Asked {
        shape,
        sends,
        count: &count,
        tag: &tag,
        peer,
        checks,
        condition,
        requests,
        between: &place(Between),
        pending: &place(Pending),
        is_root_only: rng.bool(),
    };
    let body = call.body(&asked);
    let is_cpp = tongue.language == Language::Cpp;
    // A `goto` past declarations is no C++.
    let fits: Vec<_> = AROUND.iter().filter(|a| !(is_cpp && a.0 == "goto")).collect();
    let around = one(rng, &fits);
    let is_used = names
        .iter()
        .any(|name| ["buffer", "unpacked", "object"].iter().any(|word| name.contains(word)));
    let is_skipped = ["condition", "one line", "switch", "goto"].contains(&around.0);
    if is_used && (is_skipped || call.is_collective()) {
        // What comes later reads the buffer on all paths, and processes.
        early += ZEROS;
    }
    let whole = call.init(&asked) + &around.1.replace("BODY", &body) + &call.end(&asked);
    let needs: String = all.iter().map(|t| filled(t.needs, shape) + "\n").collect();
    let restrict = if rng.bool() { tongue.restrict } else { "" };
    let last = place(Last) + &place(First);
    let adapt = |text: &str| (tongue.adapt)(text, buffer.0);
    let text = format!(
        "{begin}{HELPERS}static double global@[400];\n\
         {extern_c}double p@(double *{restrict}u, double *{restrict}v, int *list, int n, int m, \
         int peer, MPI_Comm comm)\n{{\n\
         double t = 0;\n{declared}\n{}\n{}{}MPI_Request r[2] = {{MPI_REQUEST_NULL, \
         MPI_REQUEST_NULL}};\n{}{}\n{}{end}\nreturn t;\n}}\n",
        adapt(shape.declared),
        adapt(&needs),
        adapt(&early),
        call.declared(),
        adapt(&whole),
        adapt(&last),
        begin = tongue.begin,
        extern_c = if is_cpp { "extern \"C\" " } else { "" },
        declared = buffer.1,
        end = buffer.2,
    );
    let (datatype, defined) = *one(rng, DATATYPES);
    let text =
        text.replace("MPI_DOUBLE", datatype).replacen(HELPERS, &[defined, HELPERS].concat(), 1);
    let text = indented(&text.replace('@', &number.to_string()));
    let form = format!(
        "{}, {}, {}, {} buffer",
        shape.name,
        call.name(sends, asked.requests),
        around.0,
        buffer.0
    );
    Program { number, language: tongue.language, form, twists: names, text }
}

/// Lines indented by their braces.
fn indented(text: &str) -> String {
    let mut depth = 0_usize;
    let mut out = String::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let closing = line.chars().take_while(|c| *c == '}').count();
        depth = depth.saturating_sub(closing);
        if !line.starts_with('#') {
            out.push_str(&"    ".repeat(depth));
        }
        out.push_str(line);
        out.push('\n');
        let open = line.matches('{').count();
        depth = (depth + open).saturating_sub(line.matches('}').count() - closing);
    }
    out
}
