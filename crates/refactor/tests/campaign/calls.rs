//! How the message is made, in C and C++: blocking, with a request that is kept or not, or by a
//! collective operation.

use super::{Rng, Shape, one};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    Blocking,
    Immediate,
    Persistent,
    Bcast,
    Gather,
    Scatter,
    Allgather,
    Alltoall,
}

/// The properties that the call shall have.
pub struct Asked<'a> {
    pub shape: &'a Shape,
    pub sends: bool,
    pub count: &'a str,
    pub tag: &'a str,
    pub peer: &'a str,
    /// A macro around the call that checks what it returns, or the text with `{}` for the call.
    pub checks: Option<&'a str>,
    pub condition: &'a str,
    /// Which request it is, and how it is waited for.
    pub requests: &'a str,
    pub between: &'a str,
    pub pending: &'a str,
    /// Whether only the root packs what only the root sends.
    pub is_root_only: bool,
}

use Call::{Allgather, Alltoall, Bcast, Blocking, Gather, Immediate, Persistent, Scatter};

impl Call {
    pub fn drawn(rng: &mut Rng) -> Call {
        let collective = *one(rng, &[Bcast, Gather, Scatter, Allgather, Alltoall]);
        let often = [Blocking, Blocking, Immediate, Immediate, Persistent, collective];
        *one(rng, &often)
    }

    pub fn is_persistent(self) -> bool {
        self == Persistent
    }

    pub fn is_collective(self) -> bool {
        !matches!(self, Blocking | Immediate | Persistent)
    }

    /// Whether something can happen while it is pending.
    pub fn waits(self) -> bool {
        matches!(self, Immediate | Persistent)
    }

    /// Whether the buffer has a part for each process.
    pub fn has_parts(self, sends: bool) -> bool {
        match self {
            Scatter => sends,
            Gather | Allgather => !sends,
            _ => self == Alltoall,
        }
    }

    pub fn declared(self) -> &'static str {
        if self.is_collective() {
            "int procs, rank;\nMPI_Comm_size(comm, &procs);\nMPI_Comm_rank(comm, &rank);\n"
        } else {
            ""
        }
    }

    /// Makes the request that is started later.
    pub fn init(self, asked: &Asked<'_>) -> String {
        if !self.is_persistent() {
            return String::new();
        }
        let Asked { count, tag, peer, .. } = asked;
        let name = if asked.sends { "Send" } else { "Recv" };
        let request = request(asked);
        format!("MPI_{name}_init(b, {count}, MPI_DOUBLE, {peer}, {tag}, comm, &{request});\n")
    }

    pub fn end(self, asked: &Asked<'_>) -> String {
        match self {
            Persistent => format!("\nMPI_Request_free(&{});", request(asked)),
            _ => String::new(),
        }
    }

    /// Copies and call.
    pub fn body(self, asked: &Asked<'_>) -> String {
        let Asked { shape, sends, condition, between, .. } = asked;
        let (pack, unpack) = (shape.pack, shape.unpack);
        let call = match asked.checks {
            Some(around) if around.contains("{}") => {
                format!("{condition}{}", around.replace("{}", &self.call(asked)))
            }
            Some(checks) => format!("{condition}{checks}({});", self.call(asked)),
            None => format!("{condition}{};", self.call(asked)),
        };
        if self == Bcast {
            let (pack, unpack) = (on("rank == 0", pack), on("rank != 0", unpack));
            return format!("{pack}\n{between}{call}\n{unpack}");
        }
        let wait = if self.waits() { waits(asked) } else { String::new() };
        let only = |text: &str| on("rank == 0", text);
        if *sends {
            let is_only = self == Scatter && asked.is_root_only;
            let pack = if is_only { only(pack) } else { pack.to_owned() };
            format!("{pack}\n{between}{call}\n{wait}")
        } else {
            let unpack = if self == Gather { only(unpack) } else { unpack.to_owned() };
            format!("{call}\n{wait}{between}{unpack}")
        }
    }

    fn call(self, asked: &Asked<'_>) -> String {
        let Asked { sends, count, tag, peer, .. } = asked;
        let name = if *sends { "send" } else { "recv" };
        let request = request(asked);
        let part = count.strip_prefix("procs * ").unwrap_or(count);
        let other = "v + 200";
        let (from, to) = if *sends { ("b", other) } else { (other, "b") };
        let both = format!("{from}, {part}, MPI_DOUBLE, {to}, {part}, MPI_DOUBLE");
        match self {
            Blocking if *sends => format!("MPI_Send(b, {count}, MPI_DOUBLE, {peer}, {tag}, comm)"),
            Blocking => {
                format!("MPI_Recv(b, {count}, MPI_DOUBLE, {peer}, {tag}, comm, MPI_STATUS_IGNORE)")
            }
            Immediate => {
                format!("MPI_I{name}(b, {count}, MPI_DOUBLE, {peer}, {tag}, comm, &{request})")
            }
            Persistent => format!("MPI_Start(&{request})"),
            Bcast => format!("MPI_Bcast(b, {count}, MPI_DOUBLE, 0, comm)"),
            Gather => format!("MPI_Gather({both}, 0, comm)"),
            Scatter => format!("MPI_Scatter({both}, 0, comm)"),
            Allgather => format!("MPI_Allgather({both}, comm)"),
            Alltoall => format!("MPI_Alltoall({both}, comm)"),
        }
    }

    /// For the form of a program.
    pub fn name(self, sends: bool, requests: &str) -> String {
        let name = format!("{self:?}").to_lowercase();
        let way = if sends { "send" } else { "receive" };
        let requests = if self.waits() { format!(", requests: {requests}") } else { String::new() };
        format!("{name} {way}{requests}")
    }
}

fn request(asked: &Asked<'_>) -> &'static str {
    if asked.requests == "one" { "r[0]" } else { "r[1]" }
}

fn on(condition: &str, text: &str) -> String {
    format!("if ({condition}) {{\n{text}\n}}")
}

/// Until the request is complete, with another one beside it or without.
fn waits(asked: &Asked<'_>) -> String {
    let other = "MPI_Irecv(v + 200, 4, MPI_DOUBLE, peer, 8, comm, &r[0]);\n";
    let one = |at: usize| format!("MPI_Wait(&r[{at}], MPI_STATUS_IGNORE);\n");
    let pending = asked.pending;
    match asked.requests {
        "one" => format!("{pending}{}", one(0)),
        "array" => format!("{other}{pending}{}{}", one(1), one(0)),
        "waitall" => format!("{other}{pending}MPI_Waitall(2, r, MPI_STATUSES_IGNORE);\n"),
        _ => format!("{other}{}{pending}{}", one(0), one(1)),
    }
}
