//! Where things are in the imagined memory: variables, elements, components, what pointers lead to.

use crate::tree::{Binary, Expression, ExpressionKind, Subscript, Type, Unary};

use super::interpret::{Interpreter, Spot, Stop};
use super::memory::{Byte, Held};

impl Interpreter<'_> {
    pub fn resolve(&self, of: &Type) -> Type {
        match self.symbols.resolve(of) {
            Type::Reference(to) => self.symbols.resolve(&to),
            other => other,
        }
    }

    pub fn array_type(&self, of: &Type) -> Type {
        match self.resolve(of) {
            Type::Pointer(to) => self.resolve(&to),
            other => other,
        }
    }

    pub fn type_of(&mut self, expression: &Expression) -> Result<Type, Stop> {
        let memory = self.memory.clone();
        let spot = self.spot(expression);
        self.memory = memory;
        Ok(self.resolve(&spot?.of))
    }

    /// Where a place is.
    pub fn spot(&mut self, expression: &Expression) -> Result<Spot, Stop> {
        match &expression.kind {
            ExpressionKind::Name(name) => {
                let of = self.symbols.variable(name).ok_or(Stop::Unknown)?.of.clone();
                Ok(Spot { at: Byte { object: name.clone(), offset: 0 }, of: self.resolve(&of) })
            }
            ExpressionKind::Element { base, subscripts } => {
                let at = subscripts
                    .iter()
                    .map(|s| match s {
                        Subscript::At(at) => self.number(at),
                        Subscript::Section { .. } => Err(Stop::Unknown),
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                if self.symbols.language().is_fortran() {
                    let array = self.spot(base)?;
                    return self.subscripted(&array, &at);
                }
                let first = self.pointee(base)?;
                let size = self.size(&first.of, &root_of(&first.at.object))?;
                let index = at.first().copied().ok_or(Stop::Unknown)?;
                Ok(Spot { at: first.at.plus(index.wrapping_mul(size)), of: first.of })
            }
            ExpressionKind::Member { base, field } => {
                let record = self.spot(base)?;
                let (offset, of) =
                    self.symbols.field(&self.resolve(&record.of), field).ok_or(Stop::Unknown)?;
                Ok(Spot { at: record.at.plus(i64::try_from(offset).map_err(|_| Stop::Limit)?), of })
            }
            ExpressionKind::Unary(Unary::Dereference, pointer) => self.pointee(pointer),
            _ => Err(Stop::Unknown),
        }
    }

    /// What a pointer points to, or where an array begins.
    pub fn pointee(&mut self, pointer: &Expression) -> Result<Spot, Stop> {
        match &pointer.kind {
            ExpressionKind::Unary(Unary::Address, place) => self.spot(place),
            ExpressionKind::Cast(of, inner) => {
                let spot = self.pointee(inner)?;
                match self.resolve(of) {
                    Type::Pointer(to) => Ok(Spot { of: *to, ..spot }),
                    _ => Err(Stop::Unknown),
                }
            }
            ExpressionKind::Binary(sign @ (Binary::Add | Binary::Subtract), left, right) => {
                let (pointer, number) =
                    if self.pointee_type(left) { (left, right) } else { (right, left) };
                let by = self.number(number)?;
                let spot = self.pointee(pointer)?;
                let size = self.size(&spot.of, &root_of(&spot.at.object))?;
                let by = if *sign == Binary::Add { by } else { -by };
                Ok(Spot { at: spot.at.plus(by.wrapping_mul(size)), of: spot.of })
            }
            ExpressionKind::Step { target, by, prefix } => {
                let before = self.pointee(target)?;
                let size = self.size(&before.of, &root_of(&before.at.object))?;
                let after = Spot { at: before.at.plus(by * size), of: before.of.clone() };
                let cell = self.spot(target)?;
                self.memory.set(cell.at, Held::Pointer(after.at.clone()));
                Ok(if *prefix { after } else { before })
            }
            _ => {
                let spot = self.spot(pointer)?;
                match self.resolve(&spot.of) {
                    Type::Pointer(to) => Ok(Spot { at: self.memory.pointer(&spot.at), of: *to }),
                    Type::Array(element, dimensions) if dimensions.len() > 1 => {
                        Ok(Spot { at: spot.at, of: Type::Array(element, dimensions[1..].to_vec()) })
                    }
                    Type::Array(element, _) => Ok(Spot { at: spot.at, of: *element }),
                    _ => Err(Stop::Unknown),
                }
            }
        }
    }

    fn pointee_type(&mut self, expression: &Expression) -> bool {
        let memory = self.memory.clone();
        let found = self.pointee(expression).is_ok();
        self.memory = memory;
        found
    }

    /// An element of an array of Fortran.
    pub fn subscripted(&mut self, array: &Spot, at: &[i64]) -> Result<Spot, Stop> {
        let pointer = matches!(self.resolve(&array.of), Type::Pointer(_));
        let Type::Array(element, dimensions) = self.array_type(&array.of) else {
            return Err(Stop::Unknown);
        };
        if dimensions.len() != at.len() {
            return Err(Stop::Unknown);
        }
        let base = if pointer { self.memory.pointer(&array.at) } else { array.at.clone() };
        let name = array.at.object.clone();
        let mut offset = 0_i64;
        for (d, (&subscript, dimension)) in at.iter().zip(&dimensions).enumerate() {
            let lower = self.lower(&name, d, dimension)?;
            let stride = self.stride(&name, &element, &dimensions, d)?;
            offset = offset.wrapping_add((subscript - lower).wrapping_mul(stride));
        }
        Ok(Spot { at: base.plus(offset), of: *element })
    }
}

/// The variable whose declaration tells the shape of what an object holds.
pub(super) fn root_of(object: &str) -> String {
    object.trim_start_matches('*').split('+').next().unwrap_or_default().to_owned()
}
