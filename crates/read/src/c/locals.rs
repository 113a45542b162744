//! Names of a procedure, each for one thing only.
//!
//! Blocks of C may use a name again for another variable. After the front end nobody thinks of
//! scopes: such a variable is called `name@2`, which no program can write; what comes before the
//! `@` is its name in the text.

use std::collections::{HashMap, HashSet};

use commloom_source::tree::{Name, Type};

/// The variables that are seen at a place of a procedure, and those that were.
#[derive(Debug, Default)]
pub(super) struct Locals {
    /// Blocks around the place, each with the names that it declares: as written, and as called in
    /// the tree.
    blocks: Vec<Vec<(Name, Name)>>,
    /// Of each name as called in the tree: what it is.
    types: HashMap<Name, Type>,
    /// How many different variables have this name.
    numbers: HashMap<Name, usize>,
    /// Names that were used for what stands outside of the procedure.
    free: HashSet<Name>,
    /// Whether the place is in a procedure.
    active: bool,
}

impl Locals {
    /// For a procedure.
    pub fn of_procedure() -> Locals {
        Locals { active: true, ..Locals::default() }
    }

    pub fn enter(&mut self) {
        self.blocks.push(Vec::new());
    }

    pub fn leave(&mut self) {
        self.blocks.pop();
    }

    /// Declares a variable in the innermost block; what it is called in the tree.
    pub fn declare(&mut self, name: &str, of: &Type) -> Name {
        if !self.active {
            return name.to_owned();
        }
        let hides = self.lookup(name).is_some() || self.free.contains(name);
        let again = self
            .blocks
            .last()
            .and_then(|b| b.iter().find(|(n, _)| n == name))
            .map(|(_, called)| called.clone());
        let number = self.numbers.entry(name.to_owned()).or_insert(0);
        let called = match again {
            // Twice in one block: in the branches of an `#if`.
            Some(called) if self.types.get(&called) == Some(of) => return called,
            _ if *number == 0 && !hides => name.to_owned(),
            // Another block's variable of the same type is as good as the same.
            _ if !hides && self.types.get(name) == Some(of) => name.to_owned(),
            _ => format!("{name}@{}", *number + 1),
        };
        *number += 1;
        self.types.insert(called.clone(), of.clone());
        if let Some(block) = self.blocks.last_mut() {
            block.push((name.to_owned(), called.clone()));
        }
        called
    }

    /// The name in the tree of one that is used here. None: it is outside of the procedure
    /// here, while a variable in it has the same name.
    pub fn used(&mut self, name: &str) -> Option<Name> {
        if !self.active {
            return Some(name.to_owned());
        }
        if let Some(called) = self.lookup(name) {
            return Some(called.to_owned());
        }
        if self.types.contains_key(name) {
            return None;
        }
        self.free.insert(name.to_owned());
        Some(name.to_owned())
    }

    /// The same where it does not matter much.
    pub fn known_as(&self, name: &str) -> Name {
        self.lookup(name).unwrap_or(name).to_owned()
    }

    /// The type of a variable of the procedure, by its name here.
    pub fn type_of(&self, name: &str) -> Option<&Type> {
        self.types.get(self.lookup(name)?)
    }

    fn lookup(&self, name: &str) -> Option<&str> {
        self.blocks
            .iter()
            .rev()
            .flat_map(|b| b.iter().rev())
            .find(|(n, _)| n == name)
            .map(|(_, called)| called.as_str())
    }
}
