//! The spaces that a procedure looks into, from the inside out.

use std::collections::HashMap;

use commloom_source::tree::{Access, Declaration, Name, Record, Storage, Use};
use commloom_source::{FileId, Span};

use super::super::files::Files;
use super::super::included::CHAIN_LIMIT;
use super::super::names::last;
use super::{Layer, Space, Spaces};

impl Spaces {
    pub(super) fn follow_uses(&self, layers: &mut Vec<Layer>, modules: &HashMap<Name, usize>) {
        let mut at = 0;
        while at < layers.len() && layers.len() < CHAIN_LIMIT * CHAIN_LIMIT {
            let layer = layers[at].clone();
            for used in &self.spaces[layer.space].uses {
                let Some(&space) = modules.get(&used.module) else { continue };
                let known = layers.iter().any(|l| l.space == space && l.through.is_none());
                // Renaming through several modules is rare: what comes from further away comes
                // under its own name.
                let through = (used.only || !used.names.is_empty()).then(|| used.clone());
                let through = match &self.spaces[layer.space].access {
                    access if layer.is_used && access.is_private => Some(shown(access, used)),
                    _ => through,
                };
                if !known && !layers.iter().any(|l| l.space == space && l.through == through) {
                    layers.push(Layer { space, through, is_used: true });
                }
            }
            at += 1;
        }
    }

    pub(super) fn c_layers(
        &mut self,
        layers: &mut Vec<Layer>,
        module: Option<&str>,
        open: &HashMap<Name, Vec<usize>>,
        files: &Files,
        number: usize,
        of_unit: &[usize],
    ) {
        let seen = files.seen_by(number).clone();
        // The class and the namespaces that the procedure is in, in all files that it sees.
        let mut path = module;
        while let Some(here) = path {
            for &space in open.get(here).into_iter().flatten() {
                layers.push(Layer::own(space));
            }
            // A class stands in the namespaces around it.
            let outer = std::iter::successors(here.rsplit_once("::"), |(o, _)| o.rsplit_once("::"));
            let outer = outer.flat_map(|(outer, _)| open.get(outer).into_iter().flatten().copied());
            let class = seen.iter().map(|&f| of_unit[f]).chain(layers.iter().map(|l| l.space));
            let class = outer.chain(class);
            let record =
                class.clone().find_map(|s| self.spaces[s].records.get(last(here)).cloned());
            if let Some(record) = record {
                let space = self.push(fields(&record));
                layers.push(Layer::own(space));
            }
            path = here.rsplit_once("::").map(|(outer, _)| outer);
        }
        layers.push(Layer::own(of_unit[number]));
        let others = seen.iter().filter(|&&f| f != number);
        layers.extend(others.map(|&f| Layer::own(of_unit[f])));
    }
}

/// The names of another module that users of one see by it: of a private one only those that it
/// lists.
fn shown(access: &Access, used: &Use) -> Use {
    let listed = |name: &Name| {
        let here = used.names.iter().find(|(here, _)| here == name);
        here.cloned().or_else(|| (!used.only).then(|| (name.clone(), name.clone())))
    };
    let names = access.public.iter().filter_map(listed).collect();
    Use { module: used.module.clone(), names, only: true }
}

/// The fields of a class, as its methods see them.
fn fields(record: &Record) -> Space {
    let mut space = Space { module: Some(record.name.clone()), ..Space::default() };
    for field in &record.fields {
        let declaration = Declaration {
            name: field.name.clone(),
            span: Span { file: FileId(0), start: 0, end: 0 },
            of: field.of.clone(),
            storage: Storage::Shared,
            intent: None,
            unaliased: false,
            allocatable: field.is_elsewhere,
            is_volatile: false,
            is_constant: false,
            value: None,
        };
        space.add(&declaration);
    }
    space
}
