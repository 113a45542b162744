//! A collective call with its arguments, as MPI takes them.

use std::ffi::{c_int, c_void};

use commloom_commgraph::schedule::{Call, Place, Shape, Side};
use commloom_commgraph::{Addresses, Combine, Kind, Reduction};
use commloom_layout::{Basic, Type};

use super::GraphsError;
use crate::abi::Abi;
use crate::encode::encode;
use crate::error::{EncodeError, MpiError};
use crate::mpi::Mpi;
use crate::owned::OwnedDatatype;

/// For calls that reduce nothing.
const ANY: Reduction = Reduction { combine: Combine::Sum, element: Basic::BYTE };

/// A call, ready to be made.
pub(super) struct ReadyCall<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    comm: A::Comm,
    kind: Kind,
    root: c_int,
    send: Buffer<'m, A>,
    receive: Buffer<'m, A>,
    /// Of a reduction; any for others.
    op: A::Op,
}

/// One buffer of a call: those of the arguments that it has.
struct Buffer<'m, A: Abi> {
    at: *mut c_void,
    count: c_int,
    counts: Vec<c_int>,
    displacements: Vec<c_int>,
    datatype: A::Datatype,
    /// The owner of `datatype`, if it is not predefined.
    _owned: Option<OwnedDatatype<'m, A>>,
}

impl<'m, A: Abi> ReadyCall<'m, A> {
    pub(super) fn of(
        mpi: &'m Mpi<A>,
        comm: A::Comm,
        call: &Call,
        place: &dyn Fn(Place) -> *mut u8,
    ) -> Result<Self, GraphsError> {
        let ranks = usize::try_from(mpi.size(comm)?).unwrap_or(0);
        let make = |side: &Side| Buffer::of(mpi, side, call.reduction, ranks, place);
        Ok(ReadyCall {
            mpi,
            comm,
            kind: call.kind,
            root: number_of("root", u64::from(call.root.unwrap_or(0)))?,
            send: make(&call.send)?,
            receive: make(&call.receive)?,
            op: handles(mpi, call.reduction.unwrap_or(ANY))?.1,
        })
    }

    pub(super) fn run(&mut self) -> Result<(), MpiError> {
        let ReadyCall { mpi, comm, kind, root, op, .. } = *self;
        let f = &mpi.own;
        let Buffer { at: sb, count: sn, datatype: st, .. } = self.send;
        let Buffer { at: rb, count: rn, datatype: rt, .. } = self.receive;
        let (sns, sds) = (self.send.counts.as_ptr(), self.send.displacements.as_ptr());
        let (rns, rds) = (self.receive.counts.as_ptr(), self.receive.displacements.as_ptr());
        // The side that is there: where it is, and what is reduced.
        let (b, bn, bt) = if sn > 0 { (sb, sn, st) } else { (rb, rn, rt) };
        let (n, t) = if rn > 0 { (rn, rt) } else { (sn, st) };
        // SAFETY: the arguments are those of a schedule: memory of the graph or of its program,
        // with as many bytes as the counts say, sent and received alike by all ranks of the
        // communicator, which is ours. Arrays of counts have an entry for each rank where MPI
        // reads them.
        let (name, code) = unsafe {
            match kind {
                Kind::Barrier => ("MPI_Barrier", (f.barrier)(comm)),
                Kind::Bcast => ("MPI_Bcast", (f.bcast)(b, bn, bt, root, comm)),
                Kind::Scatter => ("MPI_Scatter", (f.scatter)(sb, sn, st, rb, rn, rt, root, comm)),
                Kind::Scatterv => {
                    ("MPI_Scatterv", (f.scatterv)(sb, sns, sds, st, rb, rn, rt, root, comm))
                }
                Kind::Gather => ("MPI_Gather", (f.gather)(sb, sn, st, rb, rn, rt, root, comm)),
                Kind::Gatherv => {
                    ("MPI_Gatherv", (f.gatherv)(sb, sn, st, rb, rns, rds, rt, root, comm))
                }
                Kind::Allgather => ("MPI_Allgather", (f.allgather)(sb, sn, st, rb, rn, rt, comm)),
                Kind::Allgatherv => {
                    ("MPI_Allgatherv", (f.allgatherv)(sb, sn, st, rb, rns, rds, rt, comm))
                }
                Kind::Alltoall => ("MPI_Alltoall", (f.alltoall)(sb, sn, st, rb, rn, rt, comm)),
                Kind::Alltoallv => {
                    ("MPI_Alltoallv", (f.alltoallv)(sb, sns, sds, st, rb, rns, rds, rt, comm))
                }
                Kind::Reduce => ("MPI_Reduce", (f.reduce)(sb, rb, n, t, op, root, comm)),
                Kind::Allreduce => ("MPI_Allreduce", (f.allreduce)(sb, rb, n, t, op, comm)),
                Kind::ReduceScatterBlock => {
                    ("MPI_Reduce_scatter_block", (f.reduce_scatter_block)(sb, rb, rn, rt, op, comm))
                }
                Kind::ReduceScatter => {
                    ("MPI_Reduce_scatter", (f.reduce_scatter)(sb, rb, sns, st, op, comm))
                }
                Kind::Scan => ("MPI_Scan", (f.scan)(sb, rb, n, t, op, comm)),
                Kind::Exscan => ("MPI_Exscan", (f.exscan)(sb, rb, n, t, op, comm)),
                // Schedules have none of these: messages do the same.
                Kind::NeighborAlltoall | Kind::NeighborAlltoallv | Kind::NeighborAlltoallw => {
                    return Ok(());
                }
            }
        };
        mpi.check(name, code)
    }
}

impl<'m, A: Abi> Buffer<'m, A> {
    fn of(
        mpi: &'m Mpi<A>,
        side: &Side,
        reduction: Option<Reduction>,
        ranks: usize,
        place: &dyn Fn(Place) -> *mut u8,
    ) -> Result<Self, GraphsError> {
        let (element, unit) = match reduction {
            Some(reduction) => (handles(mpi, reduction)?.0, reduction.element.size()),
            None => (mpi.handles.byte, 1),
        };
        let mut buffer = Buffer {
            at: std::ptr::null_mut(),
            count: 0,
            counts: Vec::new(),
            displacements: Vec::new(),
            datatype: element,
            _owned: None,
        };
        match side {
            Side::Nothing => {}
            Side::InPlace => {
                let in_place = A::CONSTANTS.in_place.cast_unsigned();
                buffer.at = std::ptr::without_provenance_mut(in_place);
            }
            Side::Block { at, shape } => {
                buffer.at = place(*at).cast();
                buffer.one(mpi, shape, shape.size(), unit)?;
            }
            Side::Row { at, step, shape } => {
                buffer.at = place(*at).cast();
                buffer.one(mpi, shape, *step, unit)?;
            }
            Side::Blocks { at, offsets, lengths, shape } => {
                buffer.at = place(*at).cast();
                let lengths = (0..ranks).map(|k| lengths.get(k));
                if shape.pieces == 1 {
                    let counts = lengths.map(|n| number_of("length of a block", n / unit));
                    buffer.counts = counts.collect::<Result<_, _>>()?;
                } else {
                    // Elements of one byte's extent: displacements are in bytes.
                    buffer.typed(mpi, shape, 1)?;
                    buffer.counts = lengths.map(|n| c_int::from(n > 0)).collect();
                }
                let offsets = (0..ranks).map(|k| number_of("displacement", offsets.get(k)));
                buffer.displacements = offsets.collect::<Result<_, _>>()?;
            }
        }
        Ok(buffer)
    }

    /// A block, or several that lie `step` bytes apart.
    fn one(
        &mut self,
        mpi: &'m Mpi<A>,
        shape: &Shape,
        step: u64,
        unit: u64,
    ) -> Result<(), GraphsError> {
        if shape.pieces == 1 && (step == shape.length || shape.length == 0) {
            self.count = number_of("length of a block", shape.length / unit)?;
            return Ok(());
        }
        self.count = 1;
        self.typed(mpi, shape, step)
    }

    fn typed(&mut self, mpi: &'m Mpi<A>, shape: &Shape, step: u64) -> Result<(), GraphsError> {
        let owned = encode(mpi, &layout(shape, step)?)?;
        self.datatype = owned.handle();
        self._owned = Some(owned);
        Ok(())
    }
}

/// A block as a layout of this extent.
fn layout(shape: &Shape, extent: u64) -> Result<Type, GraphsError> {
    let wide = |n: u64| {
        let limit = i64::MAX.unsigned_abs();
        let too_large = GraphsError::TooLarge { what: "offset in a block", given: n, limit };
        i64::try_from(n).map_err(|_| too_large)
    };
    let bad = |e| GraphsError::Encode(EncodeError::Layout(e));
    let piece = Type::vec(shape.length, 1, Type::leaf(Basic::BYTE)).map_err(bad)?;
    let block = match &shape.offsets {
        Addresses::Affine { start, step } => {
            let row = Type::vec(u64::from(shape.pieces), wide(*step)?, piece).map_err(bad)?;
            if *start == 0 { row } else { Type::idx(vec![wide(*start)?], row).map_err(bad)? }
        }
        listed @ Addresses::Listed(_) => {
            let pieces = usize::try_from(shape.pieces).unwrap_or(0);
            let offsets =
                (0..pieces).map(|k| wide(listed.get(k))).collect::<Result<Vec<_>, _>>()?;
            Type::idx(offsets, piece).map_err(bad)?
        }
    };
    Type::resized(0, wide(extent)?, block).map_err(bad)
}

/// The handles of a reduction.
pub(super) fn handles<A: Abi>(
    mpi: &Mpi<A>,
    reduction: Reduction,
) -> Result<(A::Datatype, A::Op), GraphsError> {
    let element = reduction.element.name();
    let name = reduction.combine.mpi_name().unwrap_or("user-defined operation");
    let missing = |name: &str| GraphsError::Missing { name: name.to_owned() };
    let op = mpi.handles.operation(name).ok_or_else(|| missing(name))?;
    let element = mpi.handles.datatype(element).ok_or_else(|| missing(element))?;
    Ok((element, op))
}

/// A number as a C integer.
pub(super) fn number_of(what: &'static str, given: u64) -> Result<c_int, GraphsError> {
    let limit = u64::from(c_int::MAX.unsigned_abs());
    c_int::try_from(given).map_err(|_| GraphsError::TooLarge { what, given, limit })
}
