//! Condition 2: the call sends exactly the bytes that were packed, or receives those that are
//! unpacked.
//!
//! Where the copies run over boxes that differ from turn to turn, how many bytes they are has no
//! formula. It is then named by the running index that counts them and by where the copies stand,
//! so that a person can say what the number is: `east_size is what p0 counts at copy_faces.f:79`.

use commloom_copies::{Direction, Packing};
use commloom_program::View;
use commloom_program::fact::{self, Fact};
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::affine::{Atom, Place, Polynomial};
use commloom_source::tree::Name;

use super::find::calls_in;
use super::found::{Found, buffer_name};
use super::model::Ledger;

/// Nothing is known of such a number, so that nobody can vouch for it either.
const LOST: &str = "needs more than 64 bits or 256 terms";

/// Compares both ranges as polynomials, and asks that no other copies fill what is sent.
pub(super) fn exact(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    element: u64,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let (code, what) = match found.side.direction {
        Direction::Pack => (Code::Range, "packed"),
        Direction::Unpack => (Code::ReceiveCount, "unpacked"),
    };
    let numbers = [&packing.start, &packing.sent_start, &packing.length];
    if numbers.into_iter().chain(&packing.sent_length).any(Polynomial::is_lost) {
        let message = format!("where the call or what is {what} begins, or how long it is, {LOST}");
        return Err(Refusal::new(Code::Limit, found.count.span, message));
    }
    if packing.start != packing.sent_start {
        let message = format!("the call begins at another byte of the buffer than what is {what}");
        return Err(Refusal::new(code, found.buffer.span, message));
    }
    own(found, packing, ledger)?;
    let length = Length::of(view, packing, element);
    let copied = length.written(&packing.length);
    let shown = copied.long.clone();
    let call = || numbered(view, found);
    // The count of a call with parts is that of one of them; there are as many as processes.
    let sent = match packing.parts {
        Some(_) => Some(&packing.length),
        None => packing.sent_length.as_ref(),
    };
    let unit = length.unit();
    let (message, fact) = match sent {
        Some(sent) if *sent == packing.length => return Ok(()),
        Some(sent) => {
            let sent = length.written(sent);
            let is = &sent.long;
            let message = format!("the call is for {is} {unit}, but {shown} {unit} are {what}");
            (message, Fact::SameLength { call: call(), sent, copied })
        }
        None => {
            let message = format!(
                "how many elements the call is for is not known; {shown} {unit} are {what}"
            );
            (message, Fact::CallLength { call: call(), copied, unit })
        }
    };
    // A fact that nobody can read helps nobody.
    if !length.has_names() {
        return Err(Refusal::new(code, found.count.span, message));
    }
    ledger.need(code, found.count.span, message, fact)
}

/// Parts of one buffer whose places have no common form may overlap: what is sent would then be
/// what was packed last. (Receives that are pending together have buffers that do not overlap, MPI
/// 4.1, section 3.7.2, and what is read for nobody is found elsewhere.)
fn own(found: &Found<'_>, packing: &Packing, ledger: &Ledger<'_>) -> Result<(), Refusal> {
    let Some(&other) = packing.beside.first() else { return Ok(()) };
    if found.side.direction == Direction::Unpack {
        return Ok(());
    }
    let buffer = &packing.buffer;
    let message = format!("what is packed here may fill the part of '{buffer}' that is sent");
    let fact = Fact::PartsApart(buffer.clone());
    ledger.need(Code::Coverage, other, message, fact).map_err(|mut refusal| {
        refusal.related.push((found.call, "the call".into()));
        refusal
    })
}

/// How the lengths of one call are written.
struct Length<'a> {
    packing: &'a Packing,
    /// Where the copies stand: `copy_faces.f:79`.
    lines: String,
    /// Elements are counted where numbers without a formula occur: running indices count them,
    /// too.
    element: Option<Polynomial>,
}

impl<'a> Length<'a> {
    fn of(view: &View<'_>, packing: &'a Packing, element: u64) -> Length<'a> {
        let size = Polynomial::size(element);
        let is_unnamed = packing.length.any(&mut |atom| matches!(atom, Atom::Unnamed(_)));
        let sent = packing.sent_length.iter();
        let whole = sent.chain([&packing.length]).all(|l| l.exact_quotient(&size).is_some());
        Length {
            packing,
            lines: lines(view, packing),
            element: (is_unnamed && whole).then_some(size),
        }
    }

    fn unit(&self) -> &'static str {
        if self.element.is_some() { "elements" } else { "bytes" }
    }

    /// Whether all numbers without a formula have names, and different ones different names.
    fn has_names(&self) -> bool {
        let mut numbers: Vec<u32> = Vec::new();
        for length in self.packing.sent_length.iter().chain([&self.packing.length]) {
            length.any(&mut |atom| {
                if let Atom::Unnamed(number) = atom
                    && !numbers.contains(number)
                {
                    numbers.push(*number);
                }
                false
            });
        }
        let name = |number: &u32| {
            self.packing.totals.iter().find(|(total, _)| total == number).map(|(_, name)| name)
        };
        let names: Vec<_> = numbers.iter().map(name).collect();
        names.iter().enumerate().all(|(at, name)| name.is_some() && !names[..at].contains(name))
    }

    fn written(&self, length: &Polynomial) -> fact::Length {
        fact::Length {
            short: self.text(length, &|index| format!("count({index})")),
            long: self.text(length, &|index| format!("what {index} counts at {}", self.lines)),
        }
    }

    fn text(&self, length: &Polynomial, counted: &dyn Fn(&str) -> String) -> String {
        let length = match &self.element {
            Some(size) => length.exact_quotient(size).unwrap_or_else(Polynomial::lost),
            None => length.clone(),
        };
        let named = length.map(&mut |atom| match atom {
            Atom::Unnamed(number) => {
                let total = self.packing.totals.iter().find(|(total, _)| total == number);
                let index = total.map_or("a running index", |(_, name)| name);
                let place = Place::variable(counted(index));
                Some(Polynomial::atom(Atom::Read { place, version: 0 }))
            }
            _ => None,
        });
        named.to_string()
    }
}

/// The buffer of a call; the second call of the procedure with this buffer is `buffer#2`.
fn numbered(view: &View<'_>, found: &Found<'_>) -> Name {
    let name = buffer_name(view, found).unwrap_or_default();
    let calls = calls_in(view);
    let same = calls.iter().filter(|c| buffer_name(view, c).as_ref() == Some(&name));
    match same.filter(|c| c.call.start < found.call.start).count() {
        0 => name,
        earlier => format!("{name}#{}", earlier + 1),
    }
}

/// The lines from the first copy to the last one.
fn lines(view: &View<'_>, packing: &Packing) -> String {
    let mut all: Option<Span> = None;
    packing.copies.each(&mut |copy| {
        all = Some(all.map_or(copy.span, |span| span.to(copy.span)));
    });
    let Some(span) = all else { return "?".into() };
    let Some(source) = view.project().source(span.file) else { return "?".into() };
    let line = |at: usize| view.project().line_column(span.file, at).map_or(0, |(line, _)| line);
    let (first, last) = (line(span.start), line(span.end.saturating_sub(1)));
    let file = source.name.rsplit(['/', '\\']).next().unwrap_or(&source.name);
    if first == last { format!("{file}:{first}") } else { format!("{file}:{first}-{last}") }
}
