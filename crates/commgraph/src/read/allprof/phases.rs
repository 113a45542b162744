//! Cuts a program at its collectives.

use crate::number::at;

use super::calls::{Call, Event};

/// The calls of all processes between two collectives.
pub(super) struct Cut {
    /// By process.
    pub calls: Vec<Vec<Call>>,
    /// The collective before.
    pub after: Option<String>,
    /// Where that stands in the trace of process 0.
    pub start: usize,
}

/// Cuts wherever all processes make the same collective, and all that was sent before was also
/// received before. One piece where they do not make the same ones in the same order. O(n).
pub(super) fn cut(calls: Vec<Vec<Call>>) -> Vec<Cut> {
    let name = |call: &Call| match &call.event {
        Event::Collective(name) => Some(name.clone()),
        _ => None,
    };
    let mut marks = calls.iter().map(|calls| calls.iter().filter_map(name).collect::<Vec<_>>());
    let first = marks.next().unwrap_or_default();
    let agreed = marks.all(|other| other == first);
    let processes = calls.len();
    let mut rest: Vec<_> = calls.into_iter().map(|calls| calls.into_iter().peekable()).collect();
    // Messages to each process that are under way, and how many processes have some.
    let mut under_way = vec![0_i64; processes];
    let mut busy = 0_usize;
    let mut cuts = Vec::new();
    let start = |after: Option<String>, start: usize| Cut {
        calls: vec![Vec::new(); processes],
        after,
        start,
    };
    let mut current = start(None, 0);
    loop {
        let mut mark = None;
        for (process, calls) in rest.iter_mut().enumerate() {
            for call in calls.by_ref() {
                if let Event::Collective(name) = &call.event {
                    if !agreed {
                        continue;
                    }
                    let place = if process == 0 { call.span.start } else { 0 };
                    mark.get_or_insert((name.clone(), place));
                    break;
                }
                if let Event::Messages(messages) = &call.event {
                    for message in messages {
                        let to = match message.is_send {
                            true => message.peer.map_or(process, at),
                            false => process,
                        };
                        let before = under_way[to];
                        under_way[to] += if message.is_send { 1 } else { -1 };
                        busy += usize::from(before == 0);
                        busy -= usize::from(under_way[to] == 0);
                    }
                }
                current.calls[process].push(call);
            }
        }
        let Some((name, place)) = mark else {
            cuts.push(current);
            return cuts;
        };
        if busy == 0 {
            cuts.push(std::mem::replace(&mut current, start(Some(name), place)));
        }
    }
}
