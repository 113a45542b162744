//! From an expanded procedure back to the texts: places by the table of spans, names by what the
//! procedure at the call can see.

use std::collections::BTreeSet;

use commloom_copies::ir::{Datatype, Member, Node};
use commloom_copies::{Address, Doubt, Doubts};
use commloom_program::Project;
use commloom_program::fact::{Fact, FactScope, Premise, unmarked};
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::affine::{Atom, Layout, Place, Polynomial, Step};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, Name};

use crate::{Part, Rewrite, Site, Trail};

use super::expand::Expansion;

/// Looks things up in the texts.
pub(super) struct Back<'e> {
    /// The project without the expanded procedures.
    pub project: &'e Project,
    pub expansion: &'e Expansion,
}

impl Back<'_> {
    /// Where something stands in the texts; what is there already stays.
    pub fn span(&self, span: Span) -> Span {
        self.expansion.spans.get(&span).map_or(span, |(real, _)| *real)
    }

    /// The instance that something is in.
    pub fn instance(&self, span: Span) -> usize {
        self.expansion.spans.get(&span).map_or(0, |(_, instance)| *instance)
    }

    pub fn refusal(&self, refusal: &Refusal) -> Refusal {
        let related = refusal.related.iter().map(|(s, what)| (self.span(*s), what.clone()));
        let plain = |text: &str| unmarked(text);
        let mut message = plain(&refusal.message);
        if refusal.code == Code::ReceiveCount && refusal.fact.is_some() {
            message.push_str("; if the peer sends more, a typed receive fails (MPI_ERR_TRUNCATE)");
        }
        Refusal {
            code: refusal.code,
            span: self.span(refusal.span),
            message,
            related: related.map(|(s, what)| (s, plain(&what))).collect(),
            fact: refusal.fact.clone(),
        }
    }

    /// The site as it is in the texts.
    pub fn site(&self, site: &Site) -> Site {
        let instance = self.instance(site.statement);
        Site {
            procedure: self.expansion.instances[instance].procedure,
            statement: self.span(site.statement),
            function: site.function.clone(),
            buffer: unmarked(&site.buffer),
            outcome: match &site.outcome {
                Ok(rewrite) => self.rewrite(rewrite, instance),
                Err(refusal) => Err(self.refusal(refusal)),
            },
            trail: Trail::default(),
        }
    }

    fn rewrite(&self, rewrite: &Rewrite, instance: usize) -> Result<Rewrite, Refusal> {
        let [part] = rewrite.parts.as_slice() else {
            let span = rewrite.parts.first().map_or(self.expansion.procedure.span, |p| p.statement);
            let message = "several calls in different procedures share these copies";
            return Err(Refusal::new(Code::Escapes, self.span(span), message));
        };
        // The test would stand in one procedure, and the copies in another.
        if let Some(test) = rewrite.tests.first() {
            return Err(self.refusal(&test.refusal));
        }
        if let Some((name, _)) = rewrite.assign.first() {
            let message =
                format!("'{}' is computed by the copies and used elsewhere", unmarked(name));
            return Err(Refusal::new(Code::ScalarLive, self.span(part.statement), message));
        }
        let mut assumed = rewrite.assumed.clone();
        assumed.extend(self.open_procedures(rewrite, part));
        let mut remove: Vec<Span> = rewrite.remove.iter().map(|s| self.span(*s)).collect();
        remove.sort_by_key(|s| (s.file, s.start));
        Ok(Rewrite {
            parts: vec![self.part(part, instance)?],
            remove,
            assign: Vec::new(),
            assumed,
            tests: Vec::new(),
        })
    }

    /// That nobody whose text is not at hand calls a procedure that changes.
    fn open_procedures(&self, rewrite: &Rewrite, part: &Part) -> BTreeSet<Premise> {
        let spans = rewrite.remove.iter().chain([&part.statement]);
        spans
            .map(|span| self.expansion.instances[self.instance(*span)].procedure)
            .filter(|id| *id != self.expansion.root)
            .filter(|id| !self.project.procedure(*id).is_local)
            .map(|id| FactScope::of(&self.project.view(id)).premise(Fact::CalledHere))
            .collect()
    }

    fn part(&self, part: &Part, instance: usize) -> Result<Part, Refusal> {
        let names = Names { back: self, instance, call: part.statement };
        let mut packing = part.packing.clone();
        for turns in &mut packing.turns {
            // Those of other copies may speak of what cannot be seen; nobody asks for them.
            for number in [&mut turns.first, &mut turns.step, &mut turns.count] {
                *number = names.number(number).unwrap_or_else(|_| Polynomial::lost());
            }
        }
        packing.doubts = names.doubts(&packing.doubts);
        let at = |e: &Expression| Expression { span: self.span(e.span), kind: e.kind.clone() };
        Ok(Part {
            statement: self.span(part.statement),
            call: self.span(part.call),
            at: self.span(part.at),
            buffer: at(&part.buffer),
            count: at(&part.count),
            datatype: at(&part.datatype),
            element: part.element,
            packing,
            unpacking: None,
            made: names.datatype(&part.made)?,
            lasting: Vec::new(),
        })
    }
}

/// Names as the procedure at the call has them.
struct Names<'b> {
    back: &'b Back<'b>,
    instance: usize,
    call: Span,
}

impl Names<'_> {
    fn name(&self, name: &str) -> Result<Name, Refusal> {
        let expansion = self.back.expansion;
        let instance = &expansion.instances[self.instance];
        if let Some(own) = instance.own.get(name) {
            return Ok(own.clone());
        }
        let is_marked = name.contains('\'');
        if self.instance == 0 && !is_marked {
            return Ok(name.to_owned());
        }
        let there = self.back.project.view(instance.procedure);
        let outer = self.back.project.view(expansion.root);
        let is_global = there.global(name).is_some() && there.global(name) == outer.global(name);
        let is_constant = match (there.constant(name), outer.constant(name)) {
            (Some(a), Some(b)) => super::alike::alike(a, b),
            _ => false,
        };
        if !is_marked && (is_global || is_constant) {
            return Ok(name.to_owned());
        }
        let message = format!(
            "the call stands in another procedure than its copies, '{}', where '{}' is not visible",
            there.procedure().name,
            unmarked(name)
        );
        Err(Refusal::new(Code::Escapes, self.back.span(self.call), message))
    }

    fn datatype(&self, made: &Datatype) -> Result<Datatype, Refusal> {
        // The variables themselves first: they say most.
        let at = made.at.as_ref().map(|a| self.address(a)).transpose()?;
        Ok(Datatype {
            element: made.element,
            unit: made.unit.clone(),
            equal: made.equal.clone(),
            count: self.number(&made.count)?,
            at,
            // The words are those of another procedure.
            origin: None,
            is_wide: made.is_wide,
            node: self.node(&made.node)?,
        })
    }

    /// Those that have a name at the call: others are not in the type.
    fn doubts(&self, doubts: &Doubts) -> Doubts {
        let read = |doubt: &Doubt| {
            let place = self.place(&doubt.place).ok()?;
            Some(Doubt { place, contexts: doubt.contexts.clone() })
        };
        let quotients = doubts.quotients.iter().filter_map(|atom| {
            let number = self.number(&Polynomial::atom(atom.clone())).ok()?;
            number.terms().next().and_then(|(atoms, _)| atoms.first().cloned())
        });
        Doubts {
            reads: doubts.reads.iter().filter_map(read).collect(),
            conditions: doubts.conditions.clone(),
            quotients: quotients.collect(),
        }
    }

    fn address(&self, address: &Address) -> Result<Address, Refusal> {
        Ok(Address {
            base: self.place(&address.base)?,
            version: address.version,
            offset: self.number(&address.offset)?,
            measured: self.number(&address.measured)?,
            place: self.place(&address.place)?,
        })
    }

    fn node(&self, node: &Node) -> Result<Node, Refusal> {
        let number = |p: &Polynomial| self.number(p);
        Ok(match node {
            Node::Contiguous { count } => Node::Contiguous { count: number(count)? },
            Node::Vector { count, block, stride } => Node::Vector {
                count: number(count)?,
                block: number(block)?,
                stride: number(stride)?,
            },
            Node::Hvector { count, stride, child } => Node::Hvector {
                count: number(count)?,
                stride: number(stride)?,
                child: Box::new(self.node(child)?),
            },
            Node::Listed { count, block, list, entry, scale, shift } => Node::Listed {
                shift: number(shift)?,
                count: number(count)?,
                block: number(block)?,
                list: self.place(list)?,
                entry: *entry,
                scale: number(scale)?,
            },
            Node::Hindexed { displacements, child } => Node::Hindexed {
                displacements: displacements.iter().map(number).collect::<Result<_, _>>()?,
                child: Box::new(self.node(child)?),
            },
            Node::Resized { extent, child } => {
                Node::Resized { extent: number(extent)?, child: Box::new(self.node(child)?) }
            }
            Node::Struct(members) => {
                let member = |m: &Member| {
                    Ok(Member { displacement: number(&m.displacement)?, node: self.node(&m.node)? })
                };
                Node::Struct(members.iter().map(member).collect::<Result<_, Refusal>>()?)
            }
            Node::Each { counter, count, displacement, child } => Node::Each {
                counter: *counter,
                count: number(count)?,
                displacement: number(displacement)?,
                child: Box::new(self.node(child)?),
            },
            Node::Guard { .. } => {
                let message = "copies in another procedure depend on a condition";
                return Err(Refusal::new(Code::Escapes, self.back.span(self.call), message));
            }
        })
    }

    fn number(&self, number: &Polynomial) -> Result<Polynomial, Refusal> {
        let mut refusal = None;
        let mut keep = |result: Result<Atom, Refusal>| match result {
            Ok(atom) => Some(Polynomial::atom(atom)),
            Err(found) => {
                refusal.get_or_insert(found);
                None
            }
        };
        let new = number.map(&mut |atom| match atom {
            Atom::Read { place, version } => {
                keep(self.place(place).map(|place| Atom::Read { place, version: *version }))
            }
            Atom::Address(place) => keep(self.place(place).map(Atom::Address)),
            Atom::Stride(name, d) => keep(self.name(name).map(|name| Atom::Stride(name, *d))),
            Atom::Extent(name, d) => keep(self.name(name).map(|name| Atom::Extent(name, *d))),
            Atom::Lower(name, d) => keep(self.name(name).map(|name| Atom::Lower(name, *d))),
            Atom::Layout(layout) => {
                let sample = layout.sample.as_ref().map(|sample| self.place(sample)).transpose();
                keep(sample.map(|sample| Atom::Layout(Layout { sample, ..layout.clone() })))
            }
            _ => None,
        });
        refusal.map_or(Ok(new), Err)
    }

    fn place(&self, place: &Place) -> Result<Place, Refusal> {
        let step = |step: &Step| {
            Ok(match step {
                Step::At(at) => {
                    Step::At(at.iter().map(|p| self.number(p)).collect::<Result<_, Refusal>>()?)
                }
                other => other.clone(),
            })
        };
        Ok(Place {
            variable: self.name(&place.variable)?,
            steps: place.steps.iter().map(step).collect::<Result<_, Refusal>>()?,
        })
    }
}
