//! The calls as a C99 function.

use std::convert::Infallible;
use std::fmt::Write;

use commloom_layout::{Type, text};

use crate::calls::{Call, Calls, Handle, Items, Spelling};

/// A file with one function `int NAME(MPI_Datatype *newtype)`.
#[must_use]
pub fn c(name: &str, ty: &Type, calls: &Calls) -> String {
    let n = calls.0.len();
    let mut body = String::new();
    for (k, call) in calls.0.iter().enumerate() {
        write_call(k, call, &mut body);
    }
    let description: String =
        text::pretty(ty).lines().map(|line| format!(" *     {line}\n")).collect();
    format!(
        "#include <mpi.h>\n\n\
         /* Builds and commits the type\n\
         {description} * The caller frees it. Returns MPI_SUCCESS, or the code of the call that \
         failed. */\n\
         int {name}(MPI_Datatype *newtype)\n\
         {{\n    \
             MPI_Datatype t[{n}];\n    \
             int rc = MPI_SUCCESS;\n    \
             for (int i = 0; i < {n}; i++)\n        \
                 t[i] = MPI_DATATYPE_NULL;\n\
         {body}    \
             if (rc == MPI_SUCCESS)\n        \
                 rc = MPI_Type_commit(&t[{last}]);\n    \
             if (rc == MPI_SUCCESS) {{\n        \
                 *newtype = t[{last}];\n        \
                 t[{last}] = MPI_DATATYPE_NULL;\n    \
             }}\n    \
             for (int i = 0; i < {n}; i++)\n        \
                 if (t[i] != MPI_DATATYPE_NULL)\n            \
                     MPI_Type_free(&t[i]);\n    \
             return rc;\n\
         }}\n",
        last = n - 1
    )
}

fn write_call(k: usize, call: &Call, out: &mut String) {
    let mut spelling = C { arrays: String::new() };
    let Ok((function, arguments)) = call.spelled(&mut spelling);
    let (arrays, call) = (spelling.arrays, format!("{function}({}", arguments.join(", ")));
    let guard = "    if (rc == MPI_SUCCESS)";
    let _ = if arrays.is_empty() {
        writeln!(out, "{guard}\n        rc = {call}, &t[{k}]);")
    } else {
        writeln!(out, "{guard} {{\n{arrays}        rc = {call}, &t[{k}]);\n    }}")
    };
}

/// The calls of the function, and the arrays before one of them.
struct C {
    arrays: String,
}

impl Spelling for C {
    type Error = Infallible;

    fn handle(&self, handle: Handle) -> Result<String, Infallible> {
        Ok(match handle {
            Handle::Basic(basic) => basic.name().to_owned(),
            Handle::Made(k) => format!("t[{k}]"),
        })
    }

    fn address(&self, number: i64) -> String {
        address(number)
    }

    /// A local array; handles are not compile-time constants in every MPI library.
    fn list(&mut self, name: &'static str, items: Items) -> String {
        let (ty, items) = match items {
            Items::Ints(all) => ("static const int", all.iter().map(i32::to_string).collect()),
            Items::Addresses(all) => {
                ("static const MPI_Aint", all.into_iter().map(address).collect())
            }
            Items::Types(all) => ("const MPI_Datatype", all),
        };
        let items = wrapped(items.into_iter(), 84, "\n            ");
        let _ = writeln!(self.arrays, "        {ty} {name}[] = {{{items}}};");
        name.to_owned()
    }
}

/// Items with commas between; if they do not fit on one line of `width` characters, on lines of
/// their own that each start with `newline`.
pub fn wrapped(items: impl Iterator<Item = String>, width: usize, newline: &str) -> String {
    let mut lines = vec![String::new()];
    for item in items {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(&item);
        } else if line.len() + item.len() + 3 <= width {
            line.push_str(", ");
            line.push_str(&item);
        } else {
            line.push(',');
            lines.push(item);
        }
    }
    match lines.as_slice() {
        [line] => line.clone(),
        lines => lines.iter().map(|line| format!("{newline}{line}")).collect(),
    }
}

/// An `MPI_Aint` constant.
pub fn address(n: i64) -> String {
    match n {
        i64::MIN => "(-9223372036854775807 - 1)".to_owned(),
        n => n.to_string(),
    }
}
