//! Constructors that simplify: the specializations and compressions, each where its constructor is
//! made.

use commloom_source::affine::{Atom, Operator, Polynomial};

use super::passes::{Pass, Passes};
use super::{Member, Node};

/// Longest list of displacements that nested lists are merged into.
const MERGED: usize = 64;

/// A count that is not negative: itself if it is a number, else `max(0, n)`.
pub(super) fn clamped(count: &Polynomial) -> Polynomial {
    match count.as_constant() {
        Some(number) => Polynomial::constant(number.max(0)),
        None if count.terms().all(|(atoms, c)| c > 0 && atoms.iter().all(is_clamp)) => {
            count.clone()
        }
        None => Polynomial::apply(Operator::Max, vec![Polynomial::zero(), count.clone()]),
    }
}

fn is_clamp(atom: &Atom) -> bool {
    match atom {
        Atom::Apply(Operator::Max, operands) => operands.first().is_some_and(Polynomial::is_zero),
        _ => false,
    }
}

/// The count without its clamps. Where a clamp matters, what is counted is empty, and strides do
/// not.
fn raw(count: &Polynomial) -> Polynomial {
    count.map(&mut |atom| match atom {
        Atom::Apply(Operator::Max, operands) => match operands.as_slice() {
            [zero, inner] if zero.is_zero() => Some(raw(inner)),
            _ => None,
        },
        _ => None,
    })
}

/// The product of two counts: 0 if one of them means 0.
fn product(outer: &Polynomial, inner: &Polynomial) -> Polynomial {
    match (outer.as_constant(), inner.as_constant()) {
        (Some(number), _) => inner.times_constant(number.max(0)),
        (_, Some(number)) => outer.times_constant(number.max(0)),
        _ => clamped(outer).times(&clamped(inner)),
    }
}

/// The constructors, of elements of so many bytes.
pub(super) struct Build {
    pub element: u64,
    pub passes: Passes,
}

impl Build {
    /// `count` times `child`, `stride` bytes apart: hvector -> vector -> contiguous, and nests
    /// whose strides fit become one loop.
    pub fn repeated(&self, count: Polynomial, stride: Polynomial, child: Node) -> Node {
        if count.as_constant() == Some(1) && self.passes.take(Pass::SingleTurn) {
            return child;
        }
        match child {
            Node::Contiguous { count: block } => self.blocks(count, stride, block),
            Node::Vector { count: inner, block, stride: step }
                if stride == raw(&inner).times(&step).times(&Polynomial::size(self.element))
                    && self.passes.take(Pass::NestCollapse) =>
            {
                Node::Vector { count: product(&count, &inner), block, stride: step }
            }
            Node::Hvector { count: inner, stride: step, child }
                if stride == raw(&inner).times(&step) && self.passes.take(Pass::NestCollapse) =>
            {
                Node::Hvector { count: product(&count, &inner), stride: step, child }
            }
            child => Node::Hvector { count, stride, child: Box::new(child) },
        }
    }

    /// `count` blocks of elements, `stride` bytes apart.
    fn blocks(&self, count: Polynomial, stride: Polynomial, block: Polynomial) -> Node {
        let pass = match block.as_constant() {
            Some(1) => Pass::HvectorToVector,
            _ => Pass::BlockLength,
        };
        match stride.exact_quotient(&Polynomial::size(self.element)) {
            Some(stride) if self.passes.take(pass) => {
                if stride == raw(&block) && self.passes.take(Pass::VectorToContiguous) {
                    Node::Contiguous { count: product(&count, &block) }
                } else {
                    Node::Vector { count, block, stride }
                }
            }
            _ => {
                let child = Box::new(Node::Contiguous { count: block });
                Node::Hvector { count, stride, child }
            }
        }
    }

    /// Adjacent blocks become one. The first one's count must be a number: a negative one would
    /// move the second.
    pub fn push(&self, members: &mut Vec<Member>, member: Member) {
        if let (Some(last), Node::Contiguous { count: next }) = (members.last_mut(), &member.node)
            && let Node::Contiguous { count } = &mut last.node
            && count.as_constant().is_some_and(|number| number >= 0)
            && member.displacement
                == last.displacement.plus(&count.times(&Polynomial::size(self.element)))
            && self.passes.take(Pass::AdjacentBlocks)
        {
            let sum = if next.as_constant().is_some() {
                count.plus(next)
            } else {
                count.plus(&clamped(next))
            };
            *count = sum;
            return;
        }
        members.push(member);
    }

    /// Several members at absolute places: where the first one lies, and all of them from there:
    /// struct -> hindexed -> hvector.
    pub fn group(&self, mut members: Vec<Member>) -> (Polynomial, Node) {
        if members.len() == 1
            && let Some(Member { displacement, node }) = members.pop()
        {
            return (displacement, node);
        }
        let Some(first) = members.first() else {
            return (Polynomial::zero(), Node::Struct(Vec::new()));
        };
        let origin = first.displacement.clone();
        let child = first.node.clone();
        for member in &mut members {
            member.displacement = member.displacement.minus(&origin);
        }
        let alike = members.iter().all(|member| member.node == child);
        if !(alike && self.passes.take(Pass::StructToHindexed)) {
            return (origin, Node::Struct(self.flattened(members)));
        }
        let displacements: Vec<Polynomial> =
            members.into_iter().map(|member| member.displacement).collect();
        let stride = displacements[1].clone();
        let regular = displacements.windows(2).all(|pair| pair[1].minus(&pair[0]) == stride);
        match i64::try_from(displacements.len()) {
            Ok(count) if regular && self.passes.take(Pass::HindexedToHvector) => {
                (origin, self.repeated(Polynomial::constant(count), stride, child))
            }
            _ => (origin, self.listed(displacements, child)),
        }
    }

    /// Structs in a struct become its members.
    pub fn flattened(&self, members: Vec<Member>) -> Vec<Member> {
        let nested = members.iter().any(|member| matches!(member.node, Node::Struct(_)));
        if !(nested && self.passes.take(Pass::NestedStructs)) {
            return members;
        }
        members.into_iter().flat_map(|member| moved(member.displacement, member.node)).collect()
    }

    /// Lists in a list become one, as long as it is short.
    fn listed(&self, displacements: Vec<Polynomial>, child: Node) -> Node {
        match child {
            Node::Hindexed { displacements: inner, child }
                if inner.len().saturating_mul(displacements.len()) <= MERGED
                    && self.passes.take(Pass::NestedLists) =>
            {
                let all = displacements
                    .iter()
                    .flat_map(|outer| inner.iter().map(|d| outer.plus(d)))
                    .collect();
                Node::Hindexed { displacements: all, child }
            }
            child => Node::Hindexed { displacements, child: Box::new(child) },
        }
    }
}

/// A type at an absolute place: a list of such places, or a struct.
pub(super) fn absolute(place: Polynomial, node: Node) -> Node {
    match node {
        Node::Hindexed { displacements, child } => {
            let displacements = displacements.iter().map(|d| place.plus(d)).collect();
            Node::Hindexed { displacements, child }
        }
        // Two variables: their distance is none that a loop has.
        Node::Hvector { count, stride, child } if count.as_constant() == Some(2) => {
            let displacements = vec![place.clone(), place.plus(&stride)];
            Node::Hindexed { displacements, child }
        }
        node => Node::Struct(moved(place, node)),
    }
}

/// A type somewhere, as members of the one that it is in: those of a struct, or itself.
pub(super) fn moved(by: Polynomial, node: Node) -> Vec<Member> {
    match node {
        Node::Struct(inner) => inner
            .into_iter()
            .map(|m| Member { displacement: by.plus(&m.displacement), node: m.node })
            .collect(),
        node => vec![Member { displacement: by, node }],
    }
}

impl Node {
    /// With atoms replaced everywhere.
    #[must_use]
    pub fn map(&self, change: &mut dyn FnMut(&Atom) -> Option<Polynomial>) -> Node {
        match self {
            Node::Contiguous { count } => Node::Contiguous { count: count.map(change) },
            Node::Vector { count, block, stride } => Node::Vector {
                count: count.map(change),
                block: block.map(change),
                stride: stride.map(change),
            },
            Node::Hvector { count, stride, child } => Node::Hvector {
                count: count.map(change),
                stride: stride.map(change),
                child: Box::new(child.map(change)),
            },
            Node::Listed { count, block, list, entry, scale, shift } => Node::Listed {
                shift: shift.map(change),
                count: count.map(change),
                block: block.map(change),
                list: list.map(change),
                entry: *entry,
                scale: scale.map(change),
            },
            Node::Hindexed { displacements, child } => Node::Hindexed {
                displacements: displacements.iter().map(|d| d.map(change)).collect(),
                child: Box::new(child.map(change)),
            },
            Node::Resized { extent, child } => {
                Node::Resized { extent: extent.map(change), child: Box::new(child.map(change)) }
            }
            Node::Struct(members) => Node::Struct(
                members
                    .iter()
                    .map(|m| Member {
                        displacement: m.displacement.map(change),
                        node: m.node.map(change),
                    })
                    .collect(),
            ),
            Node::Each { counter, count, displacement, child } => Node::Each {
                counter: *counter,
                count: count.map(change),
                displacement: displacement.map(change),
                child: Box::new(child.map(change)),
            },
            Node::Guard { condition, then, otherwise } => Node::Guard {
                condition: condition.clone(),
                then: Box::new(then.map(change)),
                otherwise: Box::new(otherwise.map(change)),
            },
        }
    }

    /// Whether some atom in it, outside of conditions, is of a kind.
    pub fn any(&self, of_kind: &mut dyn FnMut(&Atom) -> bool) -> bool {
        let mut found = false;
        let _same = self.map(&mut |atom| {
            found |= atom.any(of_kind);
            None
        });
        found
    }

    /// Whether a condition decides about a part of it.
    pub fn has_guards(&self) -> bool {
        match self {
            Node::Guard { .. } => true,
            Node::Hvector { child, .. }
            | Node::Hindexed { child, .. }
            | Node::Resized { child, .. }
            | Node::Each { child, .. } => child.has_guards(),
            Node::Struct(members) => members.iter().any(|member| member.node.has_guards()),
            Node::Contiguous { .. } | Node::Vector { .. } | Node::Listed { .. } => false,
        }
    }
}
