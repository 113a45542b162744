//! The advice for a program that ran, as HTML.

use std::fmt::Write;

use commloom_advice::{Advice, Language, Location, Predicted, mpi};
use commloom_picture::html::escape;
use commloom_report::numbers::grouped;

use super::super::text::{headline, measured_words, no_gain, predicted_words, withheld_words};
use super::html::{seconds, sentence, times};

/// Places, and parts of the program, that an advice names.
const SHOWN: usize = 12;

/// In words, as a table, and each advice for itself. `parts`: of how many parts of the program
/// there are sections.
pub fn section(summary: &str, advice: &[Advice], parts: usize) -> String {
    let mut out = "<section>\n<h2>What to do</h2>\n".to_owned();
    // The first line is what the numbers at the top say.
    let lines = summary.lines().skip(1).filter(|line| !line.is_empty());
    let (sweeps, lines): (Vec<&str>, Vec<&str>) =
        lines.partition(|line| line.starts_with("a sweep"));
    let paragraphs = |lines: &[&str]| {
        lines.iter().map(|line| format!("<p>{}</p>\n", sentence(line))).collect::<String>()
    };
    out += &paragraphs(&lines);
    if !advice.is_empty() {
        out += &table(advice);
    }
    out += &match sweeps.len() {
        0..=2 => paragraphs(&sweeps),
        n => format!("<details><summary>{n} sweeps</summary>\n{}</details>\n", paragraphs(&sweeps)),
    };
    for (number, advice) in (1..).zip(advice) {
        out += &one(number, advice, parts);
    }
    out + "</section>\n"
}

fn table(all: &[Advice]) -> String {
    let heading = |name| format!("<th class=\"n\">{name}</th>");
    // The gain comes early: a telephone shows the first columns.
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\">\n<table>\n<thead><tr><th class=\"n\">#</th><th>MPI \
         call</th>{}<th>sent in</th>{}</tr></thead>\n<tbody>\n",
        ["gain", "processes", "ran", "messages", "bytes"].map(heading).concat(),
        ["as messages", "as a call"].map(heading).concat()
    );
    for (number, advice) in (1..).zip(all) {
        let place = advice.sent.first().map_or("-", |place| &place.name);
        let faster = |messages: f64, call: f64, how| format!("{:.2}, {how}", messages / call);
        let gain = match (&advice.measured, &advice.predicted) {
            (Some(m), _) => faster(m.messages.median, m.call.median, "measured"),
            (None, Some(p)) if p.call > 0.0 => faster(p.messages, p.call, "predicted"),
            _ => "-".to_owned(),
        };
        let class = if advice.is_no_gain() { " class=\"soft\"" } else { "" };
        let predicted = |of: fn(&Predicted) -> f64| {
            advice.predicted.as_ref().map_or("-".to_owned(), |times| seconds(of(times)))
        };
        let _ = writeln!(
            out,
            "<tr{class}><td class=\"n\">{number}</td><td><a \
             href=\"#advice-{number}\"><b>{}</b></a></td><td class=\"n\">{gain}</td><td \
             class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td \
             class=\"n\">{}</td><td><code>{}</code></td><td class=\"n\">{}</td><td \
             class=\"n\">{}</td></tr>",
            mpi(advice.kind),
            grouped(advice.processes.into()),
            times(advice.times),
            grouped(advice.messages),
            grouped(advice.bytes),
            escape(place),
            predicted(|times| times.messages),
            predicted(|times| times.call),
        );
    }
    out + "</tbody>\n</table>\n</div>\n<p class=\"soft\">Times are predicted by the LogGP model, \
           with the constants of a cluster of today, all times together. Gain: how many times as \
           fast the call is, measured on this machine or by that model. A call with a time was \
           replayed as it is written below, at every process: it moves the bytes that the messages \
           have moved. Others have no time and no code.</p>\n"
}

fn one(number: usize, advice: &Advice, parts: usize) -> String {
    if let Some(line) = no_gain(advice) {
        let line = escape(&line);
        return format!("<p class=\"soft\" id=\"advice-{number}\">{number}. {line}</p>\n");
    }
    let language = if advice.language == Language::C { "C" } else { "Fortran" };
    let mut out = format!(
        "<article class=\"call\" id=\"advice-{number}\">\n<h3>{number}. {}</h3>\n<div \
         class=\"places\">",
        escape(&headline(advice))
    );
    out += &places("Sent in", &advice.sent);
    out += &places("Received in", &advice.received);
    out += "</div>\n";
    match &advice.withheld {
        Some(reason) => {
            let _ = writeln!(out, "<p>{}</p>", sentence(&withheld_words(reason)));
        }
        None => {
            let conditions = advice.conditions.iter();
            let conditions = conditions.map(|c| format!("<p>Only if {}.</p>", escape(c)));
            let _ = writeln!(out, "{}", conditions.collect::<String>());
            let code = escape(&advice.code.join("\n"));
            let _ = write!(out, "<h4>Write, in {language}</h4>\n<pre>{code}</pre>\n");
        }
    }
    for line in &advice.legend {
        let _ = writeln!(out, "<p class=\"soft\">{}</p>", escape(line));
    }
    if let Some(predicted) = &advice.predicted {
        let _ = writeln!(out, "<p>{}</p>", sentence(&predicted_words(predicted)));
    }
    if let Some(measured) = &advice.measured {
        let _ = writeln!(out, "<p>{}</p>", sentence(&measured_words(measured)));
    }
    if !advice.warnings.is_empty() {
        let warnings =
            advice.warnings.iter().map(|warning| format!("<p>{}</p>", sentence(warning)));
        let _ = writeln!(out, "<div class=\"notes\">{}</div>", warnings.collect::<String>());
    }
    let shown = advice.phases.iter().filter(|part| **part <= parts).take(SHOWN);
    let links: Vec<String> =
        shown.map(|part| format!("<a href=\"#part-{part}\">{part}</a>")).collect();
    let more = if advice.phases.len() > links.len() { ", ..." } else { "" };
    if parts > 1 {
        let _ =
            writeln!(out, "<p class=\"soft\">Parts of the program: {}{more}</p>", links.join(", "));
    }
    out + "</article>\n"
}

fn places(what: &str, all: &[Location]) -> String {
    let mut out = format!("<div><h4>{what}</h4>\n<ul>");
    for place in all.iter().take(SHOWN) {
        let _ = write!(out, "<li><code>{}</code>", escape(&place.name));
        for frame in place.frames.iter().skip(1) {
            let _ = write!(
                out,
                " <span class=\"soft\">inlined into {}</span>",
                escape(&frame.to_string())
            );
        }
        if let Some(line) = &place.line {
            let _ = write!(out, "<code class=\"soft\">{}</code>", escape(line));
        }
        out += "</li>";
    }
    if all.len() > SHOWN {
        let _ = write!(out, "<li>and {} more</li>", all.len() - SHOWN);
    }
    out + "</ul></div>\n"
}
