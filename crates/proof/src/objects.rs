//! Whether objects of a class are read as a whole, by no member's name: where one becomes bytes,
//! is bound to several names at once, compared, or given to somebody whose text does not say that
//! it is an object of this class. As long as it stays one (as a copy, by reference, in a function
//! that takes it as such), reads of its members are found by their names.

use std::collections::BTreeSet;

use commloom_program::{Project, View, type_of};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Declaration, Expression, ExpressionKind as Kind, Name, Record, Statement,
    StatementKind, Type, Unary, Unit,
};
use commloom_source::{Language, Span};

/// The last part of a name in namespaces and classes.
fn last(name: &str) -> &str {
    name.rsplit_once("::").map_or(name, |(_, last)| last)
}

fn has_word(text: &str, classes: &BTreeSet<Name>) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| classes.contains(word))
}

/// Methods of containers and of pointers of C++'s library that give what is in them.
const GIVES: [&str; 9] =
    ["get", "data", "front", "back", "at", "begin", "end", "value", "operator*"];

/// A class, and all classes whose objects have one of it in them, or are one.
pub(super) struct Classes {
    names: BTreeSet<Name>,
    member: Name,
    /// Whether the classes themselves let the member be read by another name.
    is_shown: bool,
}

impl Classes {
    /// Those of a member by its name in the whole program; none where it belongs to no class.
    pub fn of(project: &Project, member: &str) -> Option<Classes> {
        let (class, member) = member.rsplit_once("::")?;
        let class = last(class);
        let records: Vec<&Record> = project.units().iter().flat_map(records).collect();
        if !records.iter().any(|record| last(&record.name) == class) {
            return None;
        }
        let mut names = BTreeSet::from([class.to_owned()]);
        loop {
            let before = names.len();
            for record in &records {
                let holds = record.bases.iter().any(|base| has_word(base, &names))
                    || record.fields.iter().any(|field| is_in(&field.of, &names));
                if holds {
                    names.insert(last(&record.name).to_owned());
                }
            }
            if names.len() == before {
                let all = || records.iter().filter(|record| names.contains(last(&record.name)));
                // `union { W w; double d[9]; }`, `double *view = b;`
                let is_shown = all().any(|record| {
                    record.is_union || record.mentioned.iter().any(|name| name == member)
                });
                return Some(Classes { names, member: member.to_owned(), is_shown });
            }
        }
    }

    /// Whether the member may be read by another name in any object.
    pub fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// The first place in a procedure where an object is read as a whole.
    pub fn read_whole(&self, view: &View<'_>) -> Option<Span> {
        if view.language() != Language::Cpp {
            return None;
        }
        let mut reader = Reader { view, classes: self, objects: BTreeSet::new(), found: None };
        let class = view.procedure().module.as_deref().map(last);
        if class.is_some_and(|class| self.names.contains(class)) {
            reader.objects.insert("this".to_owned());
        }
        // What `auto` declares is told by its value, perhaps in an earlier turn of a loop.
        for _ in 0..2 {
            reader.found = None;
            for statement in &view.procedure().body {
                statement.each(&mut |s| reader.statement(s));
            }
        }
        reader.found
    }

    /// The same of variables outside of all procedures: their first values.
    pub fn read_outside(&self, unit: &Unit) -> Option<Span> {
        let mut all = unit.modules.iter().map(|(_, scope)| scope).chain([&unit.scope]);
        all.find_map(|scope| {
            let variables = || scope.variables.iter();
            let objects: BTreeSet<&Name> =
                variables().filter(|v| self.has(&v.of)).map(|v| &v.name).collect();
            let shows = |of: &Declaration| {
                let value = of.value.as_ref().filter(|_| !self.has(&of.of))?;
                let is_shown = objects.iter().any(|object| value.mentions(object));
                (is_shown || self.points(value)).then_some(value.span)
            };
            variables().find_map(shows)
        })
    }

    /// Whether a type is that of such an object, or leads to one.
    fn has(&self, of: &Type) -> bool {
        match of {
            Type::Named(name) | Type::Record(name) => has_word(name, &self.names),
            Type::Pointer(inner) | Type::Reference(inner) | Type::Array(inner, _) => {
                self.has(inner)
            }
            _ => false,
        }
    }

    /// Whether an expression has a pointer to the member, of whatever object.
    fn points(&self, value: &Expression) -> bool {
        let mut points = false;
        value.each(&mut |e| {
            points |= match &e.kind {
                Kind::Name(name) => name.contains("::") && last(name) == self.member,
                Kind::OffsetOf(of, field) => *field == self.member && self.has(of),
                Kind::Unknown(names) => names.contains(&self.member),
                _ => false,
            };
        });
        points
    }
}

fn records(unit: &Unit) -> impl Iterator<Item = &Record> {
    let modules = unit.modules.iter().map(|(_, scope)| scope);
    let procedures = unit.procedures.iter().map(|procedure| &procedure.scope);
    [&unit.scope].into_iter().chain(modules).chain(procedures).flat_map(|scope| &scope.records)
}

/// Whether what has this type has such an object in it, and not only an address of one.
fn is_in(of: &Type, classes: &BTreeSet<Name>) -> bool {
    match of {
        Type::Named(name) => !name.contains("_ptr<") && has_word(name, classes),
        Type::Record(name) => has_word(name, classes),
        Type::Array(inner, _) => is_in(inner, classes),
        _ => false,
    }
}

struct Reader<'r, 'p> {
    view: &'r View<'p>,
    classes: &'r Classes,
    /// Variables without a type of their own that are such objects, or lead to them.
    objects: BTreeSet<Name>,
    found: Option<Span>,
}

impl Reader<'_, '_> {
    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Declare(all) => {
                for declaration in all {
                    if let Some(value) = &declaration.value {
                        self.set(&declaration.name, value);
                    }
                }
            }
            StatementKind::Assign { target, value, .. } => self.assigned(target, value),
            StatementKind::Evaluate(value) => self.place(value),
            StatementKind::Return(Some(value)) => {
                let result = &self.view.procedure().result;
                if result.as_ref().is_some_and(|of| self.has(of)) {
                    self.place(value);
                } else {
                    self.value(value);
                }
            }
            StatementKind::While { condition: Some(condition), body }
                if is_range(condition, body) =>
            {
                self.turns(condition, body);
            }
            StatementKind::Unknown(names) => self.unknown(names, statement.span),
            _ => statement.expressions().into_iter().for_each(|e| self.compared(e)),
        }
    }

    /// `for (auto &one : all)`
    fn turns(&mut self, all: &Expression, body: &[Statement]) {
        let Kind::Unknown(names) = &all.kind else { return };
        if names.iter().any(|name| self.is_object(name))
            && let Some(StatementKind::Assign { target, .. }) = body.first().map(|s| &s.kind)
        {
            self.objects.extend(target.root().cloned());
        }
    }

    fn see(&mut self, span: Span) {
        self.found = self.found.or(Some(span));
    }

    fn has(&self, of: &Type) -> bool {
        self.classes.has(of) || self.classes.has(&self.view.resolve(of))
    }

    fn is_object(&self, name: &str) -> bool {
        self.objects.contains(name) || self.view.variable(name).is_some_and(|d| self.has(&d.of))
    }

    /// Whether a value is such an object, or leads to one.
    fn gives(&self, value: &Expression) -> bool {
        match &value.kind {
            Kind::Name(name) => self.is_object(name),
            Kind::Element { base, .. } => self.gives(base) && !self.is_other(value),
            Kind::Unary(Unary::Address | Unary::Dereference, inner) => self.gives(inner),
            Kind::Cast(of, _) => self.has(of),
            Kind::Choice { yes, no, .. } => self.gives(yes) || self.gives(no),
            Kind::Member { .. } => type_of(self.view, value).is_some_and(|of| self.has(&of)),
            Kind::Call { function, .. } => self.returns(function),
            _ => false,
        }
    }

    /// Whether the type of a part is known, and none of these.
    fn is_other(&self, value: &Expression) -> bool {
        type_of(self.view, value).is_some_and(|of| !matches!(of, Type::Unknown) && !self.has(&of))
    }

    fn returns(&self, function: &Expression) -> bool {
        let name = match &function.kind {
            Kind::Member { base, field } if GIVES.contains(&field.as_str()) => {
                return self.gives(base);
            }
            Kind::Member { field: name, .. } | Kind::Name(name) => name,
            _ => return false,
        };
        let project = self.view.project();
        // A constructor, or a function of C++'s library that makes one.
        has_word(name, &self.classes.names)
            || project.procedures().any(|id| {
                let procedure = project.procedure(id);
                last(&procedure.name) == last(name)
                    && procedure.result.as_ref().is_some_and(|of| self.has(of))
            })
    }

    fn set(&mut self, name: &Name, value: &Expression) {
        let of = self.view.variable(name).map(|d| self.view.resolve(&d.of));
        let is_open = of.as_ref().is_none_or(is_open);
        if self.is_object(name) {
            self.place(value);
        } else if is_open && self.gives(value) {
            self.objects.insert(name.clone());
            self.place(value);
        } else {
            self.value(value);
        }
    }

    fn assigned(&mut self, target: &Expression, value: &Expression) {
        match &target.kind {
            Kind::Name(name) => self.set(name, value),
            _ => {
                self.place(target);
                if self.gives(target) { self.place(value) } else { self.value(value) }
            }
        }
    }

    fn unknown(&mut self, names: &[Name], span: Span) {
        let is_one = |name: &Name| {
            let function = Expression { span, kind: Kind::Name(name.clone()) };
            name != "this"
                && (self.is_object(name)
                    || self.view.variable(name).is_none()
                        && self.view.project().has_body(name)
                        && self.returns(&function))
        };
        if names.iter().any(is_one) {
            self.see(span);
        }
    }

    /// A condition, where pointers are compared.
    fn compared(&mut self, e: &Expression) {
        match &e.kind {
            Kind::Binary(operation, left, right) if is_comparison(*operation) => {
                self.compared(left);
                self.compared(right);
            }
            Kind::Unary(Unary::Not, inner) => self.compared(inner),
            _ if type_of(self.view, e).is_some_and(|of| matches!(of, Type::Pointer(_))) => {
                self.place(e);
            }
            Kind::Unary(Unary::Address, inner) => self.place(inner),
            Kind::Name(name) if name == "this" => {}
            _ => self.value(e),
        }
    }

    /// The object that a part is taken of, or that stays one.
    fn place(&mut self, e: &Expression) {
        match &e.kind {
            Kind::Name(_) => {}
            Kind::Element { base, .. } => {
                self.place(base);
                e.parts().into_iter().skip(1).for_each(|part| self.value(part));
            }
            Kind::Member { base, .. } => self.place(base),
            Kind::Unary(Unary::Address | Unary::Dereference, inner) => self.place(inner),
            Kind::Step { target, .. } => self.place(target),
            // Memory that has been something else stays that, too.
            Kind::Cast(of, inner) if self.has(of) => match &inner.kind {
                Kind::Call { function, .. } if is_placement(function) => self.see(e.span),
                _ if self.is_memory(inner) => self.see(e.span),
                _ => self.place(inner),
            },
            Kind::Choice { condition, yes, no } => {
                self.compared(condition);
                self.place(yes);
                self.place(no);
            }
            Kind::Call { function, arguments } => self.call(function, arguments),
            _ => self.value(e),
        }
    }

    fn value(&mut self, e: &Expression) {
        match &e.kind {
            Kind::SizeOfValue(_) => {}
            Kind::Unknown(names) => self.unknown(names, e.span),
            Kind::Assign { target, value, .. } => self.assigned(target, value),
            Kind::Binary(operation, ..) if is_comparison(*operation) => self.compared(e),
            _ if self.classes.points(e) && e.parts().is_empty() => self.see(e.span),
            _ if self.gives(e) => self.see(e.span),
            Kind::Name(_) | Kind::Element { .. } | Kind::Member { .. } | Kind::Call { .. } => {
                self.place(e);
            }
            _ => e.parts().into_iter().for_each(|part| self.value(part)),
        }
    }

    fn call(&mut self, function: &Expression, arguments: &[Expression]) {
        if let Kind::Member { base, .. } = &function.kind {
            self.place(base);
        }
        let name = match &function.kind {
            Kind::Name(name) | Kind::Member { field: name, .. } => name.as_str(),
            _ => "",
        };
        let is_end = matches!(name, "delete" | "free") || name.starts_with('$');
        let is_copy = has_word(name, &self.classes.names);
        for (index, argument) in arguments.iter().enumerate() {
            let stays = is_end || is_copy && arguments.len() == 1 || self.takes(name, index);
            if stays { self.place(argument) } else { self.value(argument) }
        }
    }

    /// Whether a value leads to memory of numbers.
    fn is_memory(&self, value: &Expression) -> bool {
        match type_of(self.view, value) {
            Some(Type::Array(..)) => !self.gives(value),
            Some(Type::Pointer(inner)) => matches!(*inner, Type::Basic(..)),
            _ => false,
        }
    }

    /// Whether all procedures of a name take an object as an argument.
    fn takes(&self, name: &str, index: usize) -> bool {
        if self.view.variable(name).is_some() {
            return false;
        }
        let project = self.view.project();
        let mut all = project
            .procedures()
            .filter(|id| last(&project.procedure(*id).name) == last(name))
            .map(|id| {
                let other = project.view(id);
                let parameter = other.procedure().parameters.get(index)?;
                other.variable(parameter).map(|d| self.has(&d.of))
            })
            .peekable();
        all.peek().is_some() && all.all(|takes| takes == Some(true))
    }
}

/// Whether a declaration leaves the type to the value, at least behind the pointer.
fn is_open(of: &Type) -> bool {
    match of {
        Type::Unknown => true,
        Type::Pointer(inner) | Type::Reference(inner) => is_open(inner),
        _ => false,
    }
}

fn is_placement(function: &Expression) -> bool {
    matches!(&function.kind, Kind::Name(name) if name == "$placement")
}

fn is_range(condition: &Expression, body: &[Statement]) -> bool {
    let Some(StatementKind::Assign { target, value, .. }) = body.first().map(|s| &s.kind) else {
        return false;
    };
    matches!(condition.kind, Kind::Unknown(_))
        && matches!(target.kind, Kind::Name(_))
        && matches!(&value.kind, Kind::Unknown(names) if names.is_empty())
}

fn is_comparison(operation: Binary) -> bool {
    use Binary::{And, Equal, NotEqual, Or};
    matches!(operation, And | Equal | NotEqual | Or)
}
