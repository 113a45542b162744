//! The table, read once.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::function::{Direction, Form, Function, Kind, Parameter, Version};

struct Table {
    functions: Vec<Function>,
    /// By names in lower case.
    by_name: HashMap<String, usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let functions = read(include_str!("functions.txt"))
        .expect("the table is part of the program, and a test reads it");
    let lower = |(at, function): (usize, &Function)| (function.name.to_ascii_lowercase(), at);
    let by_name = functions.iter().enumerate().map(lower).collect();
    Table { functions, by_name }
});

/// Every function of MPI, by name.
pub fn functions() -> &'static [Function] {
    &TABLE.functions
}

/// A function in one of its forms.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// The function.
    pub function: &'static Function,
    /// The form.
    pub form: Form,
}

/// The function that a call names; case does not matter, since Fortran has none.
pub fn find(name: &str) -> Option<Call> {
    let lower = name.to_ascii_lowercase();
    let get = |name: &str| TABLE.functions.get(*TABLE.by_name.get(name)?);
    if let Some(function) = get(&lower) {
        return Some(Call { function, form: Form::Int });
    }
    let function = get(lower.strip_suffix("_c")?)?;
    function.large_since.map(|_| Call { function, form: Form::Large })
}

fn read(text: &'static str) -> Option<Vec<Function>> {
    let mut kinds: HashMap<&str, &'static Kind> = HashMap::new();
    let mut functions = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(kind) = line.strip_prefix("kind ") {
            let mut words = kind.split(' ');
            let (name, c) = (words.next()?, words.next()?);
            let kind = Kind { name, c, large: words.next().unwrap_or(c) };
            // Read once, and there until the process ends.
            kinds.insert(name, Box::leak(Box::new(kind)));
        } else {
            functions.push(function(line, &kinds)?);
        }
    }
    Some(functions)
}

fn function(line: &'static str, kinds: &HashMap<&str, &'static Kind>) -> Option<Function> {
    let (head, parameters) = line.strip_suffix(')')?.split_once('(')?;
    let words: Vec<&str> = head.split(' ').collect();
    let [name, since, large, deprecated, removed, bindings, result] = words[..] else {
        return None;
    };
    let parameters = parameters.split(", ").filter(|text| !text.is_empty());
    Some(Function {
        name,
        since: version(since)??,
        large_since: version(large)?,
        deprecated: version(deprecated)?,
        removed: version(removed)?,
        in_c: bindings.contains('c'),
        in_mpif: bindings.contains('m'),
        in_f08: bindings.contains('f'),
        result: kinds.get(result)?,
        parameters: parameters.map(|text| parameter(text, kinds)).collect::<Option<_>>()?,
    })
}

/// `-` is none.
fn version(text: &str) -> Option<Option<Version>> {
    if text == "-" {
        return Some(None);
    }
    let (major, minor) = text.split_once('.')?;
    Some(Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? }))
}

fn parameter(text: &'static str, kinds: &HashMap<&str, &'static Kind>) -> Option<Parameter> {
    let words: Vec<&str> = text.split(' ').collect();
    let [direction, flags @ .., name, kind] = &words[..] else { return None };
    let direction = match *direction {
        "in" => Direction::In,
        "out" => Direction::Out,
        "inout" => Direction::InOut,
        _ => return None,
    };
    let (kind, lengths) = kind.split_once('[').unwrap_or((kind, ""));
    let lengths = lengths.strip_suffix(']').map_or(Vec::new(), |text| text.split("][").collect());
    let plain = kind.trim_end_matches('*');
    let pointers = kind.len() - plain.len();
    let (plain, callback) = match plain.split_once('=') {
        Some((plain, callback)) => (plain, Some(callback)),
        None => (plain, None),
    };
    let is = |flag: &str| flags.contains(&flag);
    if flags.iter().any(|flag| !["const", "large", "c", "root"].contains(flag)) {
        return None;
    }
    Some(Parameter {
        name,
        kind: kinds.get(plain)?,
        direction,
        is_const: is("const"),
        is_large_only: is("large"),
        is_c_only: is("c"),
        is_root_only: is("root"),
        callback,
        pointers,
        lengths,
    })
}
