//! Calls as lines of C or Fortran.

use std::convert::Infallible;

use serde::Serialize;

use crate::calls::{Call, Handle, Items, Spelling};
use crate::{c, fortran};

/// Characters of a line.
const WIDTH: usize = 96;
/// Numbers of a list that are written out.
const WRITTEN: usize = 32;

/// In which language lines are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "names of languages")]
pub enum Language {
    C,
    Fortran,
}

/// Lines of one language.
#[derive(Debug, Clone)]
pub struct Code {
    language: Language,
    /// The lines.
    pub lines: Vec<String>,
}

impl Code {
    /// No lines yet.
    #[must_use]
    pub fn new(language: Language) -> Code {
        Code { language, lines: Vec::new() }
    }

    /// A call of a function of MPI; names of handles that it makes are written with
    /// [`Code::made`].
    pub fn call(&mut self, name: &str, arguments: &[String]) {
        let (start, mut arguments, end, more) = match self.language {
            Language::C => (format!("{name}("), arguments.to_vec(), ");", ""),
            Language::Fortran => (format!("call {name}("), arguments.to_vec(), ")", " &"),
        };
        if self.language == Language::Fortran {
            arguments.push("ierror".to_owned());
        }
        let indent = " ".repeat(start.len());
        let mut line = start;
        let last = arguments.len().saturating_sub(1);
        for (k, argument) in arguments.iter().enumerate() {
            let item = if k == last { format!("{argument}{end}") } else { format!("{argument},") };
            if line.len() + item.len() >= WIDTH && line.trim_end() != indent.trim_end() {
                self.lines.push(format!("{}{more}", line.trim_end()));
                line.clone_from(&indent);
            }
            line.push_str(&item);
            line.push(' ');
        }
        self.lines.push(line.trim_end().to_owned());
    }

    /// Lines of an inner block.
    pub fn indented(&mut self, write: impl FnOnce(&mut Code)) {
        let before = self.lines.len();
        write(self);
        for line in &mut self.lines[before..] {
            line.insert_str(0, "  ");
        }
    }

    /// A list of integers, or of what is named by `ty`.
    pub fn list(&mut self, ty: Listed, name: &str, items: &[String]) {
        if items.len() > WRITTEN {
            self.comment(&format!(
                "{name}: {} numbers, from {} to {}",
                items.len(),
                items[0],
                items[items.len() - 1]
            ));
            return;
        }
        let all = items.join(", ");
        let line = match (self.language, ty) {
            (Language::C, Listed::Int) => format!("int {name}[] = {{{all}}};"),
            (Language::C, Listed::Aint) => format!("MPI_Aint {name}[] = {{{all}}};"),
            (Language::C, Listed::Handle) => format!("MPI_Datatype {name}[] = {{{all}}};"),
            (Language::Fortran, Listed::Aint) => {
                let all: Vec<String> =
                    items.iter().map(|n| format!("{n}_MPI_ADDRESS_KIND")).collect();
                format!("{name} = [{}]", all.join(", "))
            }
            (Language::Fortran, _) => format!("{name} = [{all}]"),
        };
        self.lines.push(line);
    }

    /// A list of integers for each process; the list of a process, as an argument.
    pub fn table(&mut self, name: &str, rank: &str, rows: &[Vec<String>]) -> String {
        let columns = rows.first().map_or(0, Vec::len);
        let (start, end, row): (String, String, fn(&str, bool) -> String) = match self.language {
            Language::C => {
                (format!("int {name}[][{columns}] = {{"), "};".to_owned(), |row, is_last| {
                    format!("{{{row}}}{}", if is_last { "" } else { "," })
                })
            }
            Language::Fortran => (
                format!("{name} = reshape([ &"),
                format!("], [{columns}, {}])", rows.len()),
                |row, is_last| format!("{row}{} &", if is_last { "" } else { "," }),
            ),
        };
        self.lines.push(start);
        for (k, items) in rows.iter().enumerate() {
            self.lines.push(format!("    {}", row(&items.join(", "), k + 1 == rows.len())));
        }
        self.lines.push(end);
        match self.language {
            Language::C => format!("{name}[{rank}]"),
            Language::Fortran => format!("{name}(:, {rank} + 1)"),
        }
    }

    /// A process has nothing for itself in this list.
    pub fn without_own(&mut self, name: &str, rank: &str) {
        self.lines.push(match self.language {
            Language::C => format!("{name}[{rank}] = 0;"),
            Language::Fortran => format!("{name}({rank} + 1) = 0"),
        });
    }

    /// The lines from a place on only for those who have this communicator.
    pub fn guarded(&mut self, from: usize, comm: &str) {
        for line in &mut self.lines[from..] {
            line.insert_str(0, if self.language == Language::C { "    " } else { "  " });
        }
        let (begin, end) = match self.language {
            Language::C => (format!("if ({comm} != MPI_COMM_NULL) {{"), "}"),
            Language::Fortran => (format!("if ({comm} /= MPI_COMM_NULL) then"), "end if"),
        };
        self.lines.insert(from, begin);
        self.lines.push(end.to_owned());
    }

    /// A comment of one line.
    pub fn comment(&mut self, text: &str) {
        self.lines.push(match self.language {
            Language::C => format!("/* {text} */"),
            Language::Fortran => format!("! {text}"),
        });
    }

    /// A handle that a call makes.
    #[must_use]
    pub fn made(&self, name: &str) -> String {
        match self.language {
            Language::C => format!("&{name}"),
            Language::Fortran => name.to_owned(),
        }
    }

    /// One of two values.
    #[must_use]
    pub fn choice(&self, condition: &str, yes: &str, no: &str) -> String {
        match self.language {
            Language::C => format!("{condition} ? {yes} : {no}"),
            Language::Fortran => format!("merge({yes}, {no}, {condition})"),
        }
    }

    /// A logical value.
    #[must_use]
    pub fn truth(&self, value: bool) -> String {
        match (self.language, value) {
            (Language::C, true) => "1",
            (Language::C, false) => "0",
            (Language::Fortran, true) => ".true.",
            (Language::Fortran, false) => ".false.",
        }
        .to_owned()
    }

    /// The remainder of a division.
    #[must_use]
    pub fn modulo(&self, a: &str, b: u64) -> String {
        match self.language {
            Language::C => format!("{a} % {b}"),
            Language::Fortran => format!("modulo({a}, {b})"),
        }
    }

    /// Whether this is Fortran.
    #[must_use]
    pub fn is_fortran(&self) -> bool {
        self.language == Language::Fortran
    }

    /// The calls that make a type under this name; the basic type itself where there are none.
    pub fn datatype(&mut self, name: &str, calls: &[Call]) -> String {
        let mut names: Vec<String> = Vec::new();
        for (k, call) in calls.iter().enumerate() {
            let own = if k + 1 == calls.len() { name.to_owned() } else { format!("{name}_{k}") };
            let mut spelling = Lines { code: self, names: &names, own: &own };
            let Ok((function, mut arguments)) = call.spelled(&mut spelling);
            arguments.push(self.made(&own));
            self.call(function, &arguments);
            names.push(own);
        }
        self.call("MPI_Type_commit", &[self.made(name)]);
        name.to_owned()
    }

    /// A number of the kind that addresses have.
    #[must_use]
    pub fn wide(&self, n: i64) -> String {
        match self.language {
            Language::C => c::address(n),
            Language::Fortran => fortran::address(n),
        }
    }
}

/// The lines so far, and what the handles are called that were made.
struct Lines<'l> {
    code: &'l mut Code,
    names: &'l [String],
    /// The one that is being made.
    own: &'l str,
}

impl Spelling for Lines<'_> {
    type Error = Infallible;

    fn handle(&self, handle: Handle) -> Result<String, Infallible> {
        Ok(match handle {
            Handle::Basic(basic) => basic.name().to_owned(),
            Handle::Made(k) => self.names.get(k).cloned().unwrap_or_default(),
        })
    }

    fn address(&self, number: i64) -> String {
        self.code.wide(number)
    }

    fn list(&mut self, name: &'static str, items: Items) -> String {
        let name = format!("{}_{name}", self.own);
        match items {
            Items::Ints(all) => self.code.list(Listed::Int, &name, &texts(&all)),
            Items::Addresses(all) => self.code.list(Listed::Aint, &name, &texts(&all)),
            Items::Types(all) => self.code.list(Listed::Handle, &name, &all),
        }
        name
    }
}

fn texts<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

/// The kind of the entries of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// Integers.
    Int,
    /// Addresses, as numbers.
    Aint,
    /// Datatypes.
    Handle,
}
