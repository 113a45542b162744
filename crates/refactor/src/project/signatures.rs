//! What the arguments of MPI procedures are called (MPI 4.1), for those that a procedure of a program may stand for.

/// A procedure of MPI.
#[derive(Debug, PartialEq, Eq)]
pub struct Signature {
    /// As C spells it: `MPI_Isend`.
    pub name: &'static str,
    /// Its arguments in their order, as the standard calls them, but for `array_of_requests` (`requests`) and `array_of_statuses` (`statuses`). Fortran's
    /// `ierror` comes after the last.
    pub arguments: &'static [&'static str],
}

/// Fortran's last argument.
pub const IERROR: &str = "ierror";

macro_rules! signatures {
    ($($name:ident($($argument:ident),*))*) => {
        &[$(Signature { name: stringify!($name), arguments: &[$(stringify!($argument)),*] }),*]
    };
}

const ALL: &[Signature] = signatures! {
    MPI_Send(buf, count, datatype, dest, tag, comm)
    MPI_Ssend(buf, count, datatype, dest, tag, comm)
    MPI_Rsend(buf, count, datatype, dest, tag, comm)
    MPI_Bsend(buf, count, datatype, dest, tag, comm)
    MPI_Isend(buf, count, datatype, dest, tag, comm, request)
    MPI_Issend(buf, count, datatype, dest, tag, comm, request)
    MPI_Irsend(buf, count, datatype, dest, tag, comm, request)
    MPI_Ibsend(buf, count, datatype, dest, tag, comm, request)
    MPI_Recv(buf, count, datatype, source, tag, comm, status)
    MPI_Irecv(buf, count, datatype, source, tag, comm, request)
    MPI_Send_init(buf, count, datatype, dest, tag, comm, request)
    MPI_Recv_init(buf, count, datatype, source, tag, comm, request)
    MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status)
    MPI_Wait(request, status)
    MPI_Waitall(count, requests, statuses)
    MPI_Waitany(count, requests, index, status)
    MPI_Waitsome(incount, requests, outcount, indices, statuses)
    MPI_Test(request, flag, status)
    MPI_Testall(count, requests, flag, statuses)
    MPI_Start(request)
    MPI_Startall(count, requests)
    MPI_Barrier(comm)
    MPI_Bcast(buffer, count, datatype, root, comm)
    MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)
    MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm)
    MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)
    MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm)
    MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
    MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm)
    MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
    MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm)
    MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm)
};

impl Signature {
    /// Of a procedure by its name; case does not matter.
    pub fn of(name: &str) -> Option<&'static Signature> {
        ALL.iter().find(|signature| signature.name.eq_ignore_ascii_case(name))
    }

    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|signature| signature.name)
    }

    /// Which argument has a name, from 0. The standard's longer names and `buffer` for `buf` are the same.
    pub fn position(&self, argument: &str) -> Option<usize> {
        let plain = argument.to_ascii_lowercase();
        let short = plain.strip_prefix("array_of_").unwrap_or(&plain);
        let own = match short {
            "ierror" | "ierr" => return Some(self.arguments.len()),
            "buf" | "buffer" => self.arguments.iter().position(|a| matches!(*a, "buf" | "buffer")),
            _ => None,
        };
        own.or_else(|| self.arguments.iter().position(|a| *a == short))
    }

    /// What an argument is called.
    pub fn argument(&self, position: usize) -> &'static str {
        self.arguments.get(position).copied().unwrap_or(IERROR)
    }
}

#[cfg(test)]
mod tests {
    use super::super::library;
    use super::*;

    #[test]
    fn the_library_knows_as_many_arguments() {
        for signature in ALL {
            let known = library::arguments(signature.name);
            assert_eq!(known, Some(signature.arguments.len()), "{}", signature.name);
        }
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
