//! Calls as lines of C or Fortran.

use commloom_layout::Basic;

use super::Language;
use crate::emit::{Call, Handle};

/// Characters of a line.
const WIDTH: usize = 96;
/// Numbers of a list that are written out.
const WRITTEN: usize = 32;

/// Lines of one language.
pub struct Code {
    language: Language,
    pub lines: Vec<String>,
}

impl Code {
    pub fn new(language: Language) -> Code {
        Code { language, lines: Vec::new() }
    }

    /// A call of a function of MPI; names of handles that it makes are written with [`Code::made`].
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

    pub fn comment(&mut self, text: &str) {
        self.lines.push(match self.language {
            Language::C => format!("/* {text} */"),
            Language::Fortran => format!("! {text}"),
        });
    }

    /// A handle that a call makes.
    pub fn made(&self, name: &str) -> String {
        match self.language {
            Language::C => format!("&{name}"),
            Language::Fortran => name.to_owned(),
        }
    }

    /// One of two values.
    pub fn choice(&self, condition: &str, yes: &str, no: &str) -> String {
        match self.language {
            Language::C => format!("{condition} ? {yes} : {no}"),
            Language::Fortran => format!("merge({yes}, {no}, {condition})"),
        }
    }

    pub fn truth(&self, value: bool) -> String {
        match (self.language, value) {
            (Language::C, true) => "1",
            (Language::C, false) => "0",
            (Language::Fortran, true) => ".true.",
            (Language::Fortran, false) => ".false.",
        }
        .to_owned()
    }

    pub fn modulo(&self, a: &str, b: u64) -> String {
        match self.language {
            Language::C => format!("{a} % {b}"),
            Language::Fortran => format!("modulo({a}, {b})"),
        }
    }

    pub fn is_fortran(&self) -> bool {
        self.language == Language::Fortran
    }

    /// The calls that make a type under this name; the basic type itself where there are none.
    pub fn datatype(&mut self, name: &str, calls: &[Call]) -> String {
        let mut names: Vec<String> = Vec::new();
        for (k, call) in calls.iter().enumerate() {
            let own = if k + 1 == calls.len() { name.to_owned() } else { format!("{name}_{k}") };
            let handle = |h: &Handle| match h {
                Handle::Basic(basic) => self.basic(*basic),
                Handle::Made(k) => names.get(*k).cloned().unwrap_or_default(),
            };
            let (function, mut arguments, lists): (&str, Vec<String>, Lists) = match call {
                Call::Dup(old) => ("MPI_Type_dup", vec![handle(old)], vec![]),
                Call::Contiguous { count, old } => {
                    ("MPI_Type_contiguous", vec![count.to_string(), handle(old)], vec![])
                }
                Call::Vector { count, block, stride, old } => (
                    "MPI_Type_vector",
                    vec![count.to_string(), block.to_string(), stride.to_string(), handle(old)],
                    vec![],
                ),
                Call::Hvector { count, block, stride, old } => (
                    "MPI_Type_create_hvector",
                    vec![count.to_string(), block.to_string(), self.wide(*stride), handle(old)],
                    vec![],
                ),
                Call::Indexed { blocks, displacements, old } => (
                    "MPI_Type_indexed",
                    vec![
                        blocks.len().to_string(),
                        format!("{own}_blocks"),
                        format!("{own}_at"),
                        handle(old),
                    ],
                    vec![
                        (Listed::Int, "blocks", texts(blocks)),
                        (Listed::Int, "at", texts(displacements)),
                    ],
                ),
                Call::Hindexed { blocks, displacements, old } => (
                    "MPI_Type_create_hindexed",
                    vec![
                        blocks.len().to_string(),
                        format!("{own}_blocks"),
                        format!("{own}_at"),
                        handle(old),
                    ],
                    vec![
                        (Listed::Int, "blocks", texts(blocks)),
                        (Listed::Aint, "at", texts(displacements)),
                    ],
                ),
                Call::IndexedBlock { block, displacements, old } => (
                    "MPI_Type_create_indexed_block",
                    vec![
                        displacements.len().to_string(),
                        block.to_string(),
                        format!("{own}_at"),
                        handle(old),
                    ],
                    vec![(Listed::Int, "at", texts(displacements))],
                ),
                Call::HindexedBlock { block, displacements, old } => (
                    "MPI_Type_create_hindexed_block",
                    vec![
                        displacements.len().to_string(),
                        block.to_string(),
                        format!("{own}_at"),
                        handle(old),
                    ],
                    vec![(Listed::Aint, "at", texts(displacements))],
                ),
                Call::Struct { displacements, olds } => (
                    "MPI_Type_create_struct",
                    vec![
                        olds.len().to_string(),
                        format!("{own}_blocks"),
                        format!("{own}_at"),
                        format!("{own}_types"),
                    ],
                    vec![
                        (Listed::Int, "blocks", vec!["1".to_owned(); olds.len()]),
                        (Listed::Aint, "at", texts(displacements)),
                        (Listed::Handle, "types", olds.iter().map(handle).collect()),
                    ],
                ),
                Call::Resized { lb, extent, old } => (
                    "MPI_Type_create_resized",
                    vec![handle(old), self.wide(*lb), self.wide(*extent)],
                    vec![],
                ),
            };
            for (ty, suffix, items) in lists {
                self.list(ty, &format!("{own}_{suffix}"), &items);
            }
            arguments.push(self.made(&own));
            self.call(function, &arguments);
            names.push(own);
        }
        self.call("MPI_Type_commit", &[self.made(name)]);
        name.to_owned()
    }

    /// A number of the kind that addresses have.
    pub fn wide(&self, n: i64) -> String {
        match self.language {
            Language::C => n.to_string(),
            Language::Fortran => format!("{n}_MPI_ADDRESS_KIND"),
        }
    }

    pub fn basic(&self, basic: Basic) -> String {
        basic.name().to_owned()
    }
}

fn texts<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

/// Lists that a call names: what they have, the end of their names, their items.
type Lists = Vec<(Listed, &'static str, Vec<String>)>;

/// What a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    Int,
    Aint,
    Handle,
}
