//! Meanings of names in a procedure.

use commloom_source::tree::{Constant, Declaration, Record, Storage, Type};

use super::super::names::last;
use super::{Layer, Space, Spaces, without_arguments};

impl Spaces {
    /// Which procedures a name may mean that is called in a procedure: those inside of it or
    /// beside it in its host, otherwise all that are inside of none.
    pub fn called(&self, id: usize, name: &str) -> Option<Vec<usize>> {
        let name = last(name);
        let generic = || self.by_name.get(without_arguments(name)?);
        let all = self.by_name.get(name).or_else(generic)?;
        let around = self.hosts.get(&id).copied();
        let inside = |other: &&usize| {
            self.hosts.get(other).is_some_and(|host| *host == id || Some(*host) == around)
        };
        let near: Vec<usize> = all.iter().filter(inside).copied().collect();
        if !near.is_empty() {
            return Some(near);
        }
        let outer: Vec<usize> =
            all.iter().filter(|other| !self.hosts.contains_key(other)).copied().collect();
        (!outer.is_empty()).then_some(outer)
    }

    /// The name in its module of a procedure that `use` gives another one.
    pub fn renamed<'n>(&'n self, id: usize, name: &'n str) -> &'n str {
        let uses = self.layers[id].iter().flat_map(|layer| &self.spaces[layer.space].uses);
        let mut names = uses.flat_map(|used| &used.names);
        names.find(|(here, there)| here == name && here != there).map_or(name, |(_, there)| there)
    }

    /// Whether a name is that of a structure or class anywhere.
    pub fn is_record(&self, name: &str) -> bool {
        self.spaces.iter().any(|space| space.records.contains_key(name))
    }

    /// C++: a type of which there is one of this name by a name that means it in every class,
    /// `::a::cell`, if it stands outside of classes and procedures, which only the texts say.
    pub fn qualified(&self, name: &str) -> Option<String> {
        let has =
            |space: &&Space| space.records.contains_key(name) || space.aliases.contains_key(name);
        let mut all = self.spaces.iter().filter(has);
        let (Some(one), None) = (all.next(), all.next()) else { return None };
        match &one.module {
            Some(module) => self.is_namespace(module).then(|| format!("::{module}::{name}")),
            None => Some(format!("::{name}")),
        }
    }

    /// Whether it is known that functions of this module belong to no class.
    pub fn is_namespace(&self, module: &str) -> bool {
        module.split("::").all(|part| !part.is_empty() && !self.is_record(part))
            && self.spaces.iter().any(|space| space.module.as_deref() == Some(module))
    }

    /// Whether a scope that a procedure sees has Cray pointers, which lead to any variable.
    pub fn has_loose_pointers(&self, id: usize) -> bool {
        self.layers[id].iter().any(|layer| self.spaces[layer.space].has_loose_pointers)
    }

    /// Whether a variable is the procedure's own, and procedures inside of it see it.
    pub fn is_seen_inside(&self, id: usize, name: &str) -> bool {
        self.inner.get(&id).is_some_and(|names| names.contains(name))
    }

    /// The host's number, if a variable is one of the host's.
    pub fn host_of(&self, id: usize, name: &str) -> Option<usize> {
        let host = *self.hosts.get(&id)?;
        let (_, space) = self.variable_in(id, name)?;
        let own = self.layers.get(host)?.first()?.space;
        std::ptr::eq(space, &self.spaces[own]).then_some(host)
    }

    /// The name in a space, where it is seen.
    pub(super) fn there<'n>(&self, layer: &'n Layer, name: &'n str) -> Option<&'n str> {
        let there = layer.there(name)?;
        let is_seen = !layer.is_used || self.spaces[layer.space].access.shows(there);
        is_seen.then_some(there)
    }

    /// Looks in all spaces, from the inside out; the first that takes the name hides the rest.
    fn find<'s, T>(
        &'s self,
        id: usize,
        name: &str,
        take: impl Fn(&'s Space, &str) -> Option<T>,
    ) -> Option<(T, &'s Space)> {
        self.place(id, name, take).map(|(found, space)| (found, &self.spaces[space]))
    }

    fn place<'s, T>(
        &'s self,
        id: usize,
        name: &str,
        take: impl Fn(&'s Space, &str) -> Option<T>,
    ) -> Option<(T, usize)> {
        let having = self.having.get(name).map_or(&[][..], Vec::as_slice);
        self.layers[id].iter().find_map(|layer| {
            let can = layer.through.is_some() || self.having.is_empty();
            if !can && having.binary_search(&layer.space).is_err() {
                return None;
            }
            let space = &self.spaces[layer.space];
            take(space, self.there(layer, name)?).map(|found| (found, layer.space))
        })
    }

    /// A variable as it was declared, and the number of the space that it is from.
    pub(super) fn found(&self, id: usize, name: &str) -> Option<(&Declaration, usize)> {
        let (found, space) = self.place(id, name, |space, name| {
            let variable = space.variables.get(name);
            variable.map(Some).or_else(|| space.constants.contains_key(name).then_some(None))
        })?;
        let variable = found?;
        (!self.spaces[space].doubtful.contains(&variable.name)).then_some((variable, space))
    }

    /// A variable and the space that it is from.
    pub fn variable_in(&self, id: usize, name: &str) -> Option<(&Declaration, &Space)> {
        let (variable, space) = self.found(id, name)?;
        let space = &self.spaces[space];
        if self.otherwise.is_empty() {
            return Some((variable, space));
        }
        Some((self.otherwise.get(&(id, name.to_owned())).unwrap_or(variable), space))
    }

    pub fn variable(&self, id: usize, name: &str) -> Option<&Declaration> {
        self.variable_in(id, name).map(|(variable, _)| variable)
    }

    pub fn constant(&self, id: usize, name: &str) -> Option<&Constant> {
        let (found, _) = self.find(id, name, |space, name| {
            let constant = space.constants.get(name);
            constant.map(Some).or_else(|| space.variables.contains_key(name).then_some(None))
        })?;
        found
    }

    pub fn record(&self, id: usize, name: &str) -> Option<&Record> {
        self.find(id, name, |space, name| space.records.get(name)).map(|f| f.0)
    }

    pub fn alias(&self, id: usize, name: &str) -> Option<&Type> {
        self.find(id, name, |space, name| space.aliases.get(name)).map(|f| f.0)
    }

    /// The name in the whole project of a variable that others see.
    pub fn global(&self, id: usize, name: &str) -> Option<String> {
        let (variable, space) = self.variable_in(id, name)?;
        if let Some(block) = space.commons.get(&variable.name) {
            return Some(if self.uniform.get(block) == Some(&true) {
                format!("/{block}/{}", variable.name)
            } else {
                format!("/{block}/")
            });
        }
        if variable.storage != Storage::Shared {
            let host =
                if self.is_seen_inside(id, name) { Some(id) } else { self.host_of(id, name) };
            return host.map(|host| format!("{host}::{}", variable.name));
        }
        Some(match &space.module {
            Some(module) => format!("{module}::{}", variable.name),
            None => variable.name.clone(),
        })
    }
}
