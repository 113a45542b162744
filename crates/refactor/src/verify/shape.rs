//! Sizes and shapes: bounds are those of the place where an array was declared.

use crate::tree::{Dimension, Expression, ExpressionKind, Subscript, Type};

use super::interpret::{Interpreter, Stop};

impl Interpreter<'_> {
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
        self.allocated.insert(name.clone(), shape);
    }

    fn allocated(&self, name: &str, d: usize) -> Option<(i64, i64)> {
        self.allocated.get(name)?.get(d).copied()
    }
    /// Bytes between neighbours; those of assumed shapes have gaps.
    pub fn stride(
        &mut self,
        name: &str,
        element: &Type,
        dimensions: &[Dimension],
        along: usize,
    ) -> Result<i64, Stop> {
        let packed = self.symbols.variable(name).is_some_and(|d| d.allocatable);
        let mut stride = self.size(element, name)?;
        for (d, dimension) in dimensions.iter().enumerate().take(along + 1) {
            let measured = matches!(dimension, Dimension::AssumedShape { .. }) && !packed;
            if measured {
                stride *= self.memory.gap((name, d, "gap"));
            }
            if d < along {
                stride = stride.wrapping_mul(self.extent(name, d, dimension)?);
            }
        }
        Ok(stride)
    }

    pub fn lower(&mut self, name: &str, d: usize, dimension: &Dimension) -> Result<i64, Stop> {
        let fortran = i64::from(self.symbols.language().is_fortran());
        match dimension {
            Dimension::Bounds { lower, .. } | Dimension::AssumedSize { lower } => {
                lower.as_ref().map_or(Ok(fortran), |lower| self.bound(name, lower))
            }
            Dimension::AssumedShape { lower: Some(lower) } => self.bound(name, lower),
            Dimension::AssumedShape { lower: None } => {
                let declaration = self.symbols.variable(name).ok_or(Stop::Unknown)?;
                let deferred =
                    declaration.allocatable || matches!(declaration.of, Type::Pointer(_));
                Ok(match self.allocated(name, d) {
                    Some((lower, _)) => lower,
                    None if deferred => self.memory.random((name, d, "lower")),
                    None => fortran,
                })
            }
            Dimension::Extent(_) => Ok(fortran),
        }
    }

    pub fn extent(&mut self, name: &str, d: usize, dimension: &Dimension) -> Result<i64, Stop> {
        match dimension {
            Dimension::Bounds { upper, .. } => {
                Ok(self.bound(name, upper)? - self.lower(name, d, dimension)? + 1)
            }
            Dimension::Extent(extent) => self.bound(name, extent),
            Dimension::AssumedSize { .. } => Err(Stop::Unknown),
            Dimension::AssumedShape { .. } => Ok(self
                .allocated(name, d)
                .map_or_else(|| self.memory.random((name, d, "extent")), |(_, extent)| extent)),
        }
    }

    /// A bound, as it was when the array was declared.
    fn bound(&mut self, name: &str, expression: &Expression) -> Result<i64, Stop> {
        let then = self.shapes.get(name).cloned().unwrap_or_else(|| self.memory.fresh());
        let now = std::mem::replace(&mut self.memory, then);
        let value = self.number(expression);
        self.memory = now;
        value
    }

    pub fn size(&mut self, of: &Type, name: &str) -> Result<i64, Stop> {
        let of = self.resolve(of);
        if let Some(size) = self.symbols.size_of(&of) {
            return i64::try_from(size).map_err(|_| Stop::Limit);
        }
        match of {
            Type::Array(element, dimensions) => {
                let mut size = self.size(&element, name)?;
                for (d, dimension) in dimensions.iter().enumerate() {
                    size = size.wrapping_mul(self.extent(name, d, dimension)?);
                }
                Ok(size)
            }
            Type::Named(_) => Ok(8),
            _ => Err(Stop::Unknown),
        }
    }
}
