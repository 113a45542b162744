//! Where a command's text comes from: the argument itself, a file, or standard input.

use std::io::{self, Read};
use std::path::Path;

use commloom_guard::Origin;
use commloom_layout::text::{parse, parse_displacements};
use commloom_layout::{Type, json};

use crate::failure::Failure;
use crate::files::TEXT;

/// A text and the name under which errors speak of it.
pub struct Source {
    pub name: String,
    pub text: String,
}

/// Reads a type from `argument`: `-` is standard input, the name of an existing file is that file,
/// anything else is the type itself. Text notation, or JSON if it starts with `{`.
pub fn ty(argument: &str) -> Result<Type, Failure> {
    let Source { name, text } = if argument == "-" || Path::new(argument).exists() {
        read(argument)?
    } else if looks_like_a_path(argument) {
        return Err(Failure::message(format!(
            "`{argument}` is neither a file nor a type such as vec(4, 10, MPI_INT)"
        )));
    } else {
        Source { name: "TYPE".to_owned(), text: argument.to_owned() }
    };
    let is_json = text.trim_start().starts_with('{');
    let parsed = if is_json { json::parse(&text) } else { parse(&text) };
    parsed.map_err(|error| Failure::Parse { name, error })
}

/// Reads displacements from a file, or from standard input for `-`.
pub fn displacements(file: &str) -> Result<Vec<i64>, Failure> {
    let Source { name, text } = read(file)?;
    parse_displacements(&text).map_err(|error| Failure::Parse { name, error })
}

/// Reads a text file.
pub fn file(path: &Path) -> Result<Source, Failure> {
    let name = path.display().to_string();
    let bytes = commloom_guard::read(path, Origin::Argument, TEXT);
    as_text(name, bytes)
}

fn looks_like_a_path(argument: &str) -> bool {
    argument.contains(['/', '.']) && !argument.contains(['(', '<', '{', '\n', '#'])
}

fn read(file: &str) -> Result<Source, Failure> {
    if file != "-" {
        return self::file(Path::new(file));
    }
    let mut bytes = Vec::new();
    let read = io::stdin().take(TEXT + 1).read_to_end(&mut bytes).and_then(|length| {
        match u64::try_from(length) {
            Ok(length) if length <= TEXT => Ok(bytes),
            _ => Err(io::ErrorKind::FileTooLarge.into()),
        }
    });
    as_text("standard input".to_owned(), read)
}

fn as_text(name: String, bytes: io::Result<Vec<u8>>) -> Result<Source, Failure> {
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => return Err(Failure::File { doing: "read", name, error }),
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source { name, text }),
        Err(error) => Err(Failure::NotText { name, at: error.utf8_error().valid_up_to() }),
    }
}
