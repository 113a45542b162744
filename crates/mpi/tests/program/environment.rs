//! The facts about the process and about messages: names, levels, statuses, gathered reports.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Mpi, Status};

pub fn check<A: Abi>(mpi: &Mpi<A>) {
    let c = A::CONSTANTS;
    assert!(mpi.initialized().expect("running"));
    assert!(!mpi.finalized().expect("running"));
    assert!(mpi.library_version().expect("running").contains("MPI"));
    assert!(!mpi.processor_name().expect("running").is_empty());
    let levels = [c.thread_single, c.thread_funneled, c.thread_serialized, c.thread_multiple];
    assert!(levels.contains(&mpi.query_thread().expect("running")));
    // MPI 4.1, section 9.1.2: at least 32767.
    assert!(mpi.tag_ub().expect("running").is_some_and(|tag| tag >= 32_767));
    assert!(mpi.wtime() <= mpi.wtime());
    gather(mpi);
    message_to_self(mpi);
    empty_status(mpi);
    cancelled_receive(mpi);
}

fn gather<A: Abi>(mpi: &Mpi<A>) {
    let world = mpi.handles.comm_world;
    let (rank, size) = (mpi.rank(world).expect("live"), mpi.size(world).expect("live"));
    let block = |rank: c_int| -> Vec<u8> {
        let rank = u8::try_from(rank).expect("few ranks");
        vec![rank + 1; 3 + 1000 * usize::from(rank)]
    };
    for root in 0..size {
        let all = mpi.gather_bytes(&block(rank), root, world).expect("every rank takes part");
        let expected: Vec<_> = (0..size).map(block).collect();
        assert_eq!(all, if rank == root { expected } else { Vec::new() });
    }
    assert!(mpi.gather_bytes(&[], 0, world).expect("all").iter().all(Vec::is_empty));
}

fn message_to_self<A: Abi>(mpi: &Mpi<A>) {
    let comm = mpi.handles.comm_self;
    let int_type = mpi.handles.datatype("MPI_INT").expect("everywhere");
    let (sent, mut received) = ([7, 8, 9], [0; 5]);
    let mut request = mpi.handles.request_null;
    let mut status = A::Status::empty();
    // SAFETY: the buffers outlive the request, which is completed here.
    unsafe {
        let buffer: *mut c_void = received.as_mut_ptr().cast();
        let c = A::CONSTANTS;
        let code =
            (mpi.own.irecv)(buffer, 5, int_type, c.any_source, c.any_tag, comm, &raw mut request);
        mpi.check("MPI_Irecv", code).expect("valid");
        assert_ne!(request, mpi.handles.request_null);
        let code = (mpi.next.send)(sent.as_ptr().cast(), 3, int_type, 0, 42, comm);
        mpi.check("MPI_Send", code).expect("valid");
        let code = (mpi.next.wait)(&raw mut request, &raw mut status);
        mpi.check("MPI_Wait", code).expect("valid");
    }
    assert_eq!(request, mpi.handles.request_null);
    assert_eq!(received, [7, 8, 9, 0, 0]);
    assert_eq!((status.source(), status.tag()), (0, 42));
    assert_eq!(mpi.status_bytes(&status), Ok(Some(12)));
    assert_eq!(mpi.elements(&status, int_type), Ok(Some(3)));
    assert_eq!(mpi.count(&status, int_type), Ok(Some(3)));
    assert_eq!(mpi.cancelled(&status), Ok(false));
    let double = mpi.handles.datatype("MPI_DOUBLE").expect("everywhere");
    assert_eq!(mpi.count(&status, double), Ok(None), "12 bytes are no number of doubles");

    for bytes in [0, 1, 12, 5_000_000_000] {
        mpi.set_status_bytes(&mut status, bytes).expect("a writable status");
        assert_eq!(mpi.status_bytes(&status), Ok(u64::try_from(bytes).ok()));
    }
    status.set_source(3);
    status.set_tag(4);
    status.set_error(c_int::MAX);
    assert_eq!((status.source(), status.tag(), status.error()), (3, 4, c_int::MAX));
}

fn empty_status<A: Abi>(mpi: &Mpi<A>) {
    let c = A::CONSTANTS;
    let ours = mpi.empty_status().expect("always");
    // What the library itself gives for a null request (MPI 4.1, section 3.7.3).
    let mut theirs = A::Status::empty();
    theirs.set_source(5);
    let mut request = mpi.handles.request_null;
    // SAFETY: both are writable.
    let code = unsafe { (mpi.own.wait)(&raw mut request, &raw mut theirs) };
    mpi.check("MPI_Wait", code).expect("valid");
    for status in [ours, theirs, A::Status::empty()] {
        assert_eq!((status.source(), status.tag()), (c.any_source, c.any_tag));
        assert_eq!(status.error(), c.success);
        assert_eq!(mpi.status_bytes(&status), Ok(Some(0)));
        assert_eq!(mpi.cancelled(&status), Ok(false));
    }
    assert!(c.ignores_status::<A::Status>(c.status_ignore_ptr()));
    assert!(c.ignores_status::<A::Status>(c.statuses_ignore_ptr()));
    assert!(!c.ignores_status(&raw const ours));
}

fn cancelled_receive<A: Abi>(mpi: &Mpi<A>) {
    let mut byte = 0u8;
    let mut request = mpi.handles.request_null;
    let mut status = A::Status::empty();
    // SAFETY: the buffer outlives the request, which is completed here.
    unsafe {
        let buffer: *mut c_void = (&raw mut byte).cast();
        let comm = mpi.handles.comm_self;
        let code = (mpi.own.irecv)(buffer, 1, mpi.handles.byte, 0, 77, comm, &raw mut request);
        mpi.check("MPI_Irecv", code).expect("valid");
        mpi.check("MPI_Cancel", (mpi.own.cancel)(&raw mut request)).expect("valid");
        let code = (mpi.own.wait)(&raw mut request, &raw mut status);
        mpi.check("MPI_Wait", code).expect("valid");
    }
    assert_eq!(mpi.cancelled(&status), Ok(true));
}
