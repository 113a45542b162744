//! From a call to the copies that belong to it.

use std::collections::BTreeSet;

use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::affine::{Atom, Place, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Name, Statement};

use super::piece::{Piece, solve};
use super::renew::Renewal;
use super::state::{self, Known, Located, Value};
use super::walk::{Arrival, Site, Walk};
use super::{Address, Direction, Origin, Packing, Request, Setting};

/// Finds the copies that fill (or empty) the buffer of a call.
///
/// Time: linear in the procedure, times the depth of its loops.
///
/// # Errors
/// The first reason why the copies are not known, or do not make one dense range that begins where
/// the call's does.
pub fn read(symbols: &dyn Symbols, request: &Request<'_>) -> Result<Packing, Refusal> {
    let Walked { mut walk, arrival, located, start } = walked(symbols, request)?;
    if let Some(problem) = walk.state.problem.take() {
        return Err(problem);
    }
    let buffer = located.address.base;
    let sent_start = located.address.offset;
    let sent_length =
        arrival.count.as_ref().map(|c| c.on_lp64().times(&Polynomial::size(request.element)));
    let pieces = std::mem::take(&mut walk.state.pieces);
    let all: Vec<Span> = pieces.iter().flat_map(|piece| piece.spans.iter().copied()).collect();
    let wanted = sent_length.as_ref().filter(|_| !request.setting.is_part);
    if pieces.is_empty() {
        not_filled_before(symbols, request, walk.course.filled, start)?;
    }
    let (mut piece, rest) = choose(pieces, &sent_start, wanted, request)?;
    let beside = unclear(&piece, &rest);
    let renewal = Renewal::at(&walk, &arrival);
    renewal.piece(&mut piece);
    walk.turns.iter_mut().for_each(|turns| renewal.turns(turns));
    let sent_start = renewal.number(&sent_start);
    let sent_length = sent_length.map(|length| renewal.number(&length));

    let check = Check { walk: &walk, arrival: &arrival };
    check.conditions()?;
    let said = |origin: &Origin| {
        let span = origin.expression.span;
        origin.values.iter().all(|(_, value)| check.number(value, span).is_ok())
    };
    // What a variable still is at the call is said by its name: a macro may have it, too.
    let still = |name: &Name, value: &Polynomial| {
        let place = Place::variable(name.clone());
        let known = arrival.state.values.get(&place);
        let is_same = matches!(known, Some(Value::Number(known))
            if !known.is_lost() && renewal.number(known) == *value);
        is_same.then(|| state::read(place.clone(), walk.version_at(&arrival.state, &place)))
    };
    piece.content.keep_origins(&mut |origin| {
        for (name, value) in &mut origin.values {
            *value = still(name, value).unwrap_or_else(|| value.clone());
        }
        said(origin)
    });
    let [touched, mut needs] = check.content(&piece)?;
    needs.extend(walk.conditions.read.iter().map(|(name, _, _)| name.clone()));
    // Nothing changes a constant, and no memory is its.
    needs.retain(|name| symbols.constant(name).is_none());

    let others: Vec<Span> = all.into_iter().filter(|span| !piece.spans.contains(span)).collect();
    let (statements, changes) = gone(&walk.sites, &piece.spans, &others)?;
    let doubts = walk.doubts(&arrival, &piece.content);
    Ok(Packing {
        direction: request.direction,
        buffer: buffer.variable,
        start: piece.start.on_lp64(),
        length: piece.length.on_lp64(),
        sent_start,
        sent_length,
        copies: piece.content,
        turns: walk.turns,
        totals: walk.unnamed.totals,
        beside,
        elsewhere: others,
        statements,
        changes: changes.into_iter().collect(),
        touched: touched.into_iter().collect(),
        needs: needs.into_iter().collect(),
        setting: request.setting.clone(),
        parts: None,
        is_wide: walk.is_wide,
        doubts,
    })
}

/// The way through the procedure to the call.
struct Walked<'a> {
    walk: Walk<'a>,
    arrival: Arrival,
    /// The buffer of the call.
    located: Located,
    /// Where a pointer to the buffer began, if it is another variable.
    start: Option<Address>,
}

/// Walks to the call, once to see what its buffer is, and then to see what fills it.
fn walked<'a>(symbols: &'a dyn Symbols, request: &'a Request<'a>) -> Result<Walked<'a>, Refusal> {
    let no_buffer = || {
        let message = match request.buffer.is_section() {
            true => "the call's buffer is a section that may have gaps, and be copied for the call",
            false => "the call's buffer has no form that can be seen",
        };
        Refusal::new(Code::Address, request.buffer.span, message)
    };
    let mut first = Walk::through(symbols, request, None, Vec::new());
    // What decides the way to the call, and never changes, decides other branches too.
    let mut promised = first.conditions.path.into_iter().filter(Known::is_of_old).collect();
    if request.setting.made_at.is_some() && !first.course.was_made {
        first = Walk::through(symbols, request, None, promised);
        promised = first.conditions.path.into_iter().filter(Known::is_of_old).collect();
    }
    if request.setting.made_at.is_some() && !first.course.was_made {
        let message =
            "whether the request is made on the way to where it is started cannot be seen";
        return Err(Refusal::new(Code::Escapes, request.call, message));
    }
    let buffer =
        first.course.arrival.and_then(|arrival| arrival.buffer).ok_or_else(no_buffer)?.address;
    let start = first.course.start.filter(|start| start.base != buffer.base);
    let version = buffer.version;
    let buffer = buffer.base;

    let way = promised.clone();
    let mut walk = Walk::through(symbols, request, Some((buffer.clone(), version)), promised);
    // Who looks at the buffer counts its changes in another way: at the call, where it is compared
    // with the copies, as this walk does.
    let counted = |walk: &Walk<'_>| {
        let located = walk.course.arrival.as_ref()?.buffer.as_ref()?;
        (located.address.base == buffer).then_some(located.address.version)
    };
    if let Some(counted) = counted(&walk).filter(|counted| *counted != version) {
        walk = Walk::through(symbols, request, Some((buffer.clone(), counted)), way);
    }
    let arrival = walk.course.arrival.take().ok_or_else(no_buffer)?;
    let located = arrival.buffer.clone().ok_or_else(no_buffer)?;
    Ok(Walked { walk, arrival, located, start })
}

/// Refuses copies that stand before a loop or label from where the call is reached. A pointer that
/// the loop moves leads to what was filled before it.
fn not_filled_before(
    symbols: &dyn Symbols,
    request: &Request<'_>,
    filled: Option<Span>,
    start: Option<Address>,
) -> Result<(), Refusal> {
    let moved = || {
        let start = start.map(|start| (start.base, start.version))?;
        Walk::through(symbols, request, Some(start), Vec::new()).course.filled
    };
    filled.or_else(moved).map_or(Ok(()), |span| {
        let message = "these copies fill the buffer before a loop or label from where it, or a \
                       part of it, is sent, perhaps several times: pack right before each call";
        Err(Refusal::new(Code::Range, span, message))
    })
}

/// The box that begins where the call's range does, and the others.
fn choose(
    pieces: Vec<Piece>,
    start: &Polynomial,
    length: Option<&Polynomial>,
    request: &Request<'_>,
) -> Result<(Piece, Vec<Piece>), Refusal> {
    let what = match request.direction {
        Direction::Pack => "fill",
        Direction::Unpack => "empty",
    };
    if pieces.is_empty() {
        return Err(Refusal::new(
            Code::NoCopies,
            request.call,
            format!("no copies were found that {what} the buffer"),
        ));
    }
    let mut solved = solve(pieces, length.map(|length| (start, length)));
    if let Some(at) =
        solved.iter().position(|piece| piece.dimensions.is_empty() && &piece.start == start)
    {
        let piece = solved.swap_remove(at);
        return Ok((piece, solved));
    }
    let span = solved.iter().flat_map(|piece| &piece.spans).next().copied().unwrap_or(request.call);
    if solved.iter().all(|piece| piece.dimensions.is_empty()) {
        return Err(Refusal::new(
            Code::Range,
            span,
            "the copies begin at another place of the buffer than the call",
        ));
    }
    let mut message =
        format!("these copies do not {what} a range of the buffer without gaps, once each");
    let mut unknown = None;
    for stride in solved.iter().flat_map(|piece| &piece.dimensions).map(|d| &d.stride) {
        stride.any(&mut |atom| {
            if let Atom::Extent(name, _) = atom {
                unknown.get_or_insert_with(|| name.clone());
            }
            false
        });
    }
    if let Some(name) = unknown {
        message = format!(
            "{message}, as far as can be seen: the bounds of '{name}' are said in another \
             procedure; give it as an argument with its bounds"
        );
    }
    Err(Refusal::new(Code::Coverage, span, message))
}

/// Copies of other boxes, except where these surely begin behind the range, or end before it: the
/// distance is a sum of lengths of boxes, none of which is negative.
fn unclear(piece: &Piece, others: &[Piece]) -> Vec<Span> {
    // Of `8*n - 16` it follows that n is not negative; of `8*n - 8*m` nothing.
    let lengths: Vec<Vec<Atom>> = others
        .iter()
        .chain([piece])
        .filter(|p| p.dimensions.is_empty())
        .filter_map(|p| {
            let mut terms = p.length.terms().filter(|(atoms, _)| !atoms.is_empty());
            let (atoms, factor) = terms.next()?;
            (factor > 0 && terms.next().is_none()).then(|| atoms.to_vec())
        })
        .collect();
    let is_distance = |p: Polynomial| {
        !p.is_lost()
            && p.terms().all(|(atoms, factor)| {
                factor > 0 && (atoms.is_empty() || lengths.iter().any(|l| l == atoms))
            })
    };
    others
        .iter()
        .filter(|other| {
            let behind = is_distance(other.start.minus(&piece.start.plus(&piece.length)));
            let before = other.dimensions.is_empty()
                && is_distance(piece.start.minus(&other.start.plus(&other.length)));
            !(behind && other.dimensions.iter().all(|d| is_distance(d.stride.clone())) || before)
        })
        .flat_map(|other| other.spans.iter().copied())
        .collect()
}

/// The statements that can go with the copies, and the scalars that they change. A copy that
/// stayed would be made a second time, to or from a buffer that has nothing any more.
fn gone(
    sites: &[Site<'_>],
    copies: &[Span],
    others: &[Span],
) -> Result<(Vec<Span>, BTreeSet<Name>), Refusal> {
    let mut statements: Vec<Span> = Vec::new();
    let mut changes = BTreeSet::new();
    for site in sites {
        removable(site, site.statement, copies, others, &mut |span, changed| {
            statements.push(span);
            changes.extend(changed.iter().cloned());
        });
    }
    match copies.iter().find(|copy| !statements.iter().any(|gone| gone.contains(**copy))) {
        Some(stays) => {
            let message = "this copies, and changes something else too: it cannot be taken away";
            Err(Refusal::new(Code::Unreadable, *stays, message))
        }
        None => Ok((statements, changes)),
    }
}

/// The outermost statements that do nothing but these copies, with the scalars that they change.
fn removable(
    site: &Site<'_>,
    statement: &Statement,
    copies: &[Span],
    others: &[Span],
    found: &mut dyn FnMut(Span, &BTreeSet<Name>),
) {
    let has = |spans: &[Span]| spans.iter().any(|span| statement.span.contains(*span));
    if !has(copies) {
        return;
    }
    let pure = site.pure.iter().find(|(inner, _)| std::ptr::eq(*inner, statement));
    match pure {
        Some((_, changes)) if !has(others) => found(statement.span, changes),
        _ => {
            for inner in statement.bodies().into_iter().flatten() {
                removable(site, inner, copies, others, found);
            }
        }
    }
}

/// Whether what addresses and counts say still holds where the call stands: the type is made
/// there.
struct Check<'a> {
    walk: &'a Walk<'a>,
    arrival: &'a Arrival,
}

impl Check<'_> {
    /// The variables that copies touch, and those that their addresses and counts read.
    fn content(&self, piece: &Piece) -> Result<[BTreeSet<Name>; 2], Refusal> {
        let mut refusal = None;
        let mut touched = BTreeSet::new();
        let mut needs = BTreeSet::new();
        piece.content.each(&mut |copy| {
            touched.insert(copy.address.base.variable.clone());
            let result = self
                .address(&copy.address, copy.span)
                .and_then(|()| self.number(&copy.length, copy.span))
                .and_then(|()| self.number(&copy.measured, copy.span));
            if let Err(found) = result {
                refusal.get_or_insert(found);
            }
            collect(&copy.address.measured, &mut needs);
            collect(&copy.measured, &mut needs);
        });
        for (number, turns) in self.walk.turns.iter().enumerate() {
            if piece.content.counts(&|counter| usize::try_from(counter.0) == Ok(number)) {
                if let Err(found) = self.number(&turns.count, turns.span) {
                    refusal.get_or_insert(found);
                }
                collect(&turns.count, &mut needs);
            }
        }
        refusal.map_or(Ok([touched, needs]), Err)
    }

    fn address(&self, address: &Address, span: Span) -> Result<(), Refusal> {
        self.number(&address.offset, span)?;
        self.number(&address.measured, span)?;
        for subscript in address.base.subscripts().chain(address.place.subscripts()) {
            self.number(subscript, span)?;
        }
        let Some(version) = address.version else { return Ok(()) };
        let now = self.walk.version_at(&self.arrival.state, &address.base);
        if version != now || self.arrival.state.values.contains_key(&address.base) {
            return Err(self.changed(&address.base.variable, span));
        }
        Ok(())
    }

    fn number(&self, number: &Polynomial, span: Span) -> Result<(), Refusal> {
        let mut refusal = None;
        number.any(&mut |atom| {
            match atom {
                Atom::Read { place, version } => {
                    let now = self.walk.version_at(&self.arrival.state, place);
                    if *version != now {
                        refusal.get_or_insert_with(|| self.changed(&place.variable, span));
                    }
                }
                Atom::Lost(_) => {
                    refusal.get_or_insert_with(|| too_large(span));
                }
                Atom::Unnamed(_) => {
                    let message = "an index here has no form that can be seen";
                    refusal.get_or_insert_with(|| Refusal::new(Code::Address, span, message));
                }
                _ => {}
            }
            false
        });
        refusal.map_or(Ok(()), Err)
    }

    fn conditions(&self) -> Result<(), Refusal> {
        for (name, version, span) in &self.walk.conditions.read {
            if *version != self.walk.version_inside_at(&self.arrival.state, name) {
                return Err(self.changed(name, *span));
            }
        }
        Ok(())
    }

    fn changed(&self, name: &str, span: Span) -> Refusal {
        Refusal::new(Code::Changed, span, change(name, self.walk.request.setting))
    }
}

/// The refusal of arithmetic that overflowed, also where it is inside of something.
fn too_large(span: Span) -> Refusal {
    let message = "a size or address here needs more than 64 bits or 256 terms";
    Refusal::new(Code::Limit, span, message)
}

/// The sentence that says it.
pub(super) fn change(name: &str, setting: &Setting) -> String {
    match setting.made_at {
        None => format!("'{name}' changes between these copies and the call"),
        Some(_) => format!("'{name}' changes between where the request is made and these copies"),
    }
}

/// The variables that a number reads.
fn collect(number: &Polynomial, names: &mut BTreeSet<Name>) {
    number.any(&mut |atom| {
        if let Atom::Read { place, .. } = atom {
            names.insert(place.variable.clone());
        }
        false
    });
}
