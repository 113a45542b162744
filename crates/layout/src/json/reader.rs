//! JSON values as types.

use std::ops::Range;
use std::str::FromStr;

use super::value::{self, Data, Member, Value};
use crate::text::{ParseError, Problem, did_you_mean};
use crate::{Basic, LayoutError, Type};

/// Reads one type. Linear time.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse(source: &str) -> Result<Type, ParseError> {
    Reader { source }.ty(&value::parse(source)?)
}

const NODES: [&str; 6] = ["leaf", "vec", "idx", "idxbuc", "strc", "resized"];

struct Reader<'s> {
    source: &'s str,
}

impl Reader<'_> {
    fn ty(&self, value: &Value<'_>) -> Result<Type, ParseError> {
        let expected = "a type: an object with one member, named after its constructor";
        let Data::Object(members) = &value.data else { return Err(self.wrong(value, expected)) };
        let [node] = members.as_slice() else {
            let at = members.get(1).map_or(value.span.clone(), |m| m.name_span.clone());
            return Err(self.wrong_at(at, expected));
        };
        let args = &node.value;
        let built = match node.name.as_str() {
            "leaf" => return self.leaf(args),
            "vec" => {
                let [count, stride, child] = self.members(args, ["count", "stride", "child"])?;
                Type::vec(self.number(count)?, self.number(stride)?, self.ty(child)?)
            }
            "idx" => {
                let [indices, child] = self.members(args, ["indices", "child"])?;
                Type::idx(self.numbers::<i64>(indices)?, self.ty(child)?)
            }
            "idxbuc" => {
                let names = ["stride", "indices", "blocks", "child"];
                let [stride, indices, blocks, child] = self.members(args, names)?;
                let (indices, blocks) =
                    (self.numbers::<i64>(indices)?, self.numbers::<u64>(blocks)?);
                Type::idxbuc(self.number(stride)?, indices, blocks, self.ty(child)?)
            }
            "strc" => {
                let [indices, children] = self.members(args, ["indices", "children"])?;
                let list = self.array(children)?;
                let children = list.iter().map(|c| self.ty(c)).collect::<Result<Vec<Type>, _>>()?;
                Type::strc(self.numbers::<i64>(indices)?, children)
            }
            "resized" => {
                let [lb, extent, child] = self.members(args, ["lb", "extent", "child"])?;
                Type::resized(self.number(lb)?, self.number(extent)?, self.ty(child)?)
            }
            other => {
                let hint = did_you_mean(other, NODES.into_iter());
                let expected = format!("one of the constructors {}", NODES.join(", "));
                return Err(self.wrong_at(node.name_span.clone(), &expected).with_hint(hint));
            }
        };
        built.map_err(|error| self.refused(node.name_span.clone(), error))
    }

    fn leaf(&self, value: &Value<'_>) -> Result<Type, ParseError> {
        let expected = "the name of an MPI basic type, such as \"MPI_INT\"";
        let Data::Text(name) = &value.data else { return Err(self.wrong(value, expected)) };
        Basic::by_name(name).map(Type::leaf).ok_or_else(|| {
            let hint = did_you_mean(name, Basic::all().map(Basic::name));
            self.wrong(value, expected).with_hint(hint)
        })
    }

    /// The members of an object by name: exactly these.
    fn members<'v, 's, const N: usize>(
        &self,
        value: &'v Value<'s>,
        names: [&'static str; N],
    ) -> Result<[&'v Value<'s>; N], ParseError> {
        let all = format!("an object with the members {}", names.join(", "));
        let Data::Object(members) = &value.data else { return Err(self.wrong(value, &all)) };
        if let Some(Member { name, name_span, .. }) =
            members.iter().find(|m| !names.contains(&m.name.as_str()))
        {
            let hint = did_you_mean(name, names.into_iter());
            return Err(self.wrong_at(name_span.clone(), &all).with_hint(hint));
        }
        let found = names.map(|name| members.iter().find(|m| m.name == name).map(|m| &m.value));
        if let Some(missing) = found.iter().position(Option::is_none) {
            let expected = format!("{all}; `{}` is missing", names[missing]);
            return Err(self.wrong_at(value.span.start..value.span.start + 1, &expected));
        }
        Ok(found.map(|v| v.expect("none is missing")))
    }

    fn array<'v, 's>(&self, value: &'v Value<'s>) -> Result<&'v [Value<'s>], ParseError> {
        match &value.data {
            Data::Array(items) => Ok(items),
            _ => Err(self.wrong(value, "an array")),
        }
    }

    fn numbers<T: FromStr>(&self, value: &Value<'_>) -> Result<Vec<T>, ParseError> {
        self.array(value)?.iter().map(|item| self.number(item)).collect()
    }

    fn number<T: FromStr>(&self, value: &Value<'_>) -> Result<T, ParseError> {
        let parsed = match value.data {
            Data::Number(text) => text.parse().ok(),
            _ => None,
        };
        let unsigned = "-1".parse::<T>().is_err();
        let expected = if unsigned {
            "a whole number from 0 to 2^64 - 1"
        } else {
            "an integer from -2^63 to 2^63 - 1"
        };
        parsed.ok_or_else(|| self.wrong(value, expected))
    }

    fn wrong(&self, value: &Value<'_>, expected: &str) -> ParseError {
        let span = match &value.data {
            Data::Object(_) | Data::Array(_) => value.span.start..value.span.start + 1,
            Data::Word | Data::Number(_) | Data::Text(_) => value.span.clone(),
        };
        self.wrong_at(span, expected)
    }

    fn wrong_at(&self, span: Range<usize>, expected: &str) -> ParseError {
        let found = match &self.source[span.clone()] {
            "{" => "an object".to_owned(),
            "[" => "an array".to_owned(),
            text => format!("`{text}`"),
        };
        let problem = Problem::Unexpected { found, expected: expected.to_owned() };
        ParseError::new(self.source, span, problem)
    }

    fn refused(&self, span: Range<usize>, error: LayoutError) -> ParseError {
        ParseError::new(self.source, span, Problem::Layout(error))
    }
}
