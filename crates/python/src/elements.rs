//! From the description of an element (a dtype of NumPy, a format letter, an MPI name) to a type.

use commloom_layout::{Basic, LayoutError, MAX_DEPTH, Type, mpi};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::arrays::numpy;
use crate::refused;

/// The basic type of a format letter with C's sizes, as mpi4py maps them.
fn basic(letter: &str) -> Option<Basic> {
    Some(match letter {
        "c" => Basic::CHAR,
        "b" => Basic::SIGNED_CHAR,
        "B" => Basic::UNSIGNED_CHAR,
        "?" => Basic::C_BOOL,
        "h" => Basic::SHORT,
        "H" => Basic::UNSIGNED_SHORT,
        "i" => Basic::INT,
        "I" => Basic::UNSIGNED,
        "l" => Basic::LONG,
        "L" => Basic::UNSIGNED_LONG,
        "q" => Basic::LONG_LONG_INT,
        "Q" => Basic::UNSIGNED_LONG_LONG,
        "n" | "p" => Basic::AINT,
        "f" => Basic::FLOAT,
        "d" => Basic::DOUBLE,
        "g" => Basic::LONG_DOUBLE,
        "F" | "Zf" => Basic::C_COMPLEX,
        "D" | "Zd" => Basic::C_DOUBLE_COMPLEX,
        "G" | "Zg" => Basic::C_LONG_DOUBLE_COMPLEX,
        _ => return None,
    })
}

/// The type of an element that a user names: a dtype or what NumPy makes one of, a format letter,
/// or the name of an MPI type.
pub(crate) fn named(element: &Bound<'_, PyAny>) -> PyResult<Type> {
    if let Ok(name) = element.cast::<PyString>() {
        let name = name.to_cow()?;
        if let Some(ty) = basic(&name).map(Type::leaf).or_else(|| Type::predefined(&name)) {
            return Ok(ty);
        }
        if name.starts_with("MPI_") {
            return Err(refused::value(LayoutError::UnknownBasic { name: name.into_owned() }));
        }
    }
    let dtype = if element.hasattr("hasobject")? {
        element.clone()
    } else {
        numpy(element.py(), "an element that is no format letter and no MPI name")?
            .call_method1("dtype", (element,))?
    };
    of_dtype(&dtype)
}

/// The type of an element of a buffer by its format, if that is one letter with C's size.
pub(crate) fn of_format(format: &[u8], bytes: i64) -> Option<Type> {
    let format = std::str::from_utf8(format).ok()?;
    let letter = format.strip_prefix(['@', '=', '<']).unwrap_or(format);
    let found = basic(letter)?;
    (i64::try_from(found.size()) == Ok(bytes)).then(|| Type::leaf(found))
}

/// The type of an element by NumPy's description.
pub(crate) fn of_dtype(dtype: &Bound<'_, PyAny>) -> PyResult<Type> {
    within(dtype, "", 1)
}

/// `path` says which field this is, `depth` how deep it lies.
fn within(dtype: &Bound<'_, PyAny>, path: &str, depth: usize) -> PyResult<Type> {
    let py = dtype.py();
    if depth > MAX_DEPTH {
        let error = LayoutError::TooDeep { given: depth, limit: MAX_DEPTH };
        return Err(refused::value(error));
    }
    let is = |name| dtype.getattr(name)?.is_truthy();
    let of = if path.is_empty() { String::new() } else { format!(" of the field `{path}`") };
    if is(intern!(py, "hasobject"))? {
        let fields = dtype.getattr(intern!(py, "fields"))?;
        if fields.is_none() && dtype.getattr(intern!(py, "subdtype"))?.is_none() {
            return Err(refused::kind(format!(
                "elements{of} are Python objects (dtype {}): they have no layout",
                dtype.str()?
            )));
        }
    }
    let subarray = dtype.getattr(intern!(py, "subdtype"))?;
    if !subarray.is_none() {
        let (old, shape): (Bound<'_, PyAny>, Bound<'_, PyTuple>) = subarray.extract()?;
        let mut ty = within(&old, path, depth + 1)?;
        for n in shape.iter().rev() {
            ty = mpi::contiguous(n.extract()?, &ty).map_err(refused::value)?;
        }
        return Ok(ty);
    }
    let bytes: i64 = dtype.getattr(intern!(py, "itemsize"))?.extract()?;
    let names = dtype.getattr(intern!(py, "names"))?;
    if !names.is_none() {
        let fields = dtype.getattr(intern!(py, "fields"))?;
        let (mut places, mut types) = (Vec::new(), Vec::new());
        for name in names.try_iter()? {
            let name = name?;
            // With a title there is a third entry.
            let field = fields.get_item(&name)?;
            let shown = name.str()?.to_cow()?.into_owned();
            let path = if path.is_empty() { shown } else { format!("{path}.{shown}") };
            places.push(field.get_item(1)?.extract()?);
            types.push(within(&field.get_item(0)?, &path, depth + 1)?);
        }
        let fields = Type::strc(places, types).map_err(refused::value)?;
        return spanning(fields, bytes).map_err(refused::value);
    }
    let letter: String = dtype.getattr(intern!(py, "char"))?.extract()?;
    let known = match is(intern!(py, "isnative"))? {
        true => basic(&letter),
        // Of the other byte order: MPI has no type for it, but moves its bytes.
        false => None,
    };
    match known {
        Some(known) if i64::try_from(known.size()) == Ok(bytes) => Ok(Type::leaf(known)),
        _ => {
            let count = u64::try_from(bytes).map_err(refused::value)?;
            mpi::contiguous(count, &Type::leaf(Basic::BYTE)).map_err(refused::value)
        }
    }
}

/// Elements that are `bytes` apart in an array, whatever their fields span.
fn spanning(fields: Type, bytes: i64) -> Result<Type, LayoutError> {
    let is_natural = fields.lb() == 0 && fields.extent() == bytes && !fields.has_explicit_bounds();
    if is_natural { Ok(fields) } else { Type::resized(0, bytes, fields) }
}

/// The type of an array: elements in the order of C, whatever their order in memory.
pub(crate) fn repeated(
    element: Type,
    dimensions: impl DoubleEndedIterator<Item = (i64, i64)>,
) -> PyResult<Type> {
    let mut ty = element;
    for (n, stride) in dimensions.rev() {
        let count = u64::try_from(n).map_err(refused::value)?;
        if count != 1 {
            ty = Type::vec(count, stride, ty).map_err(refused::value)?;
        }
    }
    Ok(ty)
}
