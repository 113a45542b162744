//! Uses of memory in all procedures of a program, element by element: copied, or computed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use commloom_copies::Direction;
use commloom_program::{ProcedureId, Project};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Type, Unary,
};
use commloom_source::{FileId, Span};

use super::filling::{Filling, filling, is_filled_in};
use super::handled::Handled;
use super::keys::{Key, Keyed, Links};
use super::meant::Meant;
use crate::Site;
use crate::calls::Manner;
use crate::find::calls_in;

/// Copies that belong to calls which are among the sites: what is packed for one message is not
/// unpacked for another one.
#[derive(Debug, Default)]
pub(super) struct Explaining {
    packed: Places,
    unpacked: Places,
}

/// Where statements end, by file and start.
type Places = BTreeMap<(FileId, usize), usize>;

impl Explaining {
    /// The copies of a site.
    pub fn add(&mut self, site: &Site) {
        let Some(packing) = &site.trail.packing else { return };
        let into = match packing.direction {
            Direction::Pack => &mut self.packed,
            Direction::Unpack => &mut self.unpacked,
        };
        for span in &packing.statements {
            let end = into.entry((span.file, span.start)).or_default();
            *end = span.end.max(*end);
        }
    }

    /// Whether a copy in this direction is one of them.
    fn has(&self, direction: Direction, copy: Span) -> bool {
        match direction {
            Direction::Pack => is_among(&self.packed, copy),
            Direction::Unpack => is_among(&self.unpacked, copy),
        }
    }
}

/// Whether a place lies in one of some statements, none of which is in another one.
fn is_among(places: &Places, copy: Span) -> bool {
    let mut before = places.range(..=(copy.file, copy.start));
    let last = before.next_back();
    last.is_some_and(|((file, _), end)| *file == copy.file && copy.end <= *end)
}

/// A call of a procedure that has a body.
struct Called {
    from: ProcedureId,
    callee: ProcedureId,
    /// The memory of each argument.
    arguments: Vec<Option<Key>>,
    in_loop: bool,
}

/// All of a program.
pub(super) struct Uses {
    handled: HashMap<Key, Handled>,
    links: Links,
    calls: Vec<Called>,
    /// Who calls whom.
    edges: HashSet<(ProcedureId, ProcedureId)>,
    meant: Meant,
    parameters: HashMap<ProcedureId, Vec<Name>>,
    /// The memory that an argument is given, by its procedure and its number.
    given: HashMap<(ProcedureId, usize), BTreeSet<Key>>,
}

/// How often memory is followed to a caller.
const DEPTH: usize = 6;
/// More ways are not told apart.
const WAYS: usize = 200;

impl Uses {
    /// Reads all procedures. Time linear in them, times how deep calls nest.
    pub fn of(project: &Project, known: &Explaining) -> Uses {
        let mut uses = Uses {
            handled: HashMap::new(),
            links: Links::default(),
            calls: Vec::new(),
            edges: HashSet::new(),
            meant: Meant::default(),
            parameters: HashMap::new(),
            given: HashMap::new(),
        };
        for id in project.procedures() {
            let at = Keyed { id, view: project.view(id) };
            let procedure = at.view.procedure();
            uses.parameters.insert(id, procedure.parameters.clone());
            for statement in &procedure.body {
                statement.each(&mut |s| {
                    uses.links.add(&at, s);
                    uses.meant.add(project, s);
                });
            }
        }
        for id in project.procedures() {
            let at = Keyed { id, view: project.view(id) };
            for found in calls_in(&at.view) {
                let Some(key) = at.place(found.buffer) else { continue };
                let both = matches!(found.side.manner, Manner::Broadcast { .. });
                uses.note(&key, |h| {
                    h.is_received |= both || found.side.direction == Direction::Unpack;
                    h.is_sent |= both || found.side.direction == Direction::Pack;
                });
            }
            let mut reader = Reader { holds: loaded(&at), uses: &mut uses, at, known };
            let procedure = at.view.procedure();
            // A loop may be hidden in what could not be read.
            reader.all(&procedure.body, procedure.has_errors);
        }
        for call in &uses.calls {
            uses.edges.insert((call.from, call.callee));
            for (at, key) in call.arguments.iter().enumerate() {
                let given = uses.given.entry((call.callee, at)).or_default();
                given.extend(key.clone());
            }
        }
        uses.spread();
        uses
    }

    /// The uses of some memory, and of what it leads to, here and where it came from: once for
    /// each way by which it comes as an argument.
    pub fn handled(&self, key: &Key) -> Vec<Handled> {
        let mut found = Vec::new();
        self.ways(key, &Handled::default(), DEPTH, &mut found);
        found
    }

    fn ways(&self, key: &Key, before: &Handled, depth: usize, found: &mut Vec<Handled>) {
        let mut whole = before.clone();
        let keys = self.links.follow(key);
        for handled in keys.iter().filter_map(|key| self.handled.get(key)) {
            whole.add(handled, false);
        }
        let given: BTreeSet<&Key> =
            keys.iter().filter(|_| depth > 0).flat_map(|key| self.given_for(key)).collect();
        if given.is_empty() || found.len() > WAYS {
            found.push(whole);
            return;
        }
        for key in given {
            self.ways(key, &whole, depth - 1, found);
        }
    }

    /// The uses of an argument of a procedure where it is called, by its number; by all
    /// procedures that the called name may mean.
    pub fn of_argument(
        &self,
        project: &Project,
        function: &Expression,
        arguments: usize,
        at: usize,
    ) -> Handled {
        let mut all = Handled::default();
        for callee in self.meant.by(project, function, arguments) {
            let name = self.parameters.get(&callee).and_then(|names| names.get(at));
            let key = name.map(|name| Key::Own(callee, name.clone()));
            if let Some(handled) = key.and_then(|key| self.handled.get(&key)) {
                all.add(handled, false);
            }
        }
        all
    }

    /// Memory, and all that it leads to.
    pub fn memory(&self, key: &Key) -> BTreeSet<Key> {
        self.links.follow(key)
    }

    /// Whether a procedure calls another one.
    pub fn calls(&self, from: ProcedureId, callee: ProcedureId) -> bool {
        self.edges.contains(&(from, callee))
    }

    fn given_for(&self, key: &Key) -> impl Iterator<Item = &Key> {
        let at = match key {
            Key::Own(id, name) => {
                let names = self.parameters.get(id);
                names.and_then(|all| Some((*id, all.iter().position(|p| p == name)?)))
            }
            _ => None,
        };
        at.and_then(|at| self.given.get(&at)).into_iter().flatten()
    }

    fn note(&mut self, key: &Key, note: impl Fn(&mut Handled)) {
        for key in self.links.follow(key) {
            note(self.handled.entry(key).or_default());
        }
    }

    /// Callees do to their arguments what is done to what they are given; and what they do once,
    /// callers do often that call them in a loop.
    fn spread(&mut self) {
        let often: HashSet<ProcedureId> =
            self.calls.iter().filter(|call| call.in_loop).map(|call| call.callee).collect();
        for handled in self.handled.values_mut() {
            handled.filled.are_often(&often);
            handled.emptied.are_often(&often);
        }
        let mut leads: HashMap<Key, BTreeSet<(Key, bool)>> = HashMap::new();
        for call in &self.calls {
            let names = self.parameters.get(&call.callee).into_iter().flatten();
            for (name, given) in names.zip(&call.arguments) {
                let (Some(given), own) = (given, Key::Own(call.callee, name.clone())) else {
                    continue;
                };
                let reached = self.links.follow(given).into_iter().filter(|key| *key != own);
                let reached = reached.map(|key| (key, call.in_loop));
                leads.entry(own.clone()).or_default().extend(reached);
            }
        }
        let mut waiting: BTreeSet<Key> = leads.keys().cloned().collect();
        while let Some(own) = waiting.pop_first() {
            let Some(handled) = self.handled.get(&own).cloned() else { continue };
            for (key, in_loop) in &leads[&own] {
                let news = self.handled.entry(key.clone()).or_default().add(&handled, *in_loop);
                if news && leads.contains_key(key) {
                    waiting.insert(key.clone());
                }
            }
        }
    }
}

/// Scalars that a procedure sets to elements.
fn loaded(at: &Keyed<'_>) -> HashSet<Name> {
    let (mut names, mut bound) = (HashSet::new(), Vec::new());
    let mut set = |target: &Expression, value: &Expression| {
        if let (Kind::Name(name), true) = (&target.kind, at.is_element(value)) {
            names.insert(name.clone());
        }
    };
    for statement in &at.view.procedure().body {
        statement.each(&mut |s| match &s.kind {
            StatementKind::Assign { target, value, operation: None } => set(target, value),
            StatementKind::Declare(all) => {
                for declaration in all {
                    if let Some(value) = &declaration.value {
                        let name = Kind::Name(declaration.name.clone());
                        set(&Expression { span: declaration.span, kind: name }, value);
                    }
                }
            }
            // `auto &[x, y] = p;`: parts of an object.
            StatementKind::Unknown(parts) => {
                let source = at.view.project().source(s.span.file);
                let text = source.and_then(|source| source.text.get(s.span.range())).unwrap_or("");
                if text.trim_start_matches(['&', ' ']).starts_with('[') {
                    bound.extend(parts.iter().cloned());
                }
            }
            _ => {}
        });
    }
    names.extend(bound);
    names
}

struct Reader<'u, 'p> {
    uses: &'u mut Uses,
    at: Keyed<'p>,
    /// Scalars that are set to elements.
    holds: HashSet<Name>,
    known: &'u Explaining,
}

impl Reader<'_, '_> {
    fn all(&mut self, body: &[Statement], in_loop: bool) {
        for (number, statement) in body.iter().enumerate() {
            self.constructed(statement, body.get(number + 1));
            let turns =
                matches!(statement.kind, StatementKind::Loop(_) | StatementKind::While { .. });
            if let StatementKind::Assign { target, operation, value } = &statement.kind {
                self.assigned(target, operation.is_some(), value, statement.span, in_loop);
            }
            if let StatementKind::Return(Some(value)) = &statement.kind {
                self.loaded(value);
            }
            if let StatementKind::Unknown(names) = &statement.kind {
                // A statement that is not understood may copy either way.
                let keys: Vec<Key> =
                    names.iter().filter_map(|name| self.at.variable(name)).collect();
                for key in keys {
                    self.filled(&key, statement.span, true);
                    self.emptied(&key, statement.span, true);
                }
            }
            for expression in statement.expressions() {
                expression.each(&mut |e| match &e.kind {
                    Kind::Assign { target, operation, value } => {
                        self.assigned(target, operation.is_some(), value, e.span, in_loop);
                    }
                    Kind::Call { function, arguments } => {
                        self.called(function, arguments, e.span, in_loop);
                    }
                    _ => {}
                });
            }
            for inner in statement.bodies() {
                self.all(inner, in_loop || turns);
            }
        }
    }

    /// `std::vector<double> b(first, last);`: what a container is made with stands behind it.
    fn constructed(&mut self, statement: &Statement, next: Option<&Statement>) {
        let StatementKind::Declare(all) = &statement.kind else { return };
        let next = next.filter(|next| next.span == statement.span).map(|next| &next.kind);
        let (Some(declared), Some(StatementKind::Evaluate(value))) = (all.first(), next) else {
            return;
        };
        if let Kind::Call { arguments, .. } = &value.kind
            && let [first, _] = arguments.as_slice()
            && self.at.given(first).is_some()
            && let Some(key) = self.at.variable(&declared.name)
        {
            self.filled(&key, statement.span, true);
        }
    }

    fn assigned(
        &mut self,
        target: &Expression,
        adds: bool,
        value: &Expression,
        span: Span,
        in_loop: bool,
    ) {
        self.captured(value, true);
        // `EACH(i, n) b[i] = a[i];`, of which only the value may be understood.
        if let Kind::Unknown(names) = &target.kind
            && self.at.is_element(value)
        {
            let keys: Vec<Key> = names.iter().filter_map(|name| self.at.variable(name)).collect();
            keys.iter().for_each(|key| self.filled(key, span, in_loop));
        }
        let into = self.at.is_target(target).then(|| self.at.place(target)).flatten();
        self.loaded(value);
        into.iter().for_each(|key| self.uses.note(key, |h| h.is_stored = true));
        let many = in_loop || self.at.is_array(target);
        if self.at.is_element(value) {
            let Some(from) = self.at.place(value) else { return };
            match into {
                // Added up in one variable: computed with.
                _ if adds && in_loop && !self.at.is_element(target) => {
                    self.uses.note(&from, |h| h.is_operand = true);
                }
                None => self.emptied(&from, span, in_loop),
                Some(into) => {
                    self.emptied(&from, span, many);
                    self.filled(&into, span, many);
                    if adds && many {
                        self.uses.note(&into, |h| h.is_result = true);
                    }
                }
            }
            return;
        }
        let is_loaded = |name: &Name| {
            let argument = self.at.view.procedure().parameters.contains(name);
            let number = |name: &Name| {
                self.at
                    .view
                    .variable(name)
                    .is_some_and(|d| matches!(self.at.view.resolve(&d.of), Type::Basic(..)))
            };
            self.holds.contains(name) || (argument && number(name))
        };
        match (&value.kind, &into) {
            (Kind::Name(name), Some(into)) if is_loaded(name) => {
                return self.filled(&into.clone(), span, many);
            }
            _ => {}
        }
        // What is done to single elements makes no array of a buffer.
        if !many {
            return;
        }
        let mut operands = Vec::new();
        let computes = self.operands(value, &mut operands);
        for key in operands {
            self.uses.note(&key, |h| h.is_operand = true);
        }
        if let Some(into) = into.filter(|_| computes) {
            self.uses.note(&into, |h| h.is_result = true);
        }
    }

    /// A lambda is not read, but what it fills is: where it is an argument, with copies only,
    /// since loops of many libraries are lambdas that compute.
    fn captured(&mut self, value: &Expression, is_all: bool) {
        let Kind::Unknown(names) = &value.kind else { return };
        let source = self.at.view.project().source(value.span.file);
        let text = source.and_then(|source| source.text.get(value.span.range())).unwrap_or("");
        if !text.starts_with('[') {
            return;
        }
        for name in names.iter().filter(|name| is_filled_in(text, name, is_all)) {
            if let Some(key) = self.at.variable(name) {
                self.filled(&key, value.span, true);
            }
        }
    }

    fn loaded(&mut self, value: &Expression) {
        let mut loads = Vec::new();
        self.operands(value, &mut loads);
        loads.iter().for_each(|key| self.uses.note(key, |h| h.is_loaded = true));
    }

    /// Whether a value is computed of elements, or by a procedure; and the memory of the elements.
    fn operands(&self, value: &Expression, found: &mut Vec<Key>) -> bool {
        // An address is no value of what stands there.
        if matches!(value.kind, Kind::Unary(Unary::Address, _)) {
            return false;
        }
        let is_operand = self.at.is_element(value);
        found.extend(is_operand.then(|| self.at.place(value)).flatten());
        let mut computes = is_operand || matches!(value.kind, Kind::Call { .. });
        for part in value.parts() {
            computes |= self.operands(part, found);
        }
        computes
    }

    fn called(
        &mut self,
        function: &Expression,
        arguments: &[Expression],
        span: Span,
        in_loop: bool,
    ) {
        if let Kind::Member { base, field } = &function.kind
            && matches!(field.as_str(), "push_back" | "emplace_back")
            && arguments.first().is_some_and(|a| {
                let holds = matches!(&a.kind, Kind::Name(name) if self.holds.contains(name));
                holds || self.at.is_element(a)
            })
            && let Some(key) = self.at.place(base)
        {
            self.filled(&key, span, in_loop);
        }
        if let Some(Filling { into, from, computes }) = filling(&self.at, function, arguments) {
            let place = |of: Option<&Expression>| of.and_then(|of| self.at.place(of));
            let (into, from) = (place(into), place(from));
            if let Some(key) = &into {
                self.filled(key, span, true);
                self.uses.note(key, |h| h.is_made |= computes);
            }
            if let Some(key) = &from {
                self.emptied(key, span, true);
                self.uses.note(key, |h| h.is_operand |= computes);
            }
            return;
        }
        arguments.iter().for_each(|argument| self.captured(argument, false));
        let arguments: Vec<_> = arguments.iter().map(|a| self.at.given(a)).collect();
        for callee in self.uses.meant.by(self.at.view.project(), function, arguments.len()) {
            let arguments = arguments.clone();
            self.uses.calls.push(Called { from: self.at.id, callee, arguments, in_loop });
        }
    }

    fn filled(&mut self, key: &Key, span: Span, many: bool) {
        let id = self.at.id;
        if !self.known.has(Direction::Unpack, span) {
            self.uses.note(key, |h| {
                h.filled.note(id, span, many);
            });
        }
    }

    fn emptied(&mut self, key: &Key, span: Span, many: bool) {
        let id = self.at.id;
        if !self.known.has(Direction::Pack, span) {
            self.uses.note(key, |h| {
                h.emptied.note(id, span, many);
            });
        }
    }
}
