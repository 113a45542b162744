//! Names and types, looked up once: what a name means, and what is in a type.

use std::rc::Rc;

use commloom_source::symbols::Symbols;
use commloom_source::tree::{Declaration, Dimension, Expression, Type};

use super::fast::Table;
use super::memory::{Object, Objects};
use super::stop::Stop;

/// A type, resolved. Equal ones have the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Of(u32);

/// All that is known of a type.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub of: Type,
    /// Bytes, where they do not depend on variables.
    pub size: Option<i64>,
    pub is_whole: bool,
    /// The type that a pointer points to, or an array has in it.
    pub inner: Option<Of>,
    /// In C, what an element of an array's first dimension is.
    pub rest: Option<Of>,
    /// Of an array.
    pub dimensions: Rc<[Dimension]>,
    fields: Vec<(String, i64, Of)>,
}

/// The meaning of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meaning<'a> {
    pub object: Object,
    pub constant: Option<&'a Expression>,
    pub variable: Option<(&'a Declaration, Of)>,
}

/// All names and types that were met.
pub(super) struct Types<'a> {
    symbols: &'a dyn Symbols,
    names: Table<String, Meaning<'a>>,
    shapes: Vec<Shape>,
}

impl<'a> Types<'a> {
    pub fn new(symbols: &'a dyn Symbols) -> Types<'a> {
        Types { symbols, names: Table::default(), shapes: Vec::new() }
    }

    pub fn meaning(&mut self, name: &str, objects: &mut Objects) -> Meaning<'a> {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        let declaration = self.symbols.variable(name);
        let meaning = Meaning {
            object: objects.named(name),
            constant: self.symbols.constant(name),
            variable: declaration.map(|declaration| (declaration, self.of(&declaration.of))),
        };
        self.names.insert(name.to_owned(), meaning);
        meaning
    }

    /// The number of a type. A procedure has few: they are compared one by one.
    pub fn of(&mut self, of: &Type) -> Of {
        let resolved = match self.symbols.resolve(of) {
            Type::Reference(to) => self.symbols.resolve(&to),
            other => other,
        };
        let known = self.shapes.iter().position(|shape| shape.of == resolved);
        let number = |at: usize| Of(u32::try_from(at).unwrap_or(u32::MAX));
        if let Some(known) = known {
            return number(known);
        }
        let (inner, rest, dimensions) = match &resolved {
            Type::Pointer(to) => (Some(self.of(to)), None, Vec::new()),
            Type::Array(element, dimensions) => {
                let inner = self.of(element);
                let rest = match dimensions.get(1..) {
                    Some(rest) if !rest.is_empty() => {
                        self.of(&Type::Array(element.clone(), rest.to_vec()))
                    }
                    _ => inner,
                };
                (Some(inner), Some(rest), dimensions.clone())
            }
            _ => (None, None, Vec::new()),
        };
        let size = self.symbols.size_of(&resolved).and_then(|size| i64::try_from(size).ok());
        self.shapes.push(Shape {
            size,
            is_whole: whole(&resolved),
            inner,
            rest,
            dimensions: dimensions.into(),
            of: resolved,
            fields: Vec::new(),
        });
        number(self.shapes.len() - 1)
    }

    pub fn shape(&self, of: Of) -> Result<&Shape, Stop> {
        usize::try_from(of.0).ok().and_then(|at| self.shapes.get(at)).ok_or(Stop::Unknown)
    }

    /// Offset and type of a component.
    pub fn field(&mut self, record: Of, field: &str) -> Result<(i64, Of), Stop> {
        let shape = self.shape(record)?;
        if let Some((_, offset, of)) = shape.fields.iter().find(|(name, ..)| name == field) {
            return Ok((*offset, *of));
        }
        let (offset, of) = self.symbols.field(&shape.of, field).ok_or(Stop::Unknown)?;
        let offset = i64::try_from(offset).map_err(|_| Stop::Limit)?;
        let of = self.of(&of);
        if let Some(shape) = usize::try_from(record.0).ok().and_then(|at| self.shapes.get_mut(at)) {
            shape.fields.push((field.to_owned(), offset, of));
        }
        Ok((offset, of))
    }

    /// Of a pointer to an array, the array.
    pub fn array(&self, of: Of) -> Result<Of, Stop> {
        let shape = self.shape(of)?;
        match shape.of {
            Type::Pointer(_) => shape.inner.ok_or(Stop::Unknown),
            _ => Ok(of),
        }
    }

    pub fn is_pointer(&self, of: Of) -> bool {
        self.shape(of).is_ok_and(|shape| matches!(shape.of, Type::Pointer(_)))
    }
}

/// Whether values of a type are whole numbers.
fn whole(of: &Type) -> bool {
    let words = ["float", "double", "real", "complex"];
    match of {
        Type::Basic(name, _) => !words.iter().any(|word| name.contains(word)),
        _ => false,
    }
}
