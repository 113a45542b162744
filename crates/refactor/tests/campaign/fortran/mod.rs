//! Programs of Fortran.

mod shapes;
mod twists;

use commloom_refactor::source::Language;

use super::{Phase, Program, Rng, Shape, Twist, one, placed};
use Phase::{Between, Last, Pending};
use shapes::SHAPES;
use twists::TWISTS;

const HELPERS: &str = "subroutine zero@(a, n)
integer :: n
double precision :: a(n)
a = 0
end subroutine
subroutine add@(a)
double precision :: a(60)
a = a + 100
end subroutine
subroutine set@(a)
double precision :: a(*)
a(1) = 7
end subroutine
double precision function first@(a)
double precision :: a(*)
first@ = a(1)
end function
logical function grows@(a)
double precision :: a(60)
a = a + 10
grows@ = .true.
end function
integer function tag@(a)
double precision :: a(60)
a = a + 20
tag@ = 4
end function
subroutine common@()
double precision :: c(64)
common /campaign_common/ c
c = c + 5
end subroutine
";

const INSIDE: &str = "contains
subroutine inside_add@()
u(1:60) = u(1:60) + 30
end subroutine
subroutine inside_set@()
b(1) = 9
end subroutine
subroutine inside_read@()
t = t + b(1)
end subroutine
subroutine inside_bound@()
n = n / 2
end subroutine
subroutine inside_index@()
t = t + k
end subroutine
";

const AROUND: &[(&str, &str)] = &[
    ("plain", "BODY"),
    ("loop", "do it = 1, 2\nBODY\nend do"),
    ("condition", "if (m > 2) then\nBODY\nend if"),
    ("select", "select case (m)\ncase (3)\nBODY\ncase default\nt = t + 1\nend select"),
    ("goto", "if (m == 4) goto 100\nBODY\n100 continue"),
    ("block", "block\nBODY\nend block"),
    ("exit", "do it = 1, 3\nif (it == 3) exit\nBODY\nend do"),
];

const BUFFERS: &[(&str, &str, &str)] = &[
    ("automatic", "double precision :: b(n * m + 4 * n + m + 4)", ""),
    ("fixed", "double precision :: b(400)", ""),
    ("saved", "double precision, save :: b(400)", ""),
    ("allocated", "double precision, allocatable :: b(:)", "allocate(b(400))"),
    ("common", "double precision :: b(400)\ncommon /work@/ b", ""),
];

/// How the array is declared; also how the same memory is seen as an array of three dimensions.
const ARRAYS: &[(&str, &str)] = &[
    ("fixed size", "double precision TARGET :: u(512)"),
    ("assumed size", "double precision TARGET :: u(*)"),
    ("common", "double precision :: dummy(512), u(64), c@(64)\ncommon /campaign_common/ u"),
];

pub fn program(rng: &mut Rng, number: usize) -> Program {
    let shape = one(rng, SHAPES);
    let array = if shape.name == "plane" { &ARRAYS[0] } else { one(rng, ARRAYS) };
    let in_common = array.0 == "common";
    let is_small =
        ["vector", "section", "two arrays", "concurrent", "where", "branches", "downwards"];
    let (shape, array) = if in_common && !is_small.contains(&shape.name) {
        (shape, &ARRAYS[0])
    } else {
        (shape, array)
    };
    let sends = rng.bool();
    let way = *one(rng, &[Way::Blocking, Way::Immediate, Way::Persistent, Way::Broadcast]);
    let buffer = one(rng, BUFFERS);
    let mut twists: Vec<&Twist> = Vec::new();
    let mut at = Vec::new();
    for _ in 0..*one(rng, &[0, 1, 1, 1, 1, 1, 2]) {
        let twist = one(rng, TWISTS);
        let phase = *one(rng, twist.phases);
        let fits = (phase != Pending || way.waits())
            // Its request would be left behind.
            && !(way == Way::Persistent && twist.name == "left early")
            && !(twist.name == "equivalent storage written" && (buffer.0 != "fixed" || !sends))
            && !(twist.name.contains("the array")
                && twist.name.contains("pointer")
                && array.0 != "fixed size")
            && !(twist.name.contains("associate") && array.0 == "assumed size");
        if !fits || twists.iter().any(|t| t.name == twist.name) {
            continue;
        }
        at.push((twists.len(), phase));
        twists.push(twist);
    }
    let mut names: Vec<&'static str> = twists.iter().map(|t| t.name).collect();
    let place = |phase| placed(&twists, &at, phase, shape);
    let (mut tag, mut condition, mut count) = ("3".to_owned(), "", shape.count.to_owned());
    match rng.u8(..24) {
        0 if way != Way::Broadcast => {
            names.push("an argument writes the array");
            tag = "tag@(u)".into();
        }
        1 => {
            names.push("a condition writes the array");
            condition = "if (grows@(u)) ";
        }
        2 if sends && way != Way::Broadcast => {
            names.push("fewer are sent");
            count = format!("max(0, {count} - 1)");
        }
        3 if !sends && way != Way::Broadcast => {
            names.push("more are received");
            count = format!("{count} + 1");
        }
        4 => {
            names.push("the call depends on a condition");
            condition = "if (m > 2) ";
        }
        _ => {}
    }
    let around = one(rng, AROUND);
    // Later readers, and copies of what was not received, find zeros.
    let is_used = names.iter().any(|name| name.contains("buffer"));
    let is_open = ["condition", "select", "goto"].contains(&around.0) || way == Way::Broadcast;
    let is_skipped = (is_used && is_open) || names.contains(&"the call depends on a condition");
    let early = if is_skipped { "call zero@(b, n * m + 4 * n + m + 4)" } else { "" };
    let requests = *one(rng, &["one", "one", "one", "array", "waitall", "other first"]);
    let passed = match rng.u8(..8) {
        0 => format!("b(1:{count})"),
        1 => format!("b(:{count})"),
        2 => "b(:)".to_owned(),
        _ => "b".to_owned(),
    };
    let asked = Asked {
        sends,
        passed: &passed,
        count: &count,
        tag: &tag,
        condition,
        requests,
        between: &place(Between),
        pending: &place(Pending),
    };
    let body = way.body(shape, &asked);
    let module =
        if rng.bool() { "use mpi\nimplicit none" } else { "implicit none\ninclude 'mpif.h'" };
    let needs: String = twists.iter().map(|t| format!("{}\n", t.needs)).collect();
    let is_pointed = needs.contains("pointer");
    let declared = array.1.replace(" TARGET", if is_pointed { ", target" } else { "" });
    let plane = if shape.name == "plane" { "double precision :: a(4, 8, 16)\n" } else { "" };
    // The array of three dimensions is the dummy argument itself.
    let (dummy, declared) = match (shape.name, array.0) {
        ("plane", _) => ("a", "double precision :: u(512)\n".to_owned() + plane),
        (_, "common") => ("dummy", declared),
        _ => ("u", declared),
    };
    let is_inside = names.iter().any(|name| name.contains("internal")) || rng.u8(..4) == 0;
    let inside = if is_inside { INSIDE } else { "" };
    let interfaces = "double precision, external :: first@\nlogical, external :: grows@\n\
        integer, external :: tag@\n";
    let text = format!(
        "subroutine p@({dummy}, v, list, n, m, peer, comm, t)\n{module}\n\
         integer :: n, m, peer, comm, list(64)\n\
         integer :: ierr, r(2), i, j, k, x, it, rank\n{declared}\n\
         double precision :: v(512), t\n{}\n\
         {needs}{interfaces}\
         t = 0\ni = 0\nj = 0\nk = 0\nr = 0\n{}\n{}\n{early}\n{}{}\n{}{}{inside}end subroutine\n\
         {HELPERS}",
        buffer.1,
        buffer.2,
        if dummy == "a" { "u = 1" } else { "" },
        way.init(&asked),
        around.1.replace("BODY", &body),
        way.end(&asked),
        place(Last),
    );
    let text = text.replace(", c@(64)", "");
    let text = indented(&text.replace('@', &number.to_string()));
    let what = format!("{way:?} {}", if sends { "send" } else { "receive" }).to_lowercase();
    let form =
        format!("{}, {what}, {}, {} buffer, array of {}", shape.name, around.0, buffer.0, array.0);
    Program { number, language: Language::FortranFree, form, twists: names, text }
}

/// How the message is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Blocking,
    Immediate,
    Persistent,
    Broadcast,
}

/// The properties that the call shall have.
struct Asked<'a> {
    sends: bool,
    /// The buffer as it stands in the call.
    passed: &'a str,
    count: &'a str,
    tag: &'a str,
    condition: &'a str,
    requests: &'a str,
    between: &'a str,
    pending: &'a str,
}

impl Way {
    fn waits(self) -> bool {
        matches!(self, Way::Immediate | Way::Persistent)
    }

    /// The text before all, which is not repeated.
    fn init(self, asked: &Asked<'_>) -> String {
        let Asked { passed, count, tag, .. } = asked;
        let (kind, r) = (asked.kind(), asked.request());
        let arguments =
            format!("{passed}, {count}, mpi_double_precision, peer, {tag}, comm, {r}, ierr");
        match self {
            Way::Persistent => format!("call mpi_{kind}_init({arguments})\n"),
            Way::Broadcast => "call mpi_comm_rank(comm, rank, ierr)\n".to_owned(),
            Way::Blocking | Way::Immediate => String::new(),
        }
    }

    fn end(self, asked: &Asked<'_>) -> String {
        match self {
            Way::Persistent => format!("call mpi_request_free({}, ierr)\n", asked.request()),
            _ => String::new(),
        }
    }

    /// Copies and call.
    fn body(self, shape: &Shape, asked: &Asked<'_>) -> String {
        let Asked { sends, passed, count, tag, condition, between, .. } = asked;
        let (kind, r) = (asked.kind(), asked.request());
        let to = format!("{passed}, {count}, mpi_double_precision, peer, {tag}, comm");
        let call = match self {
            Way::Immediate => format!("call mpi_i{kind}({to}, {r}, ierr)"),
            Way::Blocking if *sends => format!("call mpi_send({to}, ierr)"),
            Way::Blocking => format!("call mpi_recv({to}, mpi_status_ignore, ierr)"),
            Way::Persistent => format!("call mpi_start({r}, ierr)"),
            Way::Broadcast => {
                format!("call mpi_bcast({passed}, {count}, mpi_double_precision, 0, comm, ierr)")
            }
        };
        let end = if self.waits() { asked.end() } else { String::new() };
        let on = |which: &str, text: &str| format!("if (rank {which} 0) then\n{text}\nend if\n");
        if self == Way::Broadcast {
            let (pack, unpack) = (on("==", shape.pack), on("/=", shape.unpack));
            format!("{pack}{between}{condition}{call}\n{unpack}")
        } else if *sends {
            format!("{}\n{between}{condition}{call}\n{end}", shape.pack)
        } else {
            format!("{condition}{call}\n{end}{between}{}", shape.unpack)
        }
    }
}

impl Asked<'_> {
    fn kind(&self) -> &'static str {
        if self.sends { "send" } else { "recv" }
    }

    fn request(&self) -> &'static str {
        if self.requests == "one" { "r(1)" } else { "r(2)" }
    }

    /// Until the request is complete.
    fn end(&self) -> String {
        let other = "call mpi_irecv(v(200), 4, mpi_double_precision, peer, 8, comm, r(1), ierr)\n";
        let wait = |at: u8| format!("call mpi_wait(r({at}), mpi_status_ignore, ierr)\n");
        let pending = self.pending;
        match self.requests {
            "one" => format!("{pending}{}", wait(1)),
            "array" => format!("{other}{pending}{}{}", wait(2), wait(1)),
            "waitall" => {
                format!("{other}{pending}call mpi_waitall(2, r, mpi_statuses_ignore, ierr)\n")
            }
            _ => format!("{other}{}{pending}{}", wait(1), wait(2)),
        }
    }
}

fn indented(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let first = line.split([' ', '(']).next().unwrap_or("");
        let ends = matches!(first, "end" | "else" | "case" | "contains");
        if ends {
            depth = depth.saturating_sub(1);
        }
        out.push_str(&"  ".repeat(depth));
        out.push_str(line);
        out.push('\n');
        let begins = matches!(
            first,
            "do" | "select" | "block" | "associate" | "subroutine" | "else" | "case" | "contains"
        ) || line.contains(" function ")
            || (first == "if" && line.ends_with("then"));
        depth += usize::from(begins);
    }
    out
}
