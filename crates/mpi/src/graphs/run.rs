//! Runs what is ready.

use std::ffi::c_int;
use std::ptr;

use super::GraphsError;
use super::prepare::{ReadyJob, ReadyJobs, ReadyPhase, ReadyProgram};
use crate::abi::Abi;
use crate::error::MpiError;

impl<A: Abi> ReadyProgram<'_, A> {
    /// Runs the program once. Allocates nothing.
    pub(super) fn run(&mut self) -> Result<(), GraphsError> {
        for phase in &mut self.phases {
            match phase {
                ReadyPhase::Jobs(jobs) => jobs.run()?,
                ReadyPhase::Call(call) => call.run()?,
            }
        }
        Ok(())
    }
}

impl<A: Abi> ReadyJobs<'_, A> {
    fn run(&mut self) -> Result<(), MpiError> {
        if self.waits.iter().all(|waits| *waits == 0) {
            return self.run_at_once();
        }
        self.left.copy_from_slice(&self.waits);
        self.open.clear();
        self.open.extend((0..self.jobs.len()).filter(|job| self.waits[*job] == 0));
        let mut active = 0_usize;
        loop {
            while let Some(job) = self.open.pop() {
                match &self.jobs[job] {
                    ReadyJob::Message(request) => {
                        // SAFETY: a persistent request of ours that is not active; its buffer is
                        // the graph's, which its caller leaves alone while it runs.
                        let code =
                            unsafe { (self.mpi.own.start)(&raw mut self.requests[*request]) };
                        self.mpi.check("MPI_Start", code)?;
                        active += 1;
                    }
                    local => {
                        self.perform(local)?;
                        self.finish(job);
                    }
                }
            }
            if active == 0 {
                return Ok(());
            }
            active -= self.wait_for_some()?;
        }
    }

    /// Without dependencies: everything is started, and then awaited.
    fn run_at_once(&mut self) -> Result<(), MpiError> {
        let count = self.count();
        // SAFETY: `count` persistent requests of ours, none active; their buffers are the graph's.
        let code = unsafe { (self.mpi.own.startall)(count, self.requests.as_mut_ptr()) };
        self.mpi.check("MPI_Startall", code)?;
        for job in &self.jobs {
            self.perform(job)?;
        }
        let ignore = A::CONSTANTS.statuses_ignore_ptr();
        // SAFETY: `count` requests of ours; statuses are ignored.
        let code = unsafe { (self.mpi.own.waitall)(count, self.requests.as_mut_ptr(), ignore) };
        self.mpi.check("MPI_Waitall", code)
    }

    /// Waits until some messages are done; how many.
    fn wait_for_some(&mut self) -> Result<usize, MpiError> {
        let ignore = A::CONSTANTS.statuses_ignore_ptr();
        let (count, mut done) = (self.count(), 0);
        let (requests, indices) = (self.requests.as_mut_ptr(), self.indices.as_mut_ptr());
        // SAFETY: `count` requests of ours and as many places for indices; statuses are ignored.
        let code =
            unsafe { (self.mpi.own.waitsome)(count, requests, &raw mut done, indices, ignore) };
        self.mpi.check("MPI_Waitsome", code)?;
        let done = usize::try_from(done).unwrap_or(0).min(self.indices.len());
        for k in 0..done {
            let request = usize::try_from(self.indices[k]).unwrap_or(0);
            self.finish(self.job_of[request]);
        }
        Ok(done)
    }

    fn count(&self) -> c_int {
        c_int::try_from(self.requests.len()).unwrap_or(c_int::MAX)
    }

    fn perform(&self, job: &ReadyJob<A>) -> Result<(), MpiError> {
        match *job {
            ReadyJob::Message(_) | ReadyJob::Nothing => Ok(()),
            ReadyJob::Copies(ref copies) => {
                for (from, into, length) in copies {
                    // SAFETY: as for a single copy.
                    unsafe { ptr::copy(*from, *into, *length) };
                }
                Ok(())
            }
            ReadyJob::Copy { from, into, length } => {
                // SAFETY: the graph names memory of this process, or scratch memory of the
                // program; nothing else touches it now, because everything that does is ordered
                // before or after.
                unsafe { ptr::copy(from, into, length) };
                Ok(())
            }
            ReadyJob::Reduce { from, into, count, element, op } => {
                // SAFETY: both ranges are memory of the graph or its program, touched by nobody
                // else now; graphs have no reductions whose ranges overlap.
                let code = unsafe { (self.mpi.own.reduce_local)(from, into, count, element, op) };
                self.mpi.check("MPI_Reduce_local", code)
            }
        }
    }

    fn finish(&mut self, job: usize) {
        for next in &self.next[job] {
            let next = usize::try_from(*next).unwrap_or(usize::MAX);
            self.left[next] -= 1;
            if self.left[next] == 0 {
                self.open.push(next);
            }
        }
    }
}
