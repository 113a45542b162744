//! Advice for people.

use std::fmt::Write as _;

use commloom_advice::{Advice, Location, Measured, Predicted, Spread, dimensions, mpi};
use commloom_commgraph::cost::Seconds;

use super::words::Paint;

/// Places and processes that are listed.
const SHOWN: usize = 6;

/// One advice, with its number.
pub fn text(number: usize, advice: &Advice, paint: Paint) -> String {
    if let Some(line) = no_gain(advice) {
        return paint.grey(&format!("{number}. {line}")) + "\n";
    }
    let mut out = format!("{number}. {}\n", paint.bold(&headline(advice)));
    places("sent", &advice.sent, &mut out);
    places("received", &advice.received, &mut out);
    let all = advice.sent_there;
    let lines = if advice.sent.len() == 1 { "this line sends" } else { "these lines send" };
    let messages = if all == 1 { "message" } else { "messages" };
    let does = if advice.withheld.is_some() { "the operation has" } else { "the call replaces" };
    let _ = writeln!(out, "   {lines} {all} {messages}, {does} {}", advice.messages);
    if let Some(reason) = &advice.withheld {
        let _ = writeln!(out, "   {}", withheld_words(reason));
        return out;
    }
    for condition in &advice.conditions {
        let _ = writeln!(out, "   only if {condition}");
    }
    let _ = writeln!(out, "   write");
    for line in &advice.code {
        let _ = writeln!(out, "       {}", paint.good(line));
    }
    for line in &advice.legend {
        let _ = writeln!(out, "     {line}");
    }
    if let Some(predicted) = &advice.predicted {
        let _ = writeln!(out, "   {}", predicted_words(predicted));
    }
    if let Some(measured) = &advice.measured {
        let _ = writeln!(out, "   {}", measured_words(measured));
    }
    for warning in &advice.warnings {
        let _ = writeln!(out, "   note: {warning}");
    }
    out
}

/// A call that was measured and is no faster than its messages, in one line.
pub fn no_gain(advice: &Advice) -> Option<String> {
    let measured = advice.measured.as_ref().filter(|_| advice.is_no_gain())?;
    let place = advice.sent.first().map_or(String::new(), |place| format!(", {}", place.name));
    let [messages, call] = [measured.messages, measured.call].map(|spread| Seconds(spread.median));
    Some(format!(
        "{}{place}: no gain, {messages} as messages, {call} with the call (medians of {}, {})",
        headline(advice),
        measured.samples,
        measured.library
    ))
}

/// `MPI_Bcast of 800 bytes, root 2, 5 processes, 3 times: 12 messages`.
pub fn headline(advice: &Advice) -> String {
    let mut out = mpi(advice.kind);
    match advice.bytes_each {
        (_, 0) => {}
        (least, most) if least == most => {
            let _ = write!(out, " of {most} bytes");
        }
        (least, most) => {
            let _ = write!(out, " of {least} to {most} bytes");
        }
    }
    if let Some(grid) = &advice.grid {
        let _ = write!(out, " on a grid of {}", dimensions(&grid.dims));
        let periodic: Vec<String> = (1..)
            .zip(&grid.periods)
            .filter(|(_, periodic)| **periodic)
            .map(|(dim, _): (u32, _)| dim.to_string())
            .collect();
        if !periodic.is_empty() {
            let _ = write!(out, " (periodic in dimension {})", periodic.join(", "));
        }
    }
    match &advice.roots[..] {
        [] => {}
        [root] => {
            let _ = write!(out, ", root {root}");
        }
        roots => {
            let _ = write!(out, ", roots {}", numbers(roots));
        }
    }
    let _ = match &advice.groups[..] {
        [] => write!(out, ", all {} processes", advice.processes),
        [group] => write!(out, ", processes {}", numbers(group)),
        groups => {
            let some: Vec<String> =
                groups.iter().take(3).map(|group| format!("{{{}}}", numbers(group))).collect();
            let more = if groups.len() > 3 { ", ..." } else { "" };
            write!(
                out,
                ", {} groups of {} processes: {}{more}",
                groups.len(),
                advice.processes,
                some.join(", ")
            )
        }
    };
    let times =
        if advice.times == 1 { "once".to_owned() } else { format!("{} times", advice.times) };
    let messages = if advice.messages == 1 { "message" } else { "messages" };
    let _ = write!(out, ", {times}: {} {messages}, {} bytes", advice.messages, advice.bytes);
    out
}

fn numbers(all: &[u32]) -> String {
    let shown: Vec<String> = all.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if all.len() > SHOWN { format!(", ... ({})", all.len()) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn places(what: &str, places: &[Location], out: &mut String) {
    for (k, place) in places.iter().take(SHOWN).enumerate() {
        let what = if k == 0 { what } else { "" };
        let _ = write!(out, "   {what:<8} {}", place.name);
        for frame in place.frames.iter().skip(1) {
            let _ = write!(out, ", inlined into {frame}");
        }
        let count = if place.messages == 1 { "message" } else { "messages" };
        let _ = writeln!(out, ", {} {count}", place.messages);
        if let Some(line) = &place.line {
            let _ = writeln!(out, "            | {line}");
        }
    }
    if places.len() > SHOWN {
        let _ = writeln!(out, "            and {} more lines", places.len() - SHOWN);
    }
}

/// Why there is nothing to write, in a line.
pub fn withheld_words(reason: &str) -> String {
    format!("no call is given, because none is shown to do the same: {reason}")
}

/// The predicted times, in a line.
pub fn predicted_words(predicted: &Predicted) -> String {
    let (messages, call) = (Seconds(predicted.messages), Seconds(predicted.call));
    let factor = predicted.messages / predicted.call;
    let gain =
        if factor.is_finite() { format!(", {factor:.2} times as fast") } else { String::new() };
    format!(
        "predicted: {messages} as messages, {call} with the call, all times together{gain} (LogGP, \
         1 us, 10 GB/s)"
    )
}

/// The measured times, in a line.
pub fn measured_words(measured: &Measured) -> String {
    let spread = |s: &Spread| {
        format!(
            "{} ({} to {})",
            Seconds(s.median),
            Seconds(s.lower_quartile),
            Seconds(s.upper_quartile)
        )
    };
    let factor = measured.messages.median / measured.call.median;
    format!(
        "measured: {} as messages, {} with the call, one time: {factor:.2} times as fast (median \
         and quartiles of {}, {})",
        spread(&measured.messages),
        spread(&measured.call),
        measured.samples,
        measured.library
    )
}
