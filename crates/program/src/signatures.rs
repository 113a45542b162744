//! The names of arguments of MPI procedures, for those that a procedure of a program may
//! stand for.

use std::sync::LazyLock;

use commloom_mpi_api::{Form, find};

/// A procedure of MPI.
#[derive(Debug, PartialEq, Eq)]
pub struct Signature {
    /// As C spells it: `MPI_Isend`.
    pub name: &'static str,
    /// Its arguments in their order, as the standard calls them, but for `array_of_requests`
    /// (`requests`) and the like. Fortran's `ierror` comes after the last.
    pub arguments: Vec<&'static str>,
}

/// Fortran's last argument.
pub const IERROR: &str = "ierror";

/// In the order in which messages list them.
const NAMES: &str = "\
    Send Ssend Rsend Bsend Isend Issend Irsend Ibsend Recv Irecv Send_init Recv_init \
    Sendrecv Wait Waitall Waitany Waitsome Test Testall Start Startall Barrier Bcast Gather \
    Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Reduce Allreduce";

static ALL: LazyLock<Vec<Signature>> = LazyLock::new(|| {
    let known = NAMES.split_whitespace().filter_map(|name| find(&format!("MPI_{name}")));
    let all = known.map(|call| Signature {
        name: call.function.name,
        arguments: call.function.parameters(Form::Int).map(|p| short(p.name)).collect(),
    });
    all.collect()
});

fn short(argument: &str) -> &str {
    argument.strip_prefix("array_of_").unwrap_or(argument)
}

impl Signature {
    /// Of a procedure by its name; case does not matter.
    pub fn of(name: &str) -> Option<&'static Signature> {
        ALL.iter().find(|signature| signature.name.eq_ignore_ascii_case(name))
    }

    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|signature| signature.name)
    }

    /// Which argument has a name, from 0. The standard's longer names and `buffer` for `buf` are
    /// the same.
    pub fn position(&self, argument: &str) -> Option<usize> {
        let plain = argument.to_ascii_lowercase();
        let plain = short(&plain);
        let own = match plain {
            "ierror" | "ierr" => return Some(self.arguments.len()),
            "buf" | "buffer" => self.arguments.iter().position(|a| matches!(*a, "buf" | "buffer")),
            _ => None,
        };
        own.or_else(|| self.arguments.iter().position(|a| *a == plain))
    }

    /// The name of an argument.
    pub fn argument(&self, position: usize) -> &'static str {
        self.arguments.get(position).copied().unwrap_or(IERROR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_all() {
        assert_eq!(ALL.len(), NAMES.split_whitespace().count());
    }

    #[test]
    fn arguments_have_several_names() {
        let waitall = Signature::of("mpi_WAITALL").unwrap();
        assert_eq!(waitall.position("array_of_requests"), Some(1));
        assert_eq!(waitall.position("ierr"), Some(3));
        assert_eq!(Signature::of("MPI_Bcast").unwrap().position("buf"), Some(0));
        assert_eq!(Signature::of("MPI_Send").unwrap().position("request"), None);
        assert_eq!(Signature::of("MPI_Type_commit"), None);
    }
}
