//! From a type to the MPI calls that build it.
//!
//! Every node becomes the call that a person would write: a repetition at the extent is
//! contiguous, a repetition of such a block a vector, in extents where they divide. Equal parts
//! are built once. Beside each handle stands the type that MPI makes of the calls so far, so that
//! calls that count in extents count in the right ones; where the bounds differ from those asked
//! for, the last call sets them.

use std::collections::HashMap;

use commloom_layout::{Kind, LayoutError, Type, mpi};

use crate::calls::{Call, Calls, Handle};
use crate::portable::has_portable_bounds;

/// The calls that build `ty`.
///
/// # Errors
/// A split of a count beyond 2^31 - 1 overflows 64 bits.
pub fn calls(ty: &Type) -> Result<Calls, LayoutError> {
    let mut plan = Plan { calls: Vec::new(), known: HashMap::new() };
    let made = plan.node(ty)?;
    let same_bounds = (made.ty.lb(), made.ty.extent()) == (ty.lb(), ty.extent());
    if !same_bounds || !has_portable_bounds(&made.ty) {
        plan.resized(ty.lb(), ty.extent(), &made)?;
    } else if let Handle::Basic(_) = made.handle {
        plan.calls.push(Call::Dup(made.handle));
    }
    Ok(Calls(plan.calls))
}

/// A handle and the type that MPI knows it as.
#[derive(Clone)]
struct Made {
    handle: Handle,
    ty: Type,
}

struct Plan {
    calls: Vec<Call>,
    /// Parts that have been built.
    known: HashMap<Type, Made>,
}

impl Plan {
    fn push(&mut self, call: Call, ty: Type) -> Made {
        self.calls.push(call);
        Made { handle: Handle::Made(self.calls.len() - 1), ty }
    }

    fn node(&mut self, ty: &Type) -> Result<Made, LayoutError> {
        if let Some(made) = self.known.get(ty) {
            return Ok(made.clone());
        }
        let made = match ty.kind() {
            Kind::Leaf(basic) => Made { handle: Handle::Basic(*basic), ty: ty.clone() },
            Kind::Resized { lb, extent, child } => {
                let old = self.node(child)?;
                self.resized(*lb, *extent, &old)?
            }
            _ if ty.size() == 0 => self.nothing()?,
            Kind::Vec { count, stride, child } => self.vec(*count, *stride, child)?,
            Kind::Idx { indices, child } => self.idx(indices, child)?,
            Kind::IdxBuc { stride, indices, blocks, child } => {
                self.idxbuc(*stride, indices, blocks, child)?
            }
            Kind::Strc { indices, children } => self.strc(indices, children)?,
        };
        self.known.insert(ty.clone(), made.clone());
        Ok(made)
    }

    fn resized(&mut self, lb: i64, extent: i64, old: &Made) -> Result<Made, LayoutError> {
        let ty = mpi::resized(lb, extent, &old.ty)?;
        Ok(self.push(Call::Resized { lb, extent, old: old.handle }, ty))
    }

    fn nothing(&mut self) -> Result<Made, LayoutError> {
        let byte = commloom_layout::Basic::BYTE;
        let ty = Type::vec(0, 1, Type::leaf(byte))?;
        Ok(self.push(Call::Contiguous { count: 0, old: Handle::Basic(byte) }, ty))
    }

    fn vec(&mut self, count: u64, stride: i64, child: &Type) -> Result<Made, LayoutError> {
        let Ok(n) = i32::try_from(count) else { return self.long_vec(count, stride, child) };
        let old = self.node(child)?;
        if n == 1 {
            return Ok(old);
        }
        if stride == old.ty.extent() && has_portable_bounds(&old.ty) {
            let ty = mpi::contiguous(count, &old.ty)?;
            return Ok(self.push(Call::Contiguous { count: n, old: old.handle }, ty));
        }
        let (block, old) = self.unblock(child, old)?;
        let ty = mpi::hvector(count, u64::from(block.unsigned_abs()), stride, &old.ty)?;
        let call = match in_extents(stride, &old.ty) {
            Some(stride) => Call::Vector { count: n, block, stride, old: old.handle },
            None => Call::Hvector { count: n, block, stride, old: old.handle },
        };
        Ok(self.push(call, ty))
    }

    /// A count beyond `int`: whole chunks, then the rest.
    fn long_vec(&mut self, count: u64, stride: i64, child: &Type) -> Result<Made, LayoutError> {
        const CHUNK: u64 = 1 << 30;
        let too_far = LayoutError::Overflow { what: "a displacement of a split count" };
        let far = |n: u64| i64::try_from(n).ok().and_then(|n| n.checked_mul(stride));
        let chunk = Type::vec(CHUNK, stride, child.clone())?;
        let step = far(CHUNK).ok_or(too_far.clone())?;
        let chunks = Type::vec(count / CHUNK, step, chunk)?;
        match count % CHUNK {
            0 => self.node(&chunks),
            rest => {
                let at = far(count - rest).ok_or(too_far)?;
                self.strc(&[0, at], &[chunks, Type::vec(rest, stride, child.clone())?])
            }
        }
    }

    /// A block of adjacent copies as one argument of the call above it: (copies, what is copied).
    fn unblock(&mut self, child: &Type, whole: Made) -> Result<(i32, Made), LayoutError> {
        if let Kind::Vec { count, stride, child } = child.kind()
            && let Ok(block) = i32::try_from(*count)
            && block > 0
        {
            let old = self.node(child)?;
            if *stride == old.ty.extent() && has_portable_bounds(&old.ty) {
                self.drop_if_last(&whole);
                return Ok((block, old));
            }
        }
        Ok((1, whole))
    }

    /// Takes back a call that turned out to be an argument of the next one.
    fn drop_if_last(&mut self, made: &Made) {
        if made.handle == Handle::Made(self.calls.len().wrapping_sub(1))
            && matches!(self.calls.last(), Some(Call::Contiguous { .. }))
        {
            self.calls.pop();
            self.known.retain(|_, m| m.handle != made.handle);
        }
    }

    fn idx(&mut self, indices: &[i64], child: &Type) -> Result<Made, LayoutError> {
        let whole = self.node(child)?;
        if indices == [0] {
            return Ok(whole);
        }
        let (block, old) = self.unblock(child, whole)?;
        let ty = mpi::hindexed_block(u64::from(block.unsigned_abs()), indices, &old.ty)?;
        let call = match all_in_extents(indices, &old.ty) {
            Some(displacements) => Call::IndexedBlock { block, displacements, old: old.handle },
            None => Call::HindexedBlock { block, displacements: indices.to_vec(), old: old.handle },
        };
        Ok(self.push(call, ty))
    }

    fn idxbuc(
        &mut self,
        stride: i64,
        indices: &[i64],
        blocks: &[u64],
        child: &Type,
    ) -> Result<Made, LayoutError> {
        let lengths: Option<Vec<i32>> = blocks.iter().map(|&b| i32::try_from(b).ok()).collect();
        let Some(lengths) = lengths else {
            let parts = blocks
                .iter()
                .map(|&b| Type::vec(b, stride, child.clone()))
                .collect::<Result<Vec<Type>, _>>()?;
            return self.strc(indices, &parts);
        };
        let mut old = self.node(child)?;
        if stride != old.ty.extent() || !has_portable_bounds(&old.ty) {
            old = self.resized(old.ty.lb(), stride, &old)?;
        }
        let ty = mpi::hindexed(blocks, indices, &old.ty)?;
        let call = match all_in_extents(indices, &old.ty) {
            Some(displacements) => {
                Call::Indexed { blocks: lengths, displacements, old: old.handle }
            }
            None => {
                Call::Hindexed { blocks: lengths, displacements: indices.to_vec(), old: old.handle }
            }
        };
        Ok(self.push(call, ty))
    }

    fn strc(&mut self, indices: &[i64], children: &[Type]) -> Result<Made, LayoutError> {
        let (mut displacements, mut olds, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for (&index, child) in indices.iter().zip(children).filter(|(_, c)| c.size() > 0) {
            let old = self.node(child)?;
            displacements.push(index);
            olds.push(old.handle);
            types.push(old.ty);
        }
        let ty = mpi::structure(&vec![1; types.len()], &displacements, &types)?;
        Ok(self.push(Call::Struct { displacements, olds }, ty))
    }
}

/// A distance in bytes as an `int` number of extents of a type whose extent is the same
/// everywhere.
fn in_extents(bytes: i64, ty: &Type) -> Option<i32> {
    let extent = ty.extent();
    (extent != 0 && has_portable_bounds(ty) && bytes.checked_rem(extent)? == 0)
        .then(|| i32::try_from(bytes / extent).ok())?
}

fn all_in_extents(bytes: &[i64], ty: &Type) -> Option<Vec<i32>> {
    bytes.iter().map(|&b| in_extents(b, ty)).collect()
}
