//! Declarations seen from where their names mean something else.
//!
//! `real :: u(0:nx+1)` of a module, or `double u[NY][NX]` of a file, has the bounds that its own
//! scope gives it. A procedure with an `nx` of its own, or one that may not see the module's,
//! would read another number there, and write it into its text. What can be computed stands as a
//! number then; otherwise nothing is known of such a variable's type.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};

use commloom_source::tree::{
    Binary, Declaration, Dimension, Expression, ExpressionKind as Kind, Intent, Name, Procedure,
    StatementKind, Type, Unary, Unit,
};

use super::super::names::last;
use super::{Layer, Space, Spaces, without_arguments};

/// Names of names, types of types.
const NESTING_LIMIT: usize = 16;

/// Where a name is declared: the scope, and the name there.
type Meant = Option<(usize, Name)>;

impl Spaces {
    /// Finds the variables that procedures use and whose types mean something else there. Linear
    /// in the texts, times the types of one variable.
    pub(super) fn look_elsewhere(&mut self, units: &[Unit], modules: &HashMap<Name, usize>) {
        let mut of_modules: HashMap<usize, Vec<Layer>> = HashMap::new();
        for &space in modules.values() {
            let mut layers = vec![Layer::own(space)];
            self.follow_uses(&mut layers, modules);
            of_modules.insert(space, layers);
        }
        let owners: HashMap<usize, usize> =
            self.layers.iter().enumerate().map(|(id, layers)| (layers[0].space, id)).collect();
        let mut otherwise = HashMap::new();
        for (id, &(number, index)) in self.ids.iter().enumerate() {
            let procedure = &units[number].procedures[index];
            let (used, mut unread) = names_in(procedure);
            if let Some(class) = procedure.module.as_ref().filter(|_| !self.is_fortran(units, id)) {
                self.inherited(id, last(class), &mut unread, 0);
            }
            let seen = Seen {
                spaces: self,
                of_modules: &of_modules,
                owners: &owners,
                is_fortran: units[number].language.is_fortran(),
                id,
                unread,
                since: Cell::new(0),
                clean: RefCell::default(),
            };
            for name in used {
                if let Some(declaration) = seen.changed(&name) {
                    otherwise.insert((id, name), declaration);
                }
            }
        }
        self.otherwise = otherwise;
    }

    fn is_fortran(&self, units: &[Unit], id: usize) -> bool {
        units[self.ids[id].0].language.is_fortran()
    }

    /// The names of the members that a class has from others.
    fn inherited(&self, id: usize, class: &str, names: &mut BTreeSet<Name>, depth: usize) {
        let Some(record) = self.record(id, class).filter(|_| depth < NESTING_LIMIT) else { return };
        for base in &record.bases {
            let base = last(without_arguments(base).unwrap_or(base));
            let fields = self.record(id, base).into_iter().flat_map(|record| &record.fields);
            names.extend(fields.map(|field| field.name.clone()));
            self.inherited(id, base, names, depth + 1);
        }
    }

    /// The scope that gives a name its value, from some scopes.
    fn value_in(&self, layers: &[Layer], name: &str) -> Meant {
        self.first(layers, name, |space, name| {
            space.variables.contains_key(name) || space.constants.contains_key(name)
        })
    }

    /// The scope that a type is from.
    fn type_in(&self, layers: &[Layer], name: &str) -> Meant {
        self.first(layers, name, |space, name| {
            space.records.contains_key(name) || space.aliases.contains_key(name)
        })
    }

    /// The first scope that has a name.
    fn first(&self, layers: &[Layer], name: &str, has: fn(&Space, &str) -> bool) -> Meant {
        layers.iter().find_map(|layer| {
            let there = self.there(layer, name)?;
            let is_here = has(&self.spaces[layer.space], there);
            is_here.then(|| (layer.space, there.to_owned()))
        })
    }
}

/// The scopes of one procedure.
struct Seen<'s> {
    spaces: &'s Spaces,
    of_modules: &'s HashMap<usize, Vec<Layer>>,
    /// Procedures by the scopes of their own.
    owners: &'s HashMap<usize, usize>,
    is_fortran: bool,
    id: usize,
    /// Names in statements that were not read, which may be declared there, and of members of base
    /// classes.
    unread: BTreeSet<Name>,
    /// Where the variable is declared that is looked at.
    since: Cell<usize>,
    /// Types that were looked at: whether they are what they are where they stand.
    clean: RefCell<HashMap<(usize, Name), bool>>,
}

impl Seen<'_> {
    /// The declaration of a variable as it must be understood here, where that is another one.
    fn changed(&self, name: &str) -> Option<Declaration> {
        let (declaration, space) = self.spaces.found(self.id, name)?;
        let mut of = declaration.of.clone();
        self.since.set(declaration.span.start);
        let is_known = self.settle(&mut of, space, 0);
        if !is_known {
            of = Type::Unknown;
        }
        (of != declaration.of).then(|| Declaration { of, ..declaration.clone() })
    }

    fn own(&self) -> &[Layer] {
        &self.spaces.layers[self.id]
    }

    /// The scopes that one sees: of C the file after it, then all that the procedure sees.
    fn from(&self, space: usize) -> Vec<&[Layer]> {
        if let Some(owner) = self.owners.get(&space) {
            return vec![&self.spaces.layers[*owner]];
        }
        if let Some(layers) = self.of_modules.get(&space).filter(|_| self.is_fortran) {
            return vec![layers];
        }
        let own = self.own();
        let at = own.iter().position(|layer| layer.space == space).unwrap_or(0);
        vec![&own[at..], own.get(1..).unwrap_or(&[])]
    }

    fn value_from(&self, space: usize, name: &str) -> Meant {
        self.from(space).into_iter().find_map(|layers| self.spaces.value_in(layers, name))
    }

    fn type_from(&self, space: usize, name: &str) -> Meant {
        self.from(space).into_iter().find_map(|layers| self.spaces.type_in(layers, name))
    }

    /// Whether all names in a type mean here what they mean in the scope that has it, or stand as
    /// numbers now.
    fn settle(&self, of: &mut Type, space: usize, depth: usize) -> bool {
        if depth > NESTING_LIMIT {
            return true;
        }
        match of {
            Type::Array(element, dimensions) => {
                // How long it is does not say where elements lie.
                let outermost =
                    if self.is_fortran { dimensions.len().saturating_sub(1) } else { 0 };
                let mut is_known = self.settle(element, space, depth + 1);
                for (at, dimension) in dimensions.iter_mut().enumerate() {
                    if !self.dimension(dimension, space) && at == outermost {
                        *dimension = match dimension.clone() {
                            Dimension::Bounds { lower, .. } => Dimension::AssumedSize { lower },
                            _ => Dimension::AssumedSize { lower: None },
                        };
                    }
                    is_known &= self.dimension(dimension, space);
                }
                is_known
            }
            Type::Pointer(inner) | Type::Reference(inner) => self.settle(inner, space, depth + 1),
            // `real(dp)` is a name with a kind in it.
            Type::Named(name) | Type::Record(name) => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                if name.contains('(') {
                    let mut words = name.split(|c| !is_part(c)).filter(|word| !word.is_empty());
                    return words.all(|word| self.is_same(word, space));
                }
                let meant = self.type_from(space, name);
                if meant != self.spaces.type_in(self.own(), name) {
                    return false;
                }
                meant.is_none_or(|(space, name)| self.is_clean(space, &name, depth + 1))
            }
            Type::Basic(..) | Type::Void | Type::Unknown => true,
        }
    }

    /// Whether a type is what it is where it was declared, with all in it.
    fn is_clean(&self, space: usize, name: &str, depth: usize) -> bool {
        let key = (space, name.to_owned());
        if let Some(&known) = self.clean.borrow().get(&key) {
            return known;
        }
        // While it is looked at: what leads to itself is no reason.
        self.clean.borrow_mut().insert(key.clone(), true);
        let of = &self.spaces.spaces[space];
        let mut all: Vec<&Type> = of.aliases.get(name).into_iter().collect();
        all.extend(of.records.get(name).into_iter().flat_map(|r| &r.fields).map(|f| &f.of));
        let is_clean = all.into_iter().all(|inner| {
            let is_itself = matches!(inner, Type::Named(same) | Type::Record(same) if same == name);
            let mut settled = inner.clone();
            is_itself || (self.settle(&mut settled, space, depth) && settled == *inner)
        });
        self.clean.borrow_mut().insert(key, is_clean);
        is_clean
    }

    fn dimension(&self, dimension: &mut Dimension, space: usize) -> bool {
        let mut bounds: Vec<&mut Expression> = match dimension {
            Dimension::Bounds { lower, upper } => {
                lower.iter_mut().chain(std::iter::once(upper)).collect()
            }
            Dimension::Extent(length) => vec![length],
            Dimension::AssumedSize { lower } | Dimension::AssumedShape { lower } => {
                lower.iter_mut().collect()
            }
        };
        bounds.iter_mut().all(|bound| {
            let mut names = Vec::new();
            bound.each(&mut |e| match &e.kind {
                Kind::Name(name) => names.push(name.clone()),
                Kind::Unknown(all) => names.extend(all.iter().cloned()),
                _ => {}
            });
            if names.iter().all(|name| self.is_same(name, space)) {
                return true;
            }
            let value = self.number(bound, space, 0);
            if let Some(value) = value {
                bound.kind = Kind::Integer(value);
            }
            value.is_some()
        })
    }

    /// Whether a name has the same value here as in a scope, at any time.
    fn is_same(&self, name: &str, space: usize) -> bool {
        if space == self.own()[0].space {
            return !self.is_later(name);
        }
        let there = self.value_from(space, name);
        if self.unread.contains(name) || there != self.spaces.value_in(self.own(), name) {
            return false;
        }
        let Some((at, name)) = there else { return true };
        // The bounds of a host's array are those at its entry.
        let of_host = self.is_fortran && self.owners.contains_key(&space);
        let variable = self.spaces.spaces[at].variables.get(&name);
        !of_host || variable.is_none_or(|v| v.intent == Some(Intent::In))
    }

    /// C: whether the procedure declares a name only after the variable that is looked at, whose
    /// type has the name from further out.
    fn is_later(&self, name: &str) -> bool {
        let own = &self.spaces.spaces[self.own()[0].space];
        let variable = own.variables.get(name).map(|v| v.span.start);
        let constant = own.constants.get(name).map(|c| c.value.span.start);
        !self.is_fortran && variable.or(constant).is_some_and(|at| at > self.since.get())
    }

    /// The number that a value is where it was written.
    fn number(&self, value: &Expression, space: usize, depth: usize) -> Option<i64> {
        if depth > NESTING_LIMIT {
            return None;
        }
        let inner = |value: &Expression| self.number(value, space, depth + 1);
        match &value.kind {
            Kind::Integer(number) => Some(*number),
            Kind::Name(name) => {
                let outer = self.own().get(1..).unwrap_or(&[]);
                let (at, name) = match self.is_later(name) {
                    true => self.spaces.value_in(outer, name)?,
                    false => self.value_from(space, name)?,
                };
                let constant = self.spaces.spaces[at].constants.get(&name)?;
                self.number(&constant.value, at, depth + 1)
            }
            Kind::Unary(Unary::Minus, value) => inner(value)?.checked_neg(),
            Kind::Binary(Binary::Add, a, b) => inner(a)?.checked_add(inner(b)?),
            Kind::Binary(Binary::Subtract, a, b) => inner(a)?.checked_sub(inner(b)?),
            Kind::Binary(Binary::Multiply, a, b) => inner(a)?.checked_mul(inner(b)?),
            _ => None,
        }
    }
}

/// The names that a procedure uses, and those in statements that were not read.
fn names_in(procedure: &Procedure) -> (BTreeSet<Name>, BTreeSet<Name>) {
    let (mut used, mut unread) = (BTreeSet::new(), BTreeSet::new());
    for statement in &procedure.body {
        statement.each(&mut |s| {
            if let StatementKind::Unknown(names) = &s.kind {
                unread.extend(names.iter().cloned());
            }
            for expression in s.expressions() {
                expression.each(&mut |e| match &e.kind {
                    Kind::Name(name) => drop(used.insert(name.clone())),
                    Kind::Unknown(names) => unread.extend(names.iter().cloned()),
                    _ => {}
                });
            }
        });
    }
    used.extend(unread.iter().cloned());
    (used, unread)
}
