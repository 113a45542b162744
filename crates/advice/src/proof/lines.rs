//! Whether what several lines send is one array of the program. Buffers that lie side by side may
//! be arrays of their own, which another compiler puts elsewhere.

use std::collections::BTreeMap;

use commloom_commgraph::Kind;

use crate::finding::Finding;
use crate::place::Called;

/// A line: whether it sends, and where it is.
type Line<'f> = (bool, &'f Called);

/// Lines of one array: the ends of a message, and those between whose buffers of a process others
/// of them lie.
///
/// # Errors
/// The reason, as the end of a sentence that begins with why.
pub fn one_array_of_lines(finding: &Finding) -> Result<(), String> {
    let c = finding.collective;
    if c.kind != Kind::Bcast && c.pieces.count == 1 {
        return Ok(());
    }
    let mut hulls: BTreeMap<u32, BTreeMap<Line<'_>, (u64, u64)>> = BTreeMap::new();
    let mut known = Families::default();
    for (number, (from, to)) in &finding.ends {
        let Some(message) = finding.ran.messages.get(*number).filter(|m| m.bytes > 0) else {
            continue;
        };
        let sent = finding.send(message).map(|(buffer, _)| buffer);
        let received = finding.receive(message).map(|(buffer, ..)| buffer);
        let (Some(from), Some(to), Some(sent), Some(received)) = (from, to, sent, received) else {
            continue;
        };
        known.join((true, from), (false, to));
        let ends = [(message.send, (true, from), sent), (message.receive, (false, to), received)];
        for (place, line, buffer) in ends {
            let end = buffer.address.saturating_add(buffer.bytes);
            let hull = hulls.entry(place.process).or_default().entry(line);
            let hull = hull.or_insert((buffer.address, end));
            *hull = (hull.0.min(buffer.address), hull.1.max(end));
        }
    }
    for of_process in hulls.values() {
        for (one, a) in of_process {
            for (other, b) in of_process {
                if a.0 < b.1 && b.0 < a.1 {
                    known.join(*one, *other);
                }
            }
        }
    }
    match known.two() {
        Some((one, other)) => Err(format!(
            "{one} and {other} may send arrays of their own, which lie side by side in this run"
        )),
        None => Ok(()),
    }
}

/// Lines by the array that they belong to.
#[derive(Default)]
struct Families<'f> {
    all: Vec<Vec<Line<'f>>>,
}

impl<'f> Families<'f> {
    fn join(&mut self, one: Line<'f>, other: Line<'f>) {
        let mut joined = vec![one, other];
        self.all.retain(|family| {
            let is_part = family.contains(&one) || family.contains(&other);
            if is_part {
                joined.extend(family);
            }
            !is_part
        });
        joined.sort_unstable();
        joined.dedup();
        self.all.push(joined);
    }

    /// A sending line of each of two arrays, if there are several.
    fn two(&self) -> Option<(&'f Called, &'f Called)> {
        let mut senders = self.all.iter().filter_map(|family| {
            family.iter().find(|(is_send, _)| *is_send).map(|(_, place)| *place)
        });
        Some((senders.next()?, senders.next()?))
    }
}
