//! The memory that one call touches: of a procedure without a body what a library's is known to
//! do, of another one what its summary says, in names of the caller.

use std::collections::BTreeSet;

use commloom_source::Language;
use commloom_source::symbols::{Effects, Symbols, Touched};
use commloom_source::tree::{Expression, ExpressionKind as Kind, Intent, Name, Type};

use super::library::{self, Use};
use super::names::last;
use super::regions::{ANYTHING, Pointers, Region, Regions};
use super::view::View;

/// The effects of a procedure without a body.
pub(super) fn foreign(
    view: &View<'_>,
    pointers: &Pointers,
    name: &str,
    object: Vec<Name>,
    arguments: &[Expression],
) -> Effects {
    let mut reads = Touching::new(view, pointers);
    let mut writes = Touching::new(view, pointers);
    let is_fortran = view.language().is_fortran();
    let uses = match view.wrapper(name) {
        Some(wrapper) => Some(wrapper.uses(arguments.len())),
        // A generic name of the program's own.
        None if is_fortran && view.project.spaces.own.contains(name) => None,
        None => library::uses(name, arguments.len(), is_fortran),
    };
    match uses {
        Some(uses) => {
            reads.names(object.iter().cloned());
            // Methods of containers of C++ change nothing else; `size` and `data` not even those.
            if !matches!(name, "size" | "data" | "begin" | "end" | "empty") {
                writes.names(object);
            }
            let in_place = arguments.iter().any(is_in_place);
            for (argument, what) in arguments.iter().zip(uses) {
                let names: Vec<Name> = roots(argument);
                // What comes out of the buffer went into it.
                let what = if in_place && what == Use::Writes { Use::Both } else { what };
                let copied =
                    matches!(&argument.kind, Kind::Keyword(keyword, _) if keyword == "source");
                if matches!(what, Use::Reads | Use::Both) || copied {
                    reads.names(names.iter().cloned());
                }
                if matches!(what, Use::Writes | Use::Both) {
                    writes.names(names);
                }
            }
        }
        None => {
            reads.all = true;
            writes.all = true;
            let parameters = view.project.spaces.prototypes.get(last(name));
            let pure = parameters.is_some_and(|p| {
                p.len() == arguments.len() && p.iter().all(|p| p.intent == Some(Intent::In))
            });
            writes.all &= !(pure && is_fortran);
        }
    }
    if is_fortran && arguments.iter().any(|argument| may_be_namelist(view, argument)) {
        reads.all = true;
        writes.all |= name != "$write" && name != "$unit";
    }
    Effects { reads: reads.touched(), writes: writes.touched() }
}

/// Whether a format is neither text nor a variable that has some: the name of a list of variables,
/// which those without `implicit none` take for a number.
fn may_be_namelist(view: &View<'_>, argument: &Expression) -> bool {
    let Kind::Keyword(keyword, value) = &argument.kind else { return false };
    let Kind::Name(name) = &value.kind else { return false };
    let has_text = |of: &Type| match view.resolve(of) {
        Type::Basic(of, _) => of.starts_with("character"),
        Type::Array(..) | Type::Unknown => true,
        _ => false,
    };
    keyword == "format_identifier"
        && view.constant(name).is_none()
        && !view.declared(name).is_some_and(|declared| has_text(&declared.of))
}

fn is_in_place(argument: &Expression) -> bool {
    matches!(&argument.kind, Kind::Name(name) if name.eq_ignore_ascii_case("mpi_in_place"))
}

/// Collects what a call touches.
pub(super) struct Touching<'v, 'p> {
    view: &'v View<'p>,
    pointers: &'v Pointers,
    all: bool,
    names: BTreeSet<Name>,
}

impl<'v, 'p> Touching<'v, 'p> {
    pub(super) fn new(view: &'v View<'p>, pointers: &'v Pointers) -> Self {
        Touching { view, pointers, all: false, names: BTreeSet::new() }
    }

    /// The content of variables, and of what they lead to.
    pub(super) fn names(&mut self, names: impl IntoIterator<Item = Name>) {
        for name in names.into_iter().flat_map(|name| self.pointers.follow(&name)) {
            self.all |= name == ANYTHING;
            self.names.insert(name);
        }
    }

    pub(super) fn regions(
        &mut self,
        regions: &Regions,
        parameters: &[Name],
        arguments: &[Expression],
    ) {
        self.all |= regions.all;
        for region in &regions.some {
            match region {
                Region::Argument(index) => {
                    let given = arguments.iter().enumerate().find(|(at, a)| match &a.kind {
                        Kind::Keyword(name, _) => parameters.get(*index) == Some(name),
                        _ => at == index,
                    });
                    if let Some((_, argument)) = given {
                        let by_value = self.is_number(argument);
                        if !by_value {
                            self.names(roots(argument));
                        }
                    }
                }
                Region::Global(global) => {
                    let own = global.rsplit(['/', ':']).next().unwrap_or(global);
                    let seen = self.view.global(own).is_some_and(|g| g == *global);
                    let name = if seen { own } else { global };
                    self.names.insert(name.to_owned());
                    self.block(global);
                }
            }
        }
    }

    /// All variables of a common block that has several forms.
    fn block(&mut self, global: &str) {
        if !(global.starts_with('/') && global.ends_with('/')) {
            return;
        }
        let scope = &self.view.procedure().scope;
        let block = global.trim_matches('/');
        for common in scope.commons.iter().filter(|c| c.name == block) {
            self.names.extend(common.variables.iter().cloned());
        }
    }

    /// Whether a value is passed, which nobody can write to: a number in C.
    fn is_number(&self, argument: &Expression) -> bool {
        if self.view.language().is_fortran() {
            return false;
        }
        match &argument.kind {
            Kind::Name(name) => {
                self.view
                    .declared(name)
                    .is_some_and(|d| matches!(self.view.resolve(&d.of), Type::Basic(..)))
                    && self.view.language() == Language::C
            }
            Kind::Integer(_) | Kind::Literal(_) => true,
            _ => false,
        }
    }

    pub(super) fn touched(self) -> Touched {
        if self.all { Touched::Anything } else { Touched::These(self.names.into_iter().collect()) }
    }
}

/// Variables whose memory a place is, or that a value is made of.
pub(super) fn roots(place: &Expression) -> Vec<Name> {
    match &place.kind {
        Kind::Choice { yes, no, .. } => roots(yes).into_iter().chain(roots(no)).collect(),
        Kind::Unknown(names) => names.clone(),
        Kind::Call { .. } => vec![ANYTHING.to_owned()],
        Kind::Assign { target, .. } => roots(target),
        // `1 + p`
        Kind::Binary(_, left, right) => roots(left).into_iter().chain(roots(right)).collect(),
        Kind::Element { base, .. }
        | Kind::Member { base, .. }
        | Kind::Unary(_, base)
        | Kind::Cast(_, base)
        | Kind::Keyword(_, base)
        | Kind::Step { target: base, .. } => roots(base),
        Kind::Name(name) => vec![name.clone()],
        Kind::List(all) => all.iter().flat_map(roots).collect(),
        _ => Vec::new(),
    }
}
