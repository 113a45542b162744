//! Sizes and shapes: bounds are those of the place where an array was declared.

use std::rc::Rc;

use commloom_source::tree::{Dimension, Expression, ExpressionKind, Subscript, Type};

use super::interpreter::{Frame, Interpreter};
use super::memory::Object;
use super::stop::Stop;
use super::types::Of;

impl Interpreter<'_> {
    /// A declaration of C is executed: the bounds in it are those of now.
    pub fn declare(&mut self, name: &str) {
        let meaning = self.meaning(name);
        self.forget_bounds();
        match meaning.variable {
            Some((declaration, _)) if self.is_fixed(&declaration.of) => {
                self.shapes.remove(&meaning.object);
            }
            _ => {
                self.shapes.insert(meaning.object, Rc::new(self.memory.clone()));
            }
        }
    }

    /// Whether no bound in a type depends on a variable.
    fn is_fixed(&mut self, of: &Type) -> bool {
        match self.symbols.resolve(of) {
            Type::Array(element, dimensions) => {
                let mut bounds: Vec<&Expression> = Vec::new();
                for dimension in &dimensions {
                    match dimension {
                        Dimension::Extent(extent) => bounds.push(extent),
                        Dimension::Bounds { lower, upper } => {
                            bounds.extend(lower);
                            bounds.push(upper);
                        }
                        Dimension::AssumedSize { lower } | Dimension::AssumedShape { lower } => {
                            bounds.extend(lower);
                        }
                    }
                }
                bounds.into_iter().all(|bound| self.is_constant(bound)) && self.is_fixed(&element)
            }
            Type::Pointer(to) | Type::Reference(to) => self.is_fixed(&to),
            _ => true,
        }
    }

    fn is_constant(&self, bound: &Expression) -> bool {
        let mut constant = true;
        bound.each(&mut |part| {
            constant &= match &part.kind {
                ExpressionKind::Name(name) => self.symbols.constant(name).is_some(),
                ExpressionKind::Integer(_)
                | ExpressionKind::Binary(..)
                | ExpressionKind::Unary(..)
                | ExpressionKind::SizeOfType(_) => true,
                _ => false,
            };
        });
        constant
    }

    /// `allocate(q(n, 0:m))`
    pub fn allocate(&mut self, array: &Expression) {
        let ExpressionKind::Element { base, subscripts } = &array.kind else { return };
        let ExpressionKind::Name(name) = &base.kind else { return };
        let mut shape = Vec::new();
        for subscript in subscripts {
            let bounds = match subscript {
                Subscript::At(extent) => self.number(extent).map(|extent| (1, extent)),
                Subscript::Section { first: Some(first), last: Some(last), .. } => {
                    self.number(first).and_then(|first| Ok((first, self.number(last)? - first + 1)))
                }
                Subscript::Section { .. } => return,
            };
            let Ok(bounds) = bounds else { return };
            shape.push(bounds);
        }
        let object = self.objects.named(name);
        self.allocated.insert(object, shape);
        self.forget_bounds();
    }

    /// Bounds may have the values of other arrays' bounds in them.
    fn forget_bounds(&mut self) {
        self.bounds.clear();
        self.frames.clear();
    }

    fn allocated(&self, name: Object, d: usize) -> Option<(i64, i64)> {
        self.allocated.get(&name)?.get(d).copied()
    }

    /// Of an array (no pointer to one).
    pub fn frame(&mut self, name: Object, of: Of) -> Result<Frame, Stop> {
        if let Some(known) = self.frames.get(&(name, of)) {
            return Ok(known.clone());
        }
        let shape = self.types.shape(of)?;
        let (element, dimensions) =
            (shape.inner.ok_or(Stop::Unknown)?, Rc::clone(&shape.dimensions));
        let mut frame = Vec::with_capacity(dimensions.len());
        for (d, dimension) in dimensions.iter().enumerate() {
            let lower = self.lower(name, d, dimension)?;
            frame.push((lower, self.stride(name, element, &dimensions, d)?));
        }
        let frame = Frame::from(frame);
        self.frames.insert((name, of), Rc::clone(&frame));
        Ok(frame)
    }

    /// Bytes between neighbours; those of assumed shapes have gaps.
    pub fn stride(
        &mut self,
        name: Object,
        element: Of,
        dimensions: &[Dimension],
        along: usize,
    ) -> Result<i64, Stop> {
        let text = self.objects.name(name).to_owned();
        let packed = self.symbols.variable(&text).is_some_and(|d| d.allocatable);
        let mut stride = self.size(element, name)?;
        for (d, dimension) in dimensions.iter().enumerate().take(along + 1) {
            let measured = matches!(dimension, Dimension::AssumedShape { .. }) && !packed;
            if measured {
                stride *= self.draw.gap(&text, d);
            }
            if d < along {
                stride = stride.wrapping_mul(self.extent(name, d, dimension)?);
            }
        }
        Ok(stride)
    }

    pub fn lower(&mut self, name: Object, d: usize, dimension: &Dimension) -> Result<i64, Stop> {
        let fortran = i64::from(self.symbols.language().is_fortran());
        match dimension {
            Dimension::Bounds { lower, .. } | Dimension::AssumedSize { lower } => {
                lower.as_ref().map_or(Ok(fortran), |lower| self.bound(name, lower))
            }
            Dimension::AssumedShape { lower: Some(lower) } => self.bound(name, lower),
            Dimension::AssumedShape { lower: None } => {
                let text = self.objects.name(name);
                let declaration = self.symbols.variable(text).ok_or(Stop::Unknown)?;
                let deferred =
                    declaration.allocatable || matches!(declaration.of, Type::Pointer(_));
                Ok(match self.allocated(name, d) {
                    Some((lower, _)) => lower,
                    None if deferred => self.draw.lower(text, d),
                    None => fortran,
                })
            }
            Dimension::Extent(_) => Ok(fortran),
        }
    }

    pub fn extent(&mut self, name: Object, d: usize, dimension: &Dimension) -> Result<i64, Stop> {
        match dimension {
            Dimension::Bounds { upper, .. } => {
                Ok(self.bound(name, upper)? - self.lower(name, d, dimension)? + 1)
            }
            Dimension::Extent(extent) => self.bound(name, extent),
            Dimension::AssumedSize { .. } => Err(Stop::Unknown),
            Dimension::AssumedShape { .. } => Ok(self.allocated(name, d).map_or_else(
                || self.draw.extent(self.objects.name(name), d),
                |(_, extent)| extent,
            )),
        }
    }

    /// A bound, as it was when the array was declared. The expression stands in
    /// [`Shape`](super::types::Shape), where it stays.
    fn bound(&mut self, name: Object, expression: &Expression) -> Result<i64, Stop> {
        if let ExpressionKind::Integer(value) = expression.kind {
            return Ok(value);
        }
        let key = (name, std::ptr::from_ref(expression).addr());
        if let Some(&known) = self.bounds.get(&key) {
            return known;
        }
        let then = self.shapes.get(&name).map(|then| (**then).clone()).unwrap_or_default();
        let now = std::mem::replace(&mut self.memory, then);
        let value = self.number(expression);
        self.memory = now;
        self.bounds.insert(key, value);
        value
    }

    pub fn size(&mut self, of: Of, name: Object) -> Result<i64, Stop> {
        let shape = self.types.shape(of)?;
        if let Some(size) = shape.size {
            return Ok(size);
        }
        match (&shape.of, shape.inner) {
            (Type::Array(..), Some(element)) => {
                let dimensions = Rc::clone(&shape.dimensions);
                let mut size = self.size(element, name)?;
                for (d, dimension) in dimensions.iter().enumerate() {
                    size = size.wrapping_mul(self.extent(name, d, dimension)?);
                }
                Ok(size)
            }
            (Type::Named(_), _) => Ok(8),
            _ => Err(Stop::Unknown),
        }
    }
}
