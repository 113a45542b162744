//! From a datatype to the operations that make it.

use std::collections::BTreeMap;

use commloom_copies::ir::{Datatype, Member, Node};
use commloom_source::affine::{Atom, Counter, Layout, Operator, Place, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree::Name;

use super::model::EmitError;
use super::names::Names;
use super::operation::{
    Argument, Arrays, Kind, Length, Old, Operation, Program, Round, StructMember, Variable,
};

/// Entries of an array of the program, and what is taken from each.
struct List {
    place: Place,
    shift: Polynomial,
}

/// The result for a node.
enum Made {
    /// So many adjacent elements: no type is needed.
    Elements(Polynomial),
    /// A type in a variable.
    Type(String),
}

/// The operations for a datatype.
pub(super) fn lower(
    datatype: &Datatype,
    symbols: &dyn Symbols,
    names: &mut Names,
) -> Result<Program, EmitError> {
    let mut lowering = Lowering {
        symbols,
        names,
        element: i64::try_from(datatype.element).map_err(|_| EmitError::Lost)?,
        variables: Vec::new(),
        measures: Vec::new(),
        strides: BTreeMap::new(),
        offsets: BTreeMap::new(),
        addresses: BTreeMap::new(),
    };
    let mut operations = Vec::new();
    let made = lowering.make(&datatype.node, &mut operations)?;
    let (count, of) = match made {
        Made::Elements(count) if datatype.at.is_some() => (count, Old::Element),
        made => {
            let name = lowering.typed(made, &mut operations);
            (Polynomial::constant(1), Old::Made(name))
        }
    };
    let place = datatype.at.as_ref().map(|address| {
        let place = at_turn_zero(&address.place);
        if symbols.language().is_fortran() { within_bounds(&place, &datatype.node) } else { place }
    });
    let mut all = lowering.measures;
    all.append(&mut operations);
    Ok(Program {
        variables: lowering.variables,
        operations: all,
        argument: Argument { place, count, of },
        strides: lowering.strides.into_iter().collect(),
        offsets: lowering.offsets.into_iter().collect(),
        addresses: lowering.addresses.into_iter().collect(),
    })
}

/// The place of the first turn of all loops.
fn at_turn_zero(place: &Place) -> Place {
    place.map(&mut |atom| matches!(atom, Atom::Counter(_)).then(Polynomial::zero))
}

/// Loops that go down begin at a subscript that grows with their turns: where they take none, it
/// would lie before the array, which compilers of Fortran can check. So many turns as one, at
/// least, are taken for the place alone.
fn within_bounds(place: &Place, node: &Node) -> Place {
    let (count, stride, child) = match node {
        Node::Vector { count, stride, .. } => (count, stride, None),
        Node::Hvector { count, stride, child } => (count, stride, Some(child)),
        Node::Resized { child, .. } => return within_bounds(place, child),
        _ => return place.clone(),
    };
    let place = child.map_or_else(|| place.clone(), |child| within_bounds(place, child));
    if !stride.looks_negative() {
        return place;
    }
    let mut single = None;
    for (atoms, factor) in count.terms() {
        match (atoms, factor) {
            ([], _) => {}
            ([atom], 1) if single.is_none() => single = Some(atom),
            _ => return place,
        }
    }
    let Some(atom) = single else { return place };
    let Some((_, rest)) = count.linear_in(atom) else { return place };
    let least = Polynomial::constant(1).minus(&rest);
    let atom = atom.clone();
    place.map(&mut |other| {
        let value = || {
            Polynomial::apply(Operator::Max, vec![least.clone(), Polynomial::atom(atom.clone())])
        };
        (*other == atom).then(value)
    })
}

pub(super) struct Lowering<'a> {
    pub symbols: &'a dyn Symbols,
    pub names: &'a mut Names,
    /// Bytes of an element.
    pub element: i64,
    pub variables: Vec<Variable>,
    /// The measurements before all else.
    pub measures: Vec<Operation>,
    pub strides: BTreeMap<(Name, u32), String>,
    pub offsets: BTreeMap<Layout, String>,
    pub addresses: BTreeMap<Place, String>,
}

impl Lowering<'_> {
    pub(super) fn variable(&mut self, stem: &str, kind: Kind) -> String {
        let name = self.names.fresh(stem);
        self.variables.push(Variable { name: name.clone(), kind });
        name
    }

    /// A type for what was made.
    fn typed(&mut self, made: Made, out: &mut Vec<Operation>) -> String {
        match made {
            Made::Type(name) => name,
            Made::Elements(count) => {
                let new = self.variable("block_type", Kind::Type);
                out.push(Operation::Contiguous { count, old: Old::Element, new: new.clone() });
                new
            }
        }
    }

    fn parts(made: Made) -> (Polynomial, Old) {
        match made {
            Made::Elements(count) => (count, Old::Element),
            Made::Type(name) => (Polynomial::constant(1), Old::Made(name)),
        }
    }

    /// A type that is part of another is not needed after that.
    fn free(old: &Old, out: &mut Vec<Operation>) {
        if let Old::Made(name) = old {
            out.push(Operation::Free(name.clone()));
        }
    }

    fn make(&mut self, node: &Node, out: &mut Vec<Operation>) -> Result<Made, EmitError> {
        match node {
            Node::Contiguous { count } => {
                self.measure(count)?;
                Ok(Made::Elements(count.clone()))
            }
            Node::Vector { count, block, stride } => {
                for number in [count, block, stride] {
                    self.measure(number)?;
                }
                let new = self.variable("vector_type", Kind::Type);
                let [count, block, stride] = [count, block, stride].map(Polynomial::clone);
                let (old, made) = (Old::Element, new.clone());
                out.push(Operation::Vector { count, block, stride, old, new: made });
                Ok(Made::Type(new))
            }
            Node::Hvector { count, stride, child } => {
                self.measure(count)?;
                self.measure(stride)?;
                let (block, old) = Self::parts(self.make(child, out)?);
                let new = self.variable("hvector_type", Kind::Type);
                let [count, stride] = [count, stride].map(Polynomial::clone);
                let (child, made) = (old.clone(), new.clone());
                out.push(Operation::Hvector { count, block, stride, old: child, new: made });
                Self::free(&old, out);
                Ok(Made::Type(new))
            }
            Node::Listed { count, block, list, entry, scale, shift } => {
                for number in [count, block, scale, shift] {
                    self.measure(number)?;
                }
                if *entry != 4 {
                    return Err(EmitError::WideList { bytes: *entry });
                }
                let list = List { place: at_turn_zero(list), shift: shift.clone() };
                self.listed(count, block, list, scale, out)
            }
            Node::Hindexed { displacements, child } => self.hindexed(displacements, child, out),
            Node::Resized { extent, child } => self.resized(extent, child, out),
            Node::Struct(members) if members.is_empty() => Ok(Made::Elements(Polynomial::zero())),
            Node::Struct(members) => match members.as_slice() {
                // Loops at a distance: each entry has it.
                [Member { displacement, node: node @ Node::Each { .. } }]
                    if let Some(nest) = flat(node) =>
                {
                    self.nest(nest.moved(displacement), out)
                }
                _ => self.structure(members, out),
            },
            Node::Each { counter, count, displacement, child } => match flat(node) {
                Some(nest) => self.nest(nest, out),
                None => self.each((*counter, count), displacement, child, out),
            },
            Node::Guard { condition, then, otherwise } => {
                let mut yes = Vec::new();
                let mut no = Vec::new();
                let first = self.make(then, &mut yes)?;
                let second = self.make(otherwise, &mut no)?;
                let new = self.variable("guarded_type", Kind::Type);
                for (made, branch) in [(first, &mut yes), (second, &mut no)] {
                    // One type more, so that both branches leave the same variable to be freed.
                    let (count, old) = Self::parts(made);
                    let one_more =
                        Operation::Contiguous { count, old: old.clone(), new: new.clone() };
                    branch.push(one_more);
                    Self::free(&old, branch);
                }
                out.push(Operation::If { condition: condition.clone(), then: yes, otherwise: no });
                Ok(Made::Type(new))
            }
        }
    }

    /// One type at several displacements.
    fn hindexed(
        &mut self,
        displacements: &[Polynomial],
        child: &Node,
        out: &mut Vec<Operation>,
    ) -> Result<Made, EmitError> {
        for displacement in displacements {
            self.measure(displacement)?;
        }
        let (block, old) = Self::parts(self.make(child, out)?);
        let length = Length::Known(displacements.len());
        let array = self.variable("displacements", Kind::Addresses(length));
        let new = self.variable("indexed_type", Kind::Type);
        // The constructor for equal blocks takes types with blocks of one.
        out.push(Operation::HindexedBlock {
            displacements: displacements.to_vec(),
            block,
            old: old.clone(),
            array,
            new: new.clone(),
        });
        Self::free(&old, out);
        Ok(Made::Type(new))
    }

    /// A type of another extent.
    fn resized(
        &mut self,
        extent: &Polynomial,
        child: &Node,
        out: &mut Vec<Operation>,
    ) -> Result<Made, EmitError> {
        self.measure(extent)?;
        let made = self.make(child, out)?;
        let old = Old::Made(self.typed(made, out));
        let new = self.variable("resized_type", Kind::Type);
        let (extent, child) = (extent.clone(), old.clone());
        out.push(Operation::Resized { extent, old: child, new: new.clone() });
        Self::free(&old, out);
        Ok(Made::Type(new))
    }

    /// A type for each turn of a loop whose turns differ in more than a place.
    fn each(
        &mut self,
        (counter, count): (Counter, &Polynomial),
        displacement: &Polynomial,
        child: &Node,
        out: &mut Vec<Operation>,
    ) -> Result<Made, EmitError> {
        self.measure(count)?;
        self.measure(displacement)?;
        let mut body = Vec::new();
        let (block, old) = Self::parts(self.make(child, &mut body)?);
        let index = self.variable("turn", Kind::Integer);
        let arrays = self.arrays(Length::Open, true);
        let new = self.variable("struct_type", Kind::Type);
        let member = StructMember { block, displacement: displacement.clone(), old };
        out.push(Operation::Each {
            rounds: vec![Round { counter, index, count: count.clone() }],
            entry: None,
            body,
            members: vec![member],
            arrays,
            new: new.clone(),
        });
        Ok(Made::Type(new))
    }

    /// Places from an array of the program, which must be an array of `int` or `integer(4)`.
    fn listed(
        &mut self,
        count: &Polynomial,
        block: &Polynomial,
        list: List,
        scale: &Polynomial,
        out: &mut Vec<Operation>,
    ) -> Result<Made, EmitError> {
        let List { place: list, shift } = list;
        let new = self.variable("indexed_type", Kind::Type);
        if scale.as_constant() == Some(self.element) {
            out.push(Operation::IndexedBlock {
                count: count.clone(),
                block: block.clone(),
                list,
                shift,
                old: Old::Element,
                new: new.clone(),
            });
            return Ok(Made::Type(new));
        }
        // Entries count in units of `scale`: blocks as wide as that.
        let piece = self.variable("block_type", Kind::Type);
        let wide = self.variable("wide_type", Kind::Type);
        out.push(Operation::Contiguous {
            count: block.clone(),
            old: Old::Element,
            new: piece.clone(),
        });
        out.push(Operation::Resized {
            extent: scale.clone(),
            old: Old::Made(piece.clone()),
            new: wide.clone(),
        });
        out.push(Operation::Free(piece));
        out.push(Operation::IndexedBlock {
            count: count.clone(),
            block: Polynomial::constant(1),
            list,
            shift,
            old: Old::Made(wide.clone()),
            new: new.clone(),
        });
        out.push(Operation::Free(wide));
        Ok(Made::Type(new))
    }

    fn structure(
        &mut self,
        members: &[Member],
        out: &mut Vec<Operation>,
    ) -> Result<Made, EmitError> {
        let members = members.iter().map(|m| (m.displacement.clone(), &m.node)).collect();
        let made = self.made(members, out)?;
        let with_types = made.iter().any(|m| m.old != Old::Element);
        let arrays = self.arrays(Length::Known(made.len()), with_types);
        let new = self.variable(stem(with_types), Kind::Type);
        let freed: Vec<Old> = made.iter().map(|m| m.old.clone()).collect();
        out.push(Operation::Struct { members: made, arrays, new: new.clone() });
        freed.iter().for_each(|old| Self::free(old, out));
        Ok(Made::Type(new))
    }

    /// Members of a struct, with what is at them.
    fn made(
        &mut self,
        members: Vec<(Polynomial, &Node)>,
        out: &mut Vec<Operation>,
    ) -> Result<Vec<StructMember>, EmitError> {
        let mut made = Vec::with_capacity(members.len());
        for (displacement, node) in members {
            self.measure(&displacement)?;
            let (block, old) = Self::parts(self.make(node, out)?);
            made.push(StructMember { block, displacement, old });
        }
        Ok(made)
    }

    /// A struct of members whose types are made before the loops that place them.
    fn nest(&mut self, nest: Nest<'_>, out: &mut Vec<Operation>) -> Result<Made, EmitError> {
        for (_, count) in &nest.loops {
            self.measure(count)?;
        }
        let members = self.made(nest.members, out)?;
        let mut rounds = Vec::with_capacity(nest.loops.len());
        for (counter, count) in nest.loops {
            let index = self.variable("turn", Kind::Integer);
            rounds.push(Round { counter, index, count: count.clone() });
        }
        let several = rounds.len() > 1 || members.len() > 1;
        let entry = several.then(|| self.variable("entry", Kind::Integer));
        let with_types = members.iter().any(|m| m.old != Old::Element);
        let arrays = self.arrays(Length::Open, with_types);
        let new = self.variable(stem(with_types), Kind::Type);
        let freed: Vec<Old> = members.iter().map(|m| m.old.clone()).collect();
        let body = Vec::new();
        out.push(Operation::Each { rounds, entry, body, members, arrays, new: new.clone() });
        freed.iter().for_each(|old| Self::free(old, out));
        Ok(Made::Type(new))
    }

    fn arrays(&mut self, length: Length, with_types: bool) -> Arrays {
        Arrays {
            blocks: self.variable("blocks", Kind::Integers(length)),
            displacements: self.variable("displacements", Kind::Addresses(length)),
            types: with_types.then(|| self.variable("types", Kind::Types(length))),
        }
    }
}

/// Loops around each other, and what each turn of all of them adds.
struct Nest<'n> {
    loops: Vec<(Counter, &'n Polynomial)>,
    members: Vec<(Polynomial, &'n Node)>,
}

impl Nest<'_> {
    fn moved(mut self, by: &Polynomial) -> Self {
        for (displacement, _) in &mut self.members {
            *displacement = displacement.plus(by);
        }
        self
    }
}

/// The loops of a node whose types are the same in all turns; blocks of elements need no types.
fn flat(node: &Node) -> Option<Nest<'_>> {
    let mut loops: Vec<(Counter, &Polynomial)> = Vec::new();
    let mut origin = Polynomial::zero();
    let mut inner = node;
    while let Node::Each { counter, count, displacement, child } = inner {
        if loops.iter().any(|(outer, _)| count.mentions(&Atom::Counter(*outer))) {
            return None;
        }
        loops.push((*counter, count));
        origin = origin.plus(displacement);
        inner = child;
    }
    let members: Vec<(Polynomial, &Node)> = match inner {
        Node::Struct(members) if !members.is_empty() => {
            members.iter().map(|m| (origin.plus(&m.displacement), &m.node)).collect()
        }
        other => vec![(origin, other)],
    };
    let turns = |node: &Node| {
        node.any(&mut |atom| loops.iter().any(|(counter, _)| *atom == Atom::Counter(*counter)))
    };
    let is_same = |node: &Node| {
        matches!(node, Node::Contiguous { .. }) || !(turns(node) || node.has_guards())
    };
    members.iter().all(|(_, node)| is_same(node)).then_some(Nest { loops, members })
}

fn stem(with_types: bool) -> &'static str {
    if with_types { "struct_type" } else { "indexed_type" }
}
