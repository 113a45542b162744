//! The same for a terminal.

use std::collections::BTreeSet;
use std::fmt::Write;

use commloom_guard::styled;
use commloom_picture::grid;
use commloom_refactor::check::{self, Change};
use commloom_refactor::copies::Direction;
use commloom_refactor::explain::Copied;
use commloom_refactor::refusal::Refusal;
use commloom_refactor::source::FileId;

use super::{Site, lines, picture};
use crate::cmd::refactor::words;

/// Characters of a line.
const WIDTH: usize = 110;
/// Lines of one datatype.
const LINES: usize = 8;
/// Copies that are listed.
const COPIES: usize = 24;

/// One call, from its loops to its datatype.
pub fn site(site: &Site<'_>, colours: bool) -> String {
    let paint = Paint(colours);
    let explanation = site.explanation;
    let mut out = format!("{}\n", paint.bold(&words::line(site.project, site.finding)));
    let mut section = |title: &str, body: &str| {
        if !body.is_empty() {
            let _ = write!(out, "\n{}\n{body}", paint.bold(title));
        }
    };
    section(
        "The text",
        &lines::code(site).iter().map(|line| format!("    {line}\n")).collect::<String>(),
    );
    section("What it copies", &copies(site));
    section("From the copies to the datatype", &steps(site, paint));
    if let Some(example) = &explanation.example {
        let mut body = format!("    What is copied is {}.\n", picture::meaning(site));
        for array in picture::grids(example) {
            for line in grid(&array, WIDTH - 4).lines() {
                let _ = writeln!(body, "    {line}");
            }
        }
        section(format!("A picture {}", picture::sizes(example)).trim_end(), &body);
    }
    section("Whether that is allowed", &conditions(site, paint));
    section("What it costs", &site.cost.0);
    if let Ok(change) = &site.finding.outcome {
        section("The new text", &patch(site, change, colours));
    }
    out
}

/// Each copy with its loops, and how many bytes they are together.
fn copies(site: &Site<'_>) -> String {
    let explanation = site.explanation;
    let mut text = String::new();
    let mut around = None;
    for copied in explanation.copies.iter().take(COPIES) {
        let head = head(copied);
        if around.as_ref() != Some(&head) {
            let _ = writeln!(text, "    {head}");
            around = Some(head);
        }
        let (to, from) = match explanation.direction {
            Some(Direction::Unpack) => (&copied.memory, &copied.buffer),
            _ => (&copied.buffer, &copied.memory),
        };
        let _ = writeln!(text, "        {to} = {from}    ({} bytes)", copied.bytes);
    }
    if let Some(more) = explanation.copies.len().checked_sub(COPIES).filter(|more| *more > 0) {
        let _ = writeln!(text, "        and {more} more");
    }
    if let (Some(length), false) = (&explanation.length, explanation.copies.is_empty()) {
        let buffer = &explanation.buffer;
        let _ = writeln!(text, "    in all {length} bytes of '{buffer}', each byte once");
    }
    text
}

/// The loops and conditions around a copy.
fn head(copied: &Copied) -> String {
    let mut parts: Vec<String> = copied.loops.iter().map(ToString::to_string).collect();
    parts.extend(copied.condition.iter().map(|condition| format!("if {condition}")));
    if parts.is_empty() { "once".to_owned() } else { format!("for {}", parts.join(", ")) }
}

fn steps(site: &Site<'_>, paint: Paint) -> String {
    let mut text = String::new();
    for (name, ty) in lines::passes(site) {
        let _ = writeln!(text, "    {}", paint.name(&name));
        let lines = wrapped(&ty, WIDTH - 8);
        for line in lines.iter().take(LINES) {
            let _ = writeln!(text, "        {line}");
        }
        if lines.len() > LINES {
            let _ = writeln!(text, "        and {} more lines", lines.len() - LINES);
        }
    }
    if !text.is_empty() {
        let _ = writeln!(text, "    it begins at {}", site.explanation.begin);
    }
    text
}

/// The conditions, with the answers.
fn conditions(site: &Site<'_>, paint: Paint) -> String {
    let mut text = String::new();
    for judged in &site.explanation.conditions {
        let answer = match (judged.holds, judged.assumed.is_empty()) {
            (false, _) => paint.bad("no      "),
            (true, true) => paint.good("proved  "),
            (true, false) => paint.doubtful("assumed "),
        };
        for (number, line) in wrapped(judged.condition.text(), WIDTH - 13).iter().enumerate() {
            let answer = if number == 0 { answer.as_str() } else { "        " };
            let _ = writeln!(text, "    {answer} {line}");
        }
        for fact in &judged.assumed {
            let _ = writeln!(text, "             {fact} ({})", fact.identifier());
        }
    }
    let settings = site.explanation.settings;
    if settings > 0 {
        let line = format!("one of {settings} settings of the preprocessor; a change suits all");
        let _ = writeln!(text, "             {line}");
    }
    match &site.finding.outcome {
        Ok(change) => {
            let proved_only = change.notes.iter().find(|note| !note.starts_with("assumed: "));
            let (answer, line) = match (proved_only, site.rounds) {
                (Some(note), _) => (paint.doubtful("not run "), note.clone()),
                (None, 0) => {
                    (paint.doubtful("not run "), "loops and datatype were not compared".to_owned())
                }
                (None, rounds) => (
                    paint.good("compared"),
                    format!(
                        "loops and datatype give the same bytes, at {rounds} sizes drawn by chance"
                    ),
                ),
            };
            let _ = writeln!(text, "    {answer} {line}");
        }
        Err(refusal) => text.push_str(&refused(site, refusal, paint)),
    }
    text
}

/// The refusal, with its details.
fn refused(site: &Site<'_>, refusal: &Refusal, paint: Paint) -> String {
    let message = format!("{}: {}", refusal.code, refusal.message);
    format!("    {}\n{}", paint.bad(&message), words::details(site.project, refusal))
}

/// The patch for this call alone.
fn patch(site: &Site<'_>, change: &Change, colours: bool) -> String {
    let files: BTreeSet<FileId> = change.edits.iter().map(|edit| edit.span.file).collect();
    let one = std::slice::from_ref(site.finding);
    let mut text = String::new();
    for file in files {
        let (Some(source), Some(after)) =
            (site.project.source(file), check::changed(site.project, file, one))
        else {
            continue;
        };
        let name = source.name.trim_start_matches(['.', '/']);
        let patch = commloom_refactor::edit::diff(name, &source.text, &after);
        let patch = if colours { words::coloured(&patch) } else { patch };
        for line in patch.lines() {
            let _ = writeln!(text, "{}", format!("    {line}").trim_end());
        }
    }
    text
}

/// Lines that end behind commas or between words, if they can.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let here = lines.len();
        let Some(line) = lines.last_mut() else { break };
        let indent = if here > 1 { 2 } else { 0 };
        if line.chars().count() + word.trim_end().chars().count() > width - indent
            && !line.is_empty()
        {
            lines.push(format!("  {word}"));
        } else {
            line.push_str(word);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Colours, if they are wanted.
#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    fn name(self, text: &str) -> String {
        self.with("36", text)
    }

    fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    fn doubtful(self, text: &str) -> String {
        self.with("33", text)
    }

    fn bad(self, text: &str) -> String {
        self.with("31", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { styled(code, text) } else { text.to_owned() }
    }
}
