//! Addresses: what a place is counted from, and by how many bytes.

use std::rc::Rc;

use commloom_source::affine::{Atom, Place, Polynomial, Step};
use commloom_source::tree::{Dimension, Expression, ExpressionKind, Name, Subscript, Type, Unary};

use super::Address;
use super::integers::Integer;
use super::state::{Located, State, Value};
use super::walk::Walk;
use super::writes::root;

impl Walk<'_> {
    fn is_fortran(&self) -> bool {
        self.symbols.language().is_fortran()
    }

    /// Where an expression's value lies; none if it is no place, or one that has no form.
    pub(super) fn locate(&mut self, expression: &Expression) -> Option<Located> {
        match &expression.kind {
            ExpressionKind::Name(name) => self.variable(name),
            ExpressionKind::Element { base, subscripts } => self.element(base, subscripts),
            ExpressionKind::Member { base, field } => {
                let record = self.locate(base)?;
                let resolved = self.symbols.resolve(&record.of);
                if self.is_cast(&record) {
                    return None;
                }
                let (offset, of) = self.symbols.field(&resolved, field)?;
                let measured = self.component(&record.of, field, offset, &record.address.place)?;
                let mut address = record.address;
                address.offset = address.offset.plus(&Polynomial::size(offset));
                address.measured = address.measured.plus(&measured);
                address.place.steps.push(Step::Field(field.clone()));
                Some(Located::plain(address, of))
            }
            ExpressionKind::Unary(Unary::Dereference, pointer) => self.pointee(pointer),
            _ => None,
        }
    }

    /// A variable's own memory.
    fn variable(&mut self, name: &Name) -> Option<Located> {
        let declaration = self.symbols.variable(name)?;
        let mut of = declaration.of.clone();
        if let Type::Reference(inner) = of {
            of = *inner;
        }
        let place = Place::variable(name.clone());
        let address = Address {
            base: place.clone(),
            version: None,
            offset: Polynomial::zero(),
            measured: Polynomial::zero(),
            place,
        };
        Some(Located::plain(address, of))
    }

    /// Where a pointer points to, or an array begins. Steps in the expression (`p++`) are carried
    /// out.
    pub(super) fn pointee(&mut self, pointer: &Expression) -> Option<Located> {
        match &pointer.kind {
            ExpressionKind::Unary(Unary::Address, place) => self.locate(place),
            ExpressionKind::Cast(of, inner) => {
                let located = self.pointee(inner)?;
                match self.symbols.resolve(of) {
                    Type::Pointer(to) => Some(Located { of: *to, ..located }),
                    _ => None,
                }
            }
            ExpressionKind::Binary(operation, left, right) => {
                let (pointer, number, sign) = match operation {
                    commloom_source::tree::Binary::Add if self.is_number(left) => (right, left, 1),
                    commloom_source::tree::Binary::Add => (left, right, 1),
                    commloom_source::tree::Binary::Subtract => (left, right, -1),
                    _ => return None,
                };
                let located = self.pointee(pointer)?;
                let inside = self.is_in_buffer(&located);
                let by = self.subscript(number, inside)?.times_constant(sign);
                self.advance(located, &by)
            }
            ExpressionKind::Step { target, by, prefix } => {
                let before = self.pointee(target)?;
                let after = self.advance(before.clone(), &Polynomial::constant(*by))?;
                let cell = self.locate(target)?.address.place;
                self.state.set(cell, Some(Value::pointer(after.clone())));
                Some(if *prefix { after } else { before })
            }
            _ => {
                let located = self.locate(pointer)?;
                self.follow(located)
            }
        }
    }

    /// The place that a pointer at a place points to, or the first element of an array there.
    fn follow(&mut self, located: Located) -> Option<Located> {
        match self.symbols.resolve(&located.of) {
            Type::Array(element, dimensions) if !self.is_fortran() => {
                // The memory of a std::vector may move.
                let moves = is_container(&dimensions);
                // A container in a container has memory of its own, which one name does not
                // follow.
                if moves && located.address.version.is_some() {
                    return None;
                }
                let version = moves.then(|| self.version(&located.address.place));
                let of = if dimensions.len() > 1 {
                    Type::Array(element, dimensions[1..].to_vec())
                } else {
                    *element
                };
                let mut address = located.address;
                address.version = address.version.or(version);
                // What was cast to an array is written as what it was.
                if let Type::Array(..) = self.symbols.resolve(&located.written) {
                    address.place.steps.push(Step::At(vec![Polynomial::zero()]));
                    return Some(Located::plain(address, of));
                }
                Some(Located { address, of, written: located.written })
            }
            Type::Array(..) => self.first_element(located),
            Type::Pointer(_) if self.is_cast(&located) => None,
            Type::Pointer(to) => {
                let cell = located.address.place;
                if let Some(Value::Pointer(value)) = self.state.values.get(&cell) {
                    return Some((**value).clone());
                }
                let version = self.version(&cell);
                let mut place = cell.clone();
                place.steps.push(Step::At(vec![Polynomial::zero()]));
                let address = Address {
                    base: cell,
                    version: Some(version),
                    offset: Polynomial::zero(),
                    measured: Polynomial::zero(),
                    place,
                };
                Some(Located::plain(address, *to))
            }
            _ => None,
        }
    }

    /// The first element of an array of Fortran.
    pub(super) fn first_element(&mut self, located: Located) -> Option<Located> {
        let Type::Array(element, dimensions) = self.symbols.resolve(&located.of) else {
            return None;
        };
        let name = located.address.place.variable.clone();
        let lowers =
            dimensions.iter().enumerate().map(|(d, dimension)| self.lower(&name, d, dimension));
        let at = lowers.collect::<Option<Vec<_>>>()?;
        let mut address = located.address;
        address.place.steps.push(Step::At(at));
        Some(Located::plain(address, *element))
    }

    /// Whether it is written as something of another type than it is taken for.
    pub(super) fn is_cast(&self, located: &Located) -> bool {
        located.of != located.written
            && self.symbols.resolve(&located.of) != self.symbols.resolve(&located.written)
    }

    /// So many elements further, as C's pointers go.
    pub(super) fn advance(&mut self, located: Located, by: &Polynomial) -> Option<Located> {
        if by.is_zero() {
            return Some(located);
        }
        let is_cast = self.is_cast(&located);
        let Located { mut address, of, written } = located;
        let name = address.place.variable.clone();
        let size = self.size(&of, &name)?;
        let measured = by.times(&self.measure(&of, &name, &address.place)?);
        address.offset = address.offset.plus(&by.on_lp64().times(&size));
        address.measured = address.measured.plus(&measured);
        // The subscript counts what the place is written as.
        let by = if !is_cast {
            by.clone()
        } else if self.symbols.resolve(&written) == Type::Void {
            measured
        } else {
            measured.exact_quotient(&self.measure(&written, &name, &address.place)?)?
        };
        match address.place.steps.last_mut() {
            Some(Step::At(subscripts)) if subscripts.len() == 1 => {
                subscripts[0] = subscripts[0].plus(&by)
            }
            _ => return None,
        }
        Some(Located { address, of, written })
    }

    fn element(&mut self, base: &Expression, subscripts: &[Subscript]) -> Option<Located> {
        if !self.is_fortran() {
            let [Subscript::At(index)] = subscripts else { return None };
            let inside = self.buffer.is_some()
                && root(base).is_some_and(|name| self.aliases().contains(name));
            let at = self.subscript(index, inside)?;
            let first = self.pointee(base)?;
            return self.advance(first, &at);
        }
        let at = subscripts
            .iter()
            .map(|subscript| match subscript {
                Subscript::At(expression) => self.number(expression),
                Subscript::Section { .. } => None,
            })
            .collect::<Option<Vec<_>>>()?;
        let array = self.locate(base)?;
        self.subscripted(array, at)
    }

    /// A number that is added to an address. What wraps is another one there; but for the buffer,
    /// all of whose places are smaller than a message.
    fn subscript(&mut self, number: &Expression, is_in_buffer: bool) -> Option<Polynomial> {
        let value = self.number(number)?;
        let of = self.integer_of(number);
        if is_in_buffer { Some(value) } else { self.converted(value, of, Integer::ADDRESS) }
    }

    fn is_in_buffer(&self, located: &Located) -> bool {
        self.buffer.as_ref() == Some(&located.address.base)
    }

    /// An element of an array of Fortran.
    pub(super) fn subscripted(&mut self, array: Located, at: Vec<Polynomial>) -> Option<Located> {
        let mut of = self.symbols.resolve(&array.of);
        if let Type::Pointer(inner) = of {
            of = self.symbols.resolve(&inner);
        }
        let Type::Array(element, dimensions) = of else { return None };
        if dimensions.len() != at.len() {
            return None;
        }
        let mut address = array.address;
        let name = address.place.variable.clone();
        let strides = self.strides(&name, &address.place, &element, &dimensions)?;
        for (d, ((subscript, dimension), (stride, measured))) in
            at.iter().zip(&dimensions).zip(&strides).enumerate()
        {
            let lower = self.lower(&name, d, dimension)?;
            let steps = subscript.minus(&lower);
            address.offset = address.offset.plus(&steps.times(stride));
            address.measured = address.measured.plus(&steps.times(measured));
        }
        address.place.steps.push(Step::At(at));
        Some(Located::plain(address, *element))
    }

    /// Bytes between neighbours along each dimension of an array of Fortran: on LP64, and by sizes
    /// of types.
    fn strides(
        &mut self,
        name: &Name,
        array: &Place,
        element: &Type,
        dimensions: &[Dimension],
    ) -> Option<Vec<(Polynomial, Polynomial)>> {
        let mut stride = self.size(element, name)?;
        let lowers = dimensions.iter().enumerate().map(|(d, bounds)| self.lower(name, d, bounds));
        let first = Step::At(lowers.collect::<Option<_>>()?);
        let mut sample = array.clone();
        sample.steps.push(first);
        let mut measure = self.measure(element, name, &sample)?;
        let packed = self.symbols.variable(name).is_some_and(|d| d.allocatable);
        let mut strides = Vec::with_capacity(dimensions.len());
        for (d, dimension) in dimensions.iter().enumerate() {
            let number = u32::try_from(d).ok()?;
            let measured = matches!(dimension, Dimension::AssumedShape { .. }) && !packed;
            if measured {
                stride = Polynomial::atom(Atom::Stride(name.clone(), number));
                measure = stride.clone();
            }
            strides.push((stride.clone(), measure.clone()));
            if d + 1 < dimensions.len() && !measured {
                let extent = self.extent(name, d, dimension)?;
                stride = stride.times(&extent);
                measure = measure.times(&extent);
            }
        }
        Some(strides)
    }

    /// The first subscript of a dimension.
    pub(super) fn lower(
        &mut self,
        name: &Name,
        d: usize,
        dimension: &Dimension,
    ) -> Option<Polynomial> {
        if let Some((lower, _)) = self.allocated.bounds.get(name).and_then(|shape| shape.get(d)) {
            return Some(lower.clone());
        }
        let fortran = self.is_fortran();
        let default = Polynomial::constant(i64::from(fortran));
        match dimension {
            Dimension::Bounds { lower, .. } | Dimension::AssumedSize { lower } => match lower {
                Some(lower) => self.bound(name, lower),
                None => Some(default),
            },
            Dimension::AssumedShape { lower: Some(lower) } => self.bound(name, lower),
            Dimension::AssumedShape { lower: None } => {
                let declaration = self.symbols.variable(name)?;
                let deferred =
                    declaration.allocatable || matches!(declaration.of, Type::Pointer(_));
                Some(if deferred {
                    Polynomial::atom(Atom::Lower(name.clone(), u32::try_from(d).ok()?))
                } else {
                    default
                })
            }
            Dimension::Extent(_) => Some(default),
        }
    }

    /// Elements along a dimension.
    pub(super) fn extent(
        &mut self,
        name: &Name,
        d: usize,
        dimension: &Dimension,
    ) -> Option<Polynomial> {
        match dimension {
            Dimension::Bounds { upper, .. } => {
                let lower = self.lower(name, d, dimension)?;
                Some(self.bound(name, upper)?.minus(&lower).plus(&Polynomial::constant(1)))
            }
            Dimension::Extent(extent) => self.bound(name, extent),
            Dimension::AssumedSize { .. } => None,
            Dimension::AssumedShape { .. } => {
                if let Some((_, extent)) =
                    self.allocated.bounds.get(name).and_then(|shape| shape.get(d))
                {
                    return Some(extent.clone());
                }
                Some(Polynomial::atom(Atom::Extent(name.clone(), u32::try_from(d).ok()?)))
            }
        }
    }

    /// A bound of an array, as it was when the array was declared: at the procedure's beginning,
    /// or at the declaration.
    fn bound(&mut self, name: &Name, expression: &Expression) -> Option<Polynomial> {
        let then = self.state.shapes.get(name).map_or_else(|| Rc::new(State::default()), Rc::clone);
        let now = std::mem::replace(&mut self.state, (*then).clone());
        let value = self.number(expression);
        self.state = now;
        value
    }

    /// Bytes of a type on LP64; `name` is the variable whose declaration it is from.
    pub(super) fn size(&mut self, of: &Type, name: &Name) -> Option<Polynomial> {
        let resolved = self.symbols.resolve(of);
        if let Some(size) = self.symbols.size_of(&resolved) {
            return Some(Polynomial::size(size));
        }
        match resolved {
            // The elements of a container of C++ lie elsewhere: several of them are not one piece.
            Type::Array(_, dimensions) if !self.is_fortran() && is_container(&dimensions) => None,
            Type::Array(element, dimensions) => {
                let mut size = self.size(&element, name)?;
                for (d, dimension) in dimensions.iter().enumerate() {
                    size = size.times(&self.extent(name, d, dimension)?.on_lp64());
                }
                Some(size)
            }
            Type::Named(text) => Some(Polynomial::atom(Atom::SizeOf(text))),
            _ => None,
        }
    }

    /// Whether the analysis treats this as C's pointer arithmetic would a number.
    fn is_number(&mut self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Integer(_)
            | ExpressionKind::SizeOfType(_)
            | ExpressionKind::SizeOfValue(_) => true,
            ExpressionKind::Name(name) => self.symbols.variable(name).is_none_or(|d| {
                !matches!(self.symbols.resolve(&d.of), Type::Pointer(_) | Type::Array(..))
            }),
            ExpressionKind::Binary(_, left, right) => self.is_number(left) && self.is_number(right),
            ExpressionKind::Unary(Unary::Address, _) => false,
            ExpressionKind::Cast(of, _) => !matches!(self.symbols.resolve(of), Type::Pointer(_)),
            _ => {
                let copy = self.state.clone();
                let is_pointer = self.locate(expression).is_some_and(|located| {
                    matches!(self.symbols.resolve(&located.of), Type::Pointer(_) | Type::Array(..))
                });
                self.state = copy;
                !is_pointer
            }
        }
    }

    /// How often a place was perhaps written.
    pub(super) fn version(&self, place: &Place) -> u32 {
        self.version_at(&self.state, place)
    }

    /// The same at another point.
    pub(super) fn version_at(&self, state: &State, place: &Place) -> u32 {
        if self.symbols.constant(&place.variable).is_some() {
            return 0;
        }
        let is_pointer =
            |of: &Type| matches!(self.symbols.resolve(of), Type::Pointer(_) | Type::Reference(_));
        let behind = !place.steps.is_empty()
            && !self.is_fortran()
            && !self.symbols.is_hidden(&place.variable)
            && self.symbols.variable(&place.variable).is_some_and(|d| is_pointer(&d.of));
        state.version(place, behind || self.is_exposed(&place.variable))
    }

    /// How often a variable, or anything in it, was perhaps written.
    pub(super) fn version_inside(&self, name: &str) -> u32 {
        self.version_inside_at(&self.state, name)
    }

    /// The same at another point.
    pub(super) fn version_inside_at(&self, state: &State, name: &str) -> u32 {
        self.version_at(state, &Place { variable: name.to_owned(), steps: vec![Step::Follow] })
    }
}

/// Whether an array of C++ is a container whose memory is elsewhere (`std::vector`).
fn is_container(dimensions: &[Dimension]) -> bool {
    matches!(dimensions, [Dimension::AssumedShape { .. }])
}
