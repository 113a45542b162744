//! A view as [`Symbols`], and the memory that its names may lead to.

use commloom_source::Language;
use commloom_source::symbols::{Effects, Symbols};
use commloom_source::tree::{Declaration, Expression, Name, Type};

use super::names::last;
use super::view::View;
use super::{alias, allocations, effects, sizes, types};

impl View<'_> {
    /// Whether a place is what a number leads to that was made a pointer.
    pub fn is_forged(&self, place: &Expression) -> bool {
        types::is_forged(self, place)
    }

    /// The targets of pointers: the variables whose content a name may be another name for, itself
    /// first.
    pub fn targets(&self, name: &str) -> Vec<Name> {
        alias::targets(self, name)
    }

    /// Whether memory of one variable may be memory of the other.
    pub fn may_alias(&self, one: &str, other: &str) -> bool {
        alias::may_alias(self, one, other)
    }

    /// Whether a value is a number for sure, and no address.
    pub fn is_number(&self, value: &Expression) -> bool {
        types::type_of(self, value).is_some_and(|of| types::is_number(&of))
    }
}

impl Symbols for View<'_> {
    fn language(&self) -> Language {
        self.unit().language
    }

    fn variable(&self, name: &str) -> Option<&Declaration> {
        self.declared(name)
    }

    fn constant(&self, name: &str) -> Option<&Expression> {
        self.project.spaces.constant(self.id.0, name).map(|c| &c.value)
    }

    fn resolve(&self, of: &Type) -> Type {
        sizes::resolve(self, of)
    }

    fn size_of(&self, of: &Type) -> Option<u64> {
        sizes::size_of(self, of)
    }

    fn uniform(&self, of: &Type) -> Option<(Name, u64)> {
        sizes::uniform(self, of)
    }

    fn allocated_elsewhere(&self) -> Vec<&Expression> {
        self.project.allocations.iter().filter_map(|one| allocations::seen(self, one)).collect()
    }

    fn field(&self, record: &Type, field: &str) -> Option<(u64, Type)> {
        sizes::field(self, record, field)
    }

    fn is_passive(&self, of: &Type) -> bool {
        types::is_passive(self, of, 0)
    }

    fn is_hidden(&self, name: &str) -> bool {
        self.project.reach.get(self.id.0).is_some_and(|reach| reach.hidden.contains(name))
    }

    fn is_reached(&self, name: &str) -> bool {
        if self.language().is_fortran() {
            return true;
        }
        let of = self.variable(name).map(|declared| self.resolve(&declared.of));
        match of {
            // Who is given a pointer by its value reaches what it leads to.
            Some(Type::Pointer(_)) => self.project.pointers[self.id.0].is_open(name),
            // What happens to elements is looked at where they are.
            Some(Type::Array(..) | Type::Record(_)) => false,
            _ => {
                let reach = self.project.reach.get(self.id.0);
                reach.is_some_and(|reach| reach.given.contains(name))
            }
        }
    }

    fn pointees(&self, name: &str) -> Option<Vec<Name>> {
        alias::pointees(self, name)
    }

    fn takes_names(&self, called: &Expression) -> bool {
        if self.language() != Language::Cpp {
            return self.language().is_fortran();
        }
        let Some(name) = called.root() else { return false };
        let spaces = &self.project.spaces;
        let is_in_sight = spaces.prototypes.contains_key(last(name))
            || spaces.by_name.contains_key(last(name))
            || self.declared(name).is_some();
        name.starts_with("std::") || !is_in_sight
    }

    fn is_own_procedure(&self, name: &str) -> bool {
        self.project.spaces.own.contains(name)
    }

    fn stands_for<'n>(&'n self, called: &'n str) -> &'n str {
        let renamed = || self.project.spaces.renamed(self.id.0, called);
        self.wrapper(called).map_or_else(renamed, |wrapper| wrapper.stands_for().name)
    }

    fn effects(&self, function: &Expression, arguments: &[Expression]) -> Effects {
        effects::of_call(self, function, arguments)
    }
}
