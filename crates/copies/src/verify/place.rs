//! Where things are in the imagined memory: variables, elements, components, what pointers lead
//! to.

use commloom_source::tree::{Binary, Expression, ExpressionKind, Subscript, Type, Unary};

use super::interpreter::{Interpreter, Spot};
use super::memory::{Byte, Held};
use super::stop::Stop;
use super::types::Of;

impl Interpreter<'_> {
    /// Where a place is.
    pub fn spot(&mut self, expression: &Expression) -> Result<Spot, Stop> {
        match &expression.kind {
            ExpressionKind::Name(name) => {
                let meaning = self.meaning(name);
                let (_, of) = meaning.variable.ok_or(Stop::Unknown)?;
                Ok(Spot { at: Byte { object: meaning.object, offset: 0 }, of })
            }
            ExpressionKind::Element { base, subscripts } => {
                let mut at = [0; MOST];
                let at = at.get_mut(..subscripts.len()).ok_or(Stop::Unknown)?;
                for (at, subscript) in at.iter_mut().zip(subscripts) {
                    let Subscript::At(subscript) = subscript else { return Err(Stop::Unknown) };
                    *at = self.number(subscript)?;
                }
                if self.is_fortran {
                    let array = self.spot(base)?;
                    return self.subscripted(array, at);
                }
                let first = self.pointee(base)?;
                let size = self.size_there(first)?;
                let index = at.first().copied().ok_or(Stop::Unknown)?;
                Ok(Spot { at: first.at.plus(index.wrapping_mul(size)), of: first.of })
            }
            ExpressionKind::Member { base, field } => {
                let record = self.spot(base)?;
                let (offset, of) = self.types.field(record.of, field)?;
                Ok(Spot { at: record.at.plus(offset), of })
            }
            ExpressionKind::Unary(Unary::Dereference, pointer) => self.pointee(pointer),
            _ => Err(Stop::Unknown),
        }
    }

    /// The place that a pointer points to, or where an array begins.
    pub fn pointee(&mut self, pointer: &Expression) -> Result<Spot, Stop> {
        match &pointer.kind {
            ExpressionKind::Unary(Unary::Address, place) => self.spot(place),
            ExpressionKind::Cast(of, inner) => {
                let spot = self.pointee(inner)?;
                Ok(Spot { of: self.target(of)?, ..spot })
            }
            ExpressionKind::Binary(sign @ (Binary::Add | Binary::Subtract), left, right) => {
                let (pointer, number) =
                    if self.pointee_of(left).is_ok() { (left, right) } else { (right, left) };
                let by = self.number(number)?;
                let spot = self.pointee(pointer)?;
                let size = self.size_there(spot)?;
                let by = if *sign == Binary::Add { by } else { -by };
                Ok(Spot { at: spot.at.plus(by.wrapping_mul(size)), of: spot.of })
            }
            ExpressionKind::Step { target, by, prefix } => {
                let before = self.pointee(target)?;
                let size = self.size_there(before)?;
                let after = Spot { at: before.at.plus(by * size), of: before.of };
                let cell = self.spot(target)?;
                self.memory.set(cell.at, Held::Pointer(after.at));
                Ok(if *prefix { after } else { before })
            }
            _ => {
                let spot = self.spot(pointer)?;
                let of = self.below(spot.of)?;
                let at =
                    if self.types.is_pointer(spot.of) { self.follow(spot.at) } else { spot.at };
                Ok(Spot { at, of })
            }
        }
    }

    /// The byte that the pointer in a cell points to.
    pub fn follow(&mut self, cell: Byte) -> Byte {
        match self.memory.held(cell) {
            Some(Held::Pointer(to)) => to,
            _ => self.objects.behind(cell),
        }
    }

    /// Bytes of what is there, as the declaration of the object tells.
    pub fn size_there(&mut self, spot: Spot) -> Result<i64, Stop> {
        if let Some(size) = self.types.shape(spot.of)?.size {
            return Ok(size);
        }
        let root = self.objects.root(spot.at.object);
        self.size(spot.of, root)
    }

    /// The type of a place; nothing is evaluated.
    pub fn type_of(&mut self, expression: &Expression) -> Result<Of, Stop> {
        match &expression.kind {
            ExpressionKind::Name(name) => Ok(self.meaning(name).variable.ok_or(Stop::Unknown)?.1),
            ExpressionKind::Element { base, .. } if self.is_fortran => {
                let of = self.type_of(base)?;
                let array = self.types.array(of)?;
                self.types.shape(array)?.inner.ok_or(Stop::Unknown)
            }
            ExpressionKind::Element { base, .. } => self.pointee_of(base),
            ExpressionKind::Member { base, field } => {
                let record = self.type_of(base)?;
                Ok(self.types.field(record, field)?.1)
            }
            ExpressionKind::Unary(Unary::Dereference, pointer) => self.pointee_of(pointer),
            _ => Err(Stop::Unknown),
        }
    }

    /// The type of what a pointer points to; nothing is evaluated.
    fn pointee_of(&mut self, pointer: &Expression) -> Result<Of, Stop> {
        match &pointer.kind {
            ExpressionKind::Unary(Unary::Address, place) => self.type_of(place),
            ExpressionKind::Cast(of, inner) => {
                self.pointee_of(inner)?;
                self.target(of)
            }
            ExpressionKind::Binary(Binary::Add | Binary::Subtract, left, right) => {
                self.pointee_of(left).or_else(|_| self.pointee_of(right))
            }
            ExpressionKind::Step { target, .. } => self.pointee_of(target),
            _ => {
                let of = self.type_of(pointer)?;
                self.below(of)
            }
        }
    }

    /// The type that a pointer type points to.
    fn target(&mut self, of: &Type) -> Result<Of, Stop> {
        let of = self.types.of(of);
        let shape = self.types.shape(of)?;
        match shape.of {
            Type::Pointer(_) => shape.inner.ok_or(Stop::Unknown),
            _ => Err(Stop::Unknown),
        }
    }

    /// The type below a pointer, or one subscript of an array.
    fn below(&self, of: Of) -> Result<Of, Stop> {
        let shape = self.types.shape(of)?;
        match shape.of {
            Type::Pointer(_) => shape.inner,
            Type::Array(..) => shape.rest,
            _ => None,
        }
        .ok_or(Stop::Unknown)
    }

    /// An element of an array of Fortran.
    pub fn subscripted(&mut self, array: Spot, at: &[i64]) -> Result<Spot, Stop> {
        let of = self.types.array(array.of)?;
        let frame = self.frame(array.at.object, of)?;
        if frame.len() != at.len() {
            return Err(Stop::Unknown);
        }
        let base = if self.types.is_pointer(array.of) { self.follow(array.at) } else { array.at };
        let mut offset = 0_i64;
        for (subscript, (lower, stride)) in at.iter().zip(frame.iter()) {
            offset = offset.wrapping_add((subscript - lower).wrapping_mul(*stride));
        }
        let element = self.types.shape(of)?.inner.ok_or(Stop::Unknown)?;
        Ok(Spot { at: base.plus(offset), of: element })
    }
}

/// Subscripts of an array in Fortran 2018.
const MOST: usize = 15;
