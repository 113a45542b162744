//! Assignments of array sections.

use std::rc::Rc;

use commloom_source::tree::{Expression, ExpressionKind, Subscript};

use super::interpreter::{Interpreter, Spot};
use super::memory::Byte;
use super::stop::Stop;

impl Interpreter<'_> {
    /// An assignment of array sections, element by element.
    pub fn sections(&mut self, target: &Expression, value: &Expression) -> Option<()> {
        let (to, to_at) = self.part(target)?;
        let (from, from_at) = self.part(value)?;
        let pairs: Vec<(Byte, Byte)> = to_at
            .iter()
            .zip(&from_at)
            .filter_map(|(a, b)| {
                Some((self.subscripted(to, a).ok()?.at, self.subscripted(from, b).ok()?.at))
            })
            .collect();
        let element = self.subscripted(to, to_at.first()?).ok()?;
        let size = self.size(element.of, element.at.object).ok()?;
        for (to, from) in pairs {
            self.copy(to, from, size);
        }
        Some(())
    }

    /// The first element of a section.
    pub fn section_start(&mut self, section: &Expression) -> Result<Spot, Stop> {
        let ExpressionKind::Element { base, subscripts } = &section.kind else {
            return Err(Stop::Unknown);
        };
        let array = self.spot(base)?;
        let of = self.types.array(array.of)?;
        let dimensions = Rc::clone(&self.types.shape(of)?.dimensions);
        let mut first = Vec::new();
        for (d, (dimension, subscript)) in dimensions.iter().zip(subscripts).enumerate() {
            first.push(match subscript {
                Subscript::At(at) | Subscript::Section { first: Some(at), .. } => {
                    self.number(at)?
                }
                Subscript::Section { first: None, .. } => {
                    self.lower(array.at.object, d, dimension)?
                }
            });
        }
        self.subscripted(array, &first)
    }

    /// An array and the subscripts of all elements of a section, in the order of Fortran; none if
    /// it is no section.
    fn part(&mut self, expression: &Expression) -> Option<(Spot, Vec<Vec<i64>>)> {
        let (base, subscripts): (&Expression, &[Subscript]) = match &expression.kind {
            ExpressionKind::Element { base, subscripts } => (base, subscripts),
            ExpressionKind::Name(_) | ExpressionKind::Member { .. } => (expression, &[]),
            _ => return None,
        };
        let ranges = subscripts.iter().any(|s| matches!(s, Subscript::Section { .. }));
        if !ranges && !subscripts.is_empty() {
            return None;
        }
        let array = self.spot(base).ok()?;
        let of = self.types.array(array.of).ok()?;
        let dimensions = Rc::clone(&self.types.shape(of).ok()?.dimensions);
        if dimensions.is_empty() {
            return None;
        }
        let mut all: Vec<Vec<i64>> = vec![Vec::new()];
        for (d, dimension) in dimensions.iter().enumerate() {
            let lower = self.lower(array.at.object, d, dimension).ok()?;
            let (first, last, step) = match subscripts.get(d) {
                Some(Subscript::At(at)) => {
                    let at = self.number(at).ok()?;
                    (at, at, 1)
                }
                Some(Subscript::Section { first, last, step }) => {
                    let first = first.as_ref().map_or(Ok(lower), |e| self.number(e)).ok()?;
                    let last = match last {
                        Some(last) => self.number(last).ok()?,
                        None => self.extent(array.at.object, d, dimension).ok()? + lower - 1,
                    };
                    let step = step.as_ref().map_or(Ok(1), |e| self.number(e)).ok()?;
                    (first, last, step)
                }
                None => (lower, self.extent(array.at.object, d, dimension).ok()? + lower - 1, 1),
            };
            if step == 0 {
                return None;
            }
            let count = ((last - first + step) / step).max(0);
            all = (0..count)
                .flat_map(|k| {
                    all.iter().map(move |before| [before.as_slice(), &[first + k * step]].concat())
                })
                .collect();
        }
        Some((array, all))
    }
}
