//! Any datatype handle as a [`Type`].
//!
//! The constructors are rebuilt by `layout::mpi`, then compared with the library: size and true
//! bounds must agree; lower bound and extent are taken from the library wherever they differ,
//! since libraries pad extents for alignment in different ways (MPI 4.1, section 5.1.7, leaves it
//! open).

use std::collections::HashMap;
use std::sync::Arc;

use commloom_layout::mpi::{self as constructors, Distribution, Order};
use commloom_layout::{Basic, LayoutError, MAX_DEPTH, Type};

use crate::abi::{Abi, Combiner, RawHandle};
use crate::contents::{Contents, Envelope};
use crate::error::DecodeError;
use crate::mpi::Mpi;
use crate::number::{length, wide};

/// Nodes and list entries that [`decode`] reads at most by default: far beyond real programs, and
/// a tenth of a second at worst.
pub const DEFAULT_BUDGET: usize = 1 << 20;

/// The layout of `datatype`, which need not be committed. `budget` bounds the nodes and the
/// entries of their lists together: a small graph of handles can describe an exponentially large
/// tree.
///
/// All handles got from the library on the way are freed again.
///
/// # Errors
/// See [`DecodeError`]. Note that where an MPI call itself fails, MPI first runs the program's
/// error handler, which by default ends the process; a valid handle gives no cause for that.
pub fn decode<A: Abi>(
    mpi: &Mpi<A>,
    datatype: A::Datatype,
    budget: usize,
) -> Result<Type, DecodeError> {
    let mut decoder = Decoder { mpi, limit: budget, left: budget, named: HashMap::new() };
    decoder.node(datatype, 1)
}

struct Decoder<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    limit: usize,
    left: usize,
    /// Predefined types that were decoded and checked already.
    named: HashMap<A::Datatype, Type>,
}

impl<A: Abi> Decoder<'_, A> {
    fn node(&mut self, datatype: A::Datatype, depth: usize) -> Result<Type, DecodeError> {
        if depth > MAX_DEPTH {
            return Err(LayoutError::TooDeep { given: depth, limit: MAX_DEPTH }.into());
        }
        let envelope = Envelope::of(self.mpi, datatype)?;
        self.spend(envelope.entries().saturating_add(1))?;
        match envelope.combiner {
            Combiner::Named => self.named(datatype),
            Combiner::F90Real | Combiner::F90Complex | Combiner::F90Integer => {
                let found = self.f90(datatype, envelope.combiner)?;
                self.reconcile(datatype, envelope.combiner, found)
            }
            combiner => {
                let contents = Contents::of(self.mpi, datatype, envelope)?;
                let built = match combiner {
                    Combiner::Struct | Combiner::StructInteger => {
                        self.structure(combiner, &contents, depth)
                    }
                    Combiner::ValueIndex => self.value_index(datatype, &contents, depth),
                    _ => self.homogeneous(combiner, &contents, depth),
                }?;
                self.reconcile(datatype, combiner, built)
            }
        }
    }

    fn spend(&mut self, entries: usize) -> Result<(), DecodeError> {
        let left = self.left.checked_sub(entries);
        self.left = left.ok_or(DecodeError::Budget { limit: self.limit })?;
        Ok(())
    }

    /// A predefined type with a name.
    fn named(&mut self, datatype: A::Datatype) -> Result<Type, DecodeError> {
        if let Some(known) = self.named.get(&datatype) {
            return Ok(known.clone());
        }
        let unknown = DecodeError::UnknownPredefined { handle: datatype.to_bits() };
        let name = self.mpi.handles.name(datatype).ok_or(unknown.clone())?;
        let found = match name {
            // Markers without data: the bounds that they set are those which the library gives for
            // the struct around them.
            "MPI_LB" | "MPI_UB" => Type::vec(0, 0, Type::leaf(Basic::BYTE))?,
            _ => {
                let found = Type::predefined(name).ok_or(unknown)?;
                self.reconcile(datatype, Combiner::Named, found)?
            }
        };
        self.named.insert(datatype, found.clone());
        Ok(found)
    }

    /// A predefined type without a name, chosen by precision and range: told by its size.
    fn f90(&self, datatype: A::Datatype, combiner: Combiner) -> Result<Type, DecodeError> {
        let size = self.size(datatype, combiner)?;
        let basic = match (combiner, size) {
            (Combiner::F90Real, 2) => Basic::REAL2,
            (Combiner::F90Real, 4) => Basic::REAL4,
            (Combiner::F90Real, 8) => Basic::REAL8,
            (Combiner::F90Real, 16) => Basic::REAL16,
            (Combiner::F90Complex, 4) => Basic::COMPLEX4,
            (Combiner::F90Complex, 8) => Basic::COMPLEX8,
            (Combiner::F90Complex, 16) => Basic::COMPLEX16,
            (Combiner::F90Complex, 32) => Basic::COMPLEX32,
            (Combiner::F90Integer, 1) => Basic::INTEGER1,
            (Combiner::F90Integer, 2) => Basic::INTEGER2,
            (Combiner::F90Integer, 4) => Basic::INTEGER4,
            (Combiner::F90Integer, 8) => Basic::INTEGER8,
            (Combiner::F90Integer, 16) => Basic::INTEGER16,
            _ => return Err(DecodeError::BadContents { combiner, what: "the size", given: size }),
        };
        Ok(Type::leaf(basic))
    }

    /// Every constructor with one old type.
    fn homogeneous(
        &mut self,
        combiner: Combiner,
        contents: &Contents<'_, A>,
        depth: usize,
    ) -> Result<Type, DecodeError> {
        let handle = contents.parts.handles().first().copied();
        let bad = DecodeError::BadContents { combiner, what: "the number of types", given: 0 };
        let old = self.node(handle.ok_or(bad)?, depth + 1)?;
        let mut values = Fields { combiner, list: &contents.values };
        let mut addresses = Fields { combiner, list: &contents.addresses };
        Ok(match combiner {
            Combiner::Dup => constructors::dup(&old),
            Combiner::Contiguous => constructors::contiguous(values.count()?, &old)?,
            Combiner::Vector => {
                let (count, block) = (values.count()?, values.count()?);
                constructors::vector(count, block, values.one()?, &old)?
            }
            Combiner::Hvector | Combiner::HvectorInteger => {
                let (count, block) = (values.count()?, values.count()?);
                constructors::hvector(count, block, addresses.one()?, &old)?
            }
            Combiner::Indexed => {
                let n = values.count()?;
                let blocks = values.counts(n)?;
                constructors::indexed(&blocks, values.list(n)?, &old)?
            }
            Combiner::Hindexed | Combiner::HindexedInteger => {
                let n = values.count()?;
                constructors::hindexed(&values.counts(n)?, addresses.list(n)?, &old)?
            }
            Combiner::IndexedBlock => {
                let (n, block) = (values.count()?, values.count()?);
                constructors::indexed_block(block, values.list(n)?, &old)?
            }
            Combiner::HindexedBlock => {
                let (n, block) = (values.count()?, values.count()?);
                constructors::hindexed_block(block, addresses.list(n)?, &old)?
            }
            Combiner::Subarray => {
                let n = values.count()?;
                let (sizes, subsizes) = (values.counts(n)?, values.counts(n)?);
                let starts = values.counts(n)?;
                let order = order::<A>(&mut values)?;
                constructors::subarray(&sizes, &subsizes, &starts, order, &old)?
            }
            Combiner::Darray => {
                let (size, rank, n) = (values.count()?, values.count()?, values.count()?);
                let gsizes = values.counts(n)?;
                let (kinds, arguments) = (values.list(n)?, values.list(n)?);
                let distributions = kinds
                    .iter()
                    .zip(arguments)
                    .map(|(&kind, &argument)| distribution::<A>(kind, argument))
                    .collect::<Result<Vec<_>, _>>()?;
                let psizes = values.counts(n)?;
                let order = order::<A>(&mut values)?;
                constructors::darray(size, rank, &gsizes, &distributions, &psizes, order, &old)?
            }
            Combiner::Resized => {
                let lb = addresses.one()?;
                constructors::resized(lb, addresses.one()?, &old)?
            }
            Combiner::Named
            | Combiner::Struct
            | Combiner::StructInteger
            | Combiner::F90Real
            | Combiner::F90Complex
            | Combiner::F90Integer
            | Combiner::ValueIndex => {
                // `node` sends these elsewhere.
                return Err(DecodeError::BadContents { combiner, what: "the combiner", given: 0 });
            }
        })
    }

    fn structure(
        &mut self,
        combiner: Combiner,
        contents: &Contents<'_, A>,
        depth: usize,
    ) -> Result<Type, DecodeError> {
        let mut values = Fields { combiner, list: &contents.values };
        let mut addresses = Fields { combiner, list: &contents.addresses };
        let n = values.count()?;
        let blocks = values.counts(n)?;
        // One handle may occur many times; all are held, so equal handles are equal types.
        let mut known: HashMap<A::Datatype, Type> = HashMap::new();
        let mut olds = Vec::with_capacity(contents.parts.handles().len());
        for &handle in contents.parts.handles() {
            let old = match known.get(&handle) {
                Some(old) => old.clone(),
                None => self.node(handle, depth + 1)?,
            };
            known.insert(handle, old.clone());
            olds.push(old);
        }
        Ok(constructors::structure(&blocks, addresses.list(n)?, &olds)?)
    }

    /// `MPI_Type_get_value_index` (MPI 4.1, section 6.9.4): a value, then an index where a C
    /// compiler puts it; the library's true bounds tell where that is.
    fn value_index(
        &mut self,
        datatype: A::Datatype,
        contents: &Contents<'_, A>,
        depth: usize,
    ) -> Result<Type, DecodeError> {
        let combiner = Combiner::ValueIndex;
        let &[value, index] = contents.parts.handles() else {
            let given = wide(contents.parts.handles().len());
            return Err(DecodeError::BadContents { combiner, what: "the number of types", given });
        };
        let (value, index) = (self.node(value, depth + 1)?, self.node(index, depth + 1)?);
        let whole = self.mpi.type_true_bounds(datatype)?;
        let at = whole.extent.saturating_add(whole.lb).saturating_sub(index.true_ub());
        Ok(Type::strc([0, at], Arc::from([value, index]))?)
    }

    fn size(&self, datatype: A::Datatype, combiner: Combiner) -> Result<i64, DecodeError> {
        let size = self.mpi.type_size(datatype)?.and_then(|size| i64::try_from(size).ok());
        size.ok_or(DecodeError::BadContents { combiner, what: "the size", given: -1 })
    }

    /// Compares a decoded type with the library, and gives it the library's bounds.
    fn reconcile(
        &self,
        datatype: A::Datatype,
        combiner: Combiner,
        built: Type,
    ) -> Result<Type, DecodeError> {
        let agree = |what, library, layout| {
            let error = DecodeError::Disagree { what, combiner, library, layout };
            if library == layout { Ok(()) } else { Err(error) }
        };
        let size = self.size(datatype, combiner)?;
        agree("the size", size, wide(built.size()))?;
        if size > 0 {
            let library = self.mpi.type_true_bounds(datatype)?;
            agree("the true lower bound", library.lb, built.true_lb())?;
            agree("the true extent", library.extent, built.true_extent())?;
        }
        let library = self.mpi.type_bounds(datatype)?;
        if (library.lb, library.extent) == (built.lb(), built.extent()) {
            Ok(built)
        } else {
            Ok(Type::resized(library.lb, library.extent, built)?)
        }
    }
}

/// Reads an argument list from its start, each number checked.
struct Fields<'c> {
    combiner: Combiner,
    list: &'c [i64],
}

impl<'c> Fields<'c> {
    fn one(&mut self) -> Result<i64, DecodeError> {
        self.list(1).map(|list| list[0])
    }

    fn count(&mut self) -> Result<u64, DecodeError> {
        self.counts(1).map(|list| list[0])
    }

    fn list(&mut self, n: u64) -> Result<&'c [i64], DecodeError> {
        let bad = || self.bad("a list length", i64::try_from(n).unwrap_or(i64::MAX));
        let n = i64::try_from(n).ok().and_then(length).ok_or_else(bad)?;
        let (head, rest) = self.list.split_at_checked(n).ok_or_else(bad)?;
        self.list = rest;
        Ok(head)
    }

    fn counts(&mut self, n: u64) -> Result<Vec<u64>, DecodeError> {
        let list = self.list(n)?;
        list.iter().map(|&n| u64::try_from(n).map_err(|_| self.bad("a count", n))).collect()
    }

    fn bad(&self, what: &'static str, given: i64) -> DecodeError {
        DecodeError::BadContents { combiner: self.combiner, what, given }
    }
}

fn order<A: Abi>(values: &mut Fields<'_>) -> Result<Order, DecodeError> {
    match values.one()? {
        n if n == i64::from(A::CONSTANTS.order_c) => Ok(Order::C),
        n if n == i64::from(A::CONSTANTS.order_fortran) => Ok(Order::Fortran),
        n => Err(values.bad("the order", n)),
    }
}

fn distribution<A: Abi>(kind: i64, argument: i64) -> Result<Distribution, DecodeError> {
    let c = A::CONSTANTS;
    let bad = |what, given| DecodeError::BadContents { combiner: Combiner::Darray, what, given };
    let block = if argument == i64::from(c.distribute_dflt_darg) {
        None
    } else {
        Some(u64::try_from(argument).map_err(|_| bad("a distribution argument", argument))?)
    };
    match kind {
        n if n == i64::from(c.distribute_none) => Ok(Distribution::None),
        n if n == i64::from(c.distribute_block) => Ok(Distribution::Block(block)),
        n if n == i64::from(c.distribute_cyclic) => Ok(Distribution::Cyclic(block)),
        n => Err(bad("a distribution", n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{Mpich, Standard};

    #[test]
    fn lists_that_are_too_short_or_negative_are_errors() {
        let fields = |list| Fields { combiner: Combiner::Indexed, list };
        assert_eq!(fields(&[3, 1]).counts(2), Ok(vec![3, 1]));
        assert!(matches!(
            fields(&[3, 1]).counts(3),
            Err(DecodeError::BadContents { what: "a list length", given: 3, .. })
        ));
        assert!(matches!(
            fields(&[3, -1]).counts(2),
            Err(DecodeError::BadContents { what: "a count", given: -1, .. })
        ));
    }

    #[test]
    fn distributions_and_orders_are_read_with_the_constants_of_their_abi() {
        let dflt = i64::from(Mpich::CONSTANTS.distribute_dflt_darg);
        assert_eq!(distribution::<Mpich>(122, dflt), Ok(Distribution::Cyclic(None)));
        assert_eq!(distribution::<Mpich>(121, 3), Ok(Distribution::Block(Some(3))));
        assert_eq!(distribution::<Standard>(16, 19), Ok(Distribution::None));
        assert!(distribution::<Mpich>(16, 3).is_err());
        assert!(distribution::<Mpich>(121, -3).is_err());
        let mut values = Fields { combiner: Combiner::Subarray, list: &[15, 57] };
        assert_eq!(order::<Standard>(&mut values), Ok(Order::Fortran));
        assert_eq!(order::<Mpich>(&mut values), Ok(Order::Fortran));
    }
}
