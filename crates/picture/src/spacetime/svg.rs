//! Timelines as SVG.

use std::fmt::Write;

use super::fewer::{Scale, joined};
use super::{Band, Message, Timeline};
use crate::html::escape;

/// Sizes in pixels.
const MARGIN: f64 = 24.0;
const GAP: f64 = 56.0;
const HEADING: f64 = 58.0;
const FOOT: f64 = 34.0;
/// Panels stand side by side up to this width.
const PAGE: f64 = 1240.0;
/// A letter of 12 pixels, at most.
const LETTER: f64 = 7.0;
/// Messages beyond which none is labelled, and arrow heads are left out.
const LABELLED: usize = 24;
const ARROWS: usize = 600;

const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#222}\
.t{font-size:16px;font-weight:600}.h{font-size:14px;font-weight:600}.q{fill:#666}\
.bg{fill:#fff}.lane{stroke:#c9ced6}.lanes{stroke:#c9ced6;stroke-width:3}.tick{stroke:#eceff3}\
.band{fill:#2266aa}.join{stroke:#2266aa;stroke-width:3}.on{fill:#fff;font-weight:600}\
.sub{fill:#dbe8f6}\
.halo{stroke:#fff;stroke-width:4px;paint-order:stroke;font-size:11px}\
.mark{fill:#fff;stroke:#555;stroke-width:1.5}\
@media (prefers-color-scheme:dark){text{fill:#e4e6ea}.q{fill:#9aa3af}.bg{fill:#16191e}\
.lane,.lanes{stroke:#454c57}\
.tick{stroke:#23282f}.band{fill:#3f82c4}.join{stroke:#3f82c4}.on{fill:#fff}.sub{fill:#e6effa}\
.halo{stroke:#16191e}.mark{fill:#16191e;stroke:#aab2bd}}";

/// A timeline with the sizes of its parts.
struct Panel {
    timeline: Timeline,
    scale: Scale,
    left: f64,
    /// Where each step starts, and at last where they end; from `left` on.
    steps: Vec<f64>,
    lane: f64,
}

/// The picture: the timelines side by side where they fit, else one under the other; with a line
/// of text above.
#[must_use]
pub fn spacetime(title: &str, subtitle: &str, timelines: &[Timeline]) -> String {
    let panels: Vec<Panel> = timelines.iter().map(Panel::new).collect();
    let side_by_side = panels.iter().map(Panel::width).sum::<f64>() + 2.0 * MARGIN <= PAGE;
    let (mut x, mut y) = (MARGIN, 70.0);
    let (mut width, mut height) = (420.0_f64.max(letters(subtitle) + 2.0 * MARGIN), y);
    let mut body = String::new();
    for panel in &panels {
        panel.draw(x, y, &mut body);
        width = width.max(x + panel.width() + MARGIN);
        height = height.max(y + panel.height() + MARGIN);
        if side_by_side {
            x += panel.width() + GAP;
        } else {
            y += panel.height() + GAP / 2.0;
        }
    }
    let width = width.min(4.0 * PAGE);
    let fits = shorten(title, count((width - 2.0 * MARGIN) / 9.0));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} \
         {height:.0}\">\n<title>{}</title>\n<style>{STYLE}</style>\n<rect class=\"bg\" \
         width=\"100%\" \
         height=\"100%\"/>\n<text class=\"t\" x=\"{MARGIN}\" y=\"32\">{}</text>\n<text \
         class=\"q\" x=\"{MARGIN}\" \
         y=\"52\">{}</text>\n{body}</svg>\n",
        escape(title),
        escape(&fits),
        escape(&shorten(subtitle, count((width - 2.0 * MARGIN) / LETTER)))
    )
}

impl Panel {
    fn new(given: &Timeline) -> Panel {
        let scale = Scale::of(given);
        let timeline = joined(given, scale);
        let longest = timeline.lanes.iter().map(|l| letters(l)).fold(0.0, f64::max);
        let steps = timeline.steps();
        let plain = (640.0 / f64::from(steps.max(1))).clamp(9.0, 92.0);
        let mut starts = vec![0.0];
        for step in 0..steps {
            let bands = timeline.bands.iter().filter(|b| b.step == step);
            let wide = bands
                .map(|b| letters(&b.label).max(letters(&b.detail)) * 1.06 + 24.0)
                .fold(plain, f64::max);
            let last = starts.last().copied().unwrap_or(0.0);
            starts.push(last + wide);
        }
        let lane = match timeline.lanes.len() {
            0..=3 => 54.0,
            4..=8 => 38.0,
            9..=20 => 26.0,
            _ => 18.0,
        };
        Panel { timeline, scale, left: longest.clamp(44.0, 180.0) + 12.0, steps: starts, lane }
    }

    fn width(&self) -> f64 {
        let end = self.steps.last().copied().unwrap_or(0.0);
        let text = letters(&self.timeline.legend).max(letters(&self.timeline.heading));
        (self.left + end + 30.0).max(text.min(560.0))
    }

    fn height(&self) -> f64 {
        let lanes = u32::try_from(self.timeline.lanes.len()).unwrap_or(u32::MAX);
        HEADING + self.lane * f64::from(lanes) + FOOT
    }

    fn draw(&self, x: f64, y: f64, out: &mut String) {
        let Timeline { heading, legend, lanes, messages, bands, marks, .. } = &self.timeline;
        let end = self.steps.last().copied().unwrap_or(0.0);
        let bottom = y + self.height() - FOOT;
        let fits = |text: &str| escape(&shorten(text, count(self.width() / LETTER * 1.1)));
        let _ = writeln!(
            out,
            "<text class=\"h\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            y + 14.0,
            fits(heading)
        );
        let _ = writeln!(
            out,
            "<text class=\"q\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            y + 32.0,
            fits(legend)
        );
        let left = x + self.left;
        self.draw_ticks(left, y + HEADING - 8.0, bottom, out);
        let _ = writeln!(
            out,
            "<text class=\"q\" x=\"{x:.1}\" y=\"{:.1}\">process</text>",
            y + HEADING - 2.0
        );
        let class = if self.scale.lanes > 1 { "lanes" } else { "lane" };
        for (k, label) in lanes.iter().enumerate() {
            let at = self.lane_at(y, k);
            let _ = writeln!(
                out,
                "<text text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text><path \
                 class=\"{class}\" d=\"M{left:.1} {at:.1}h{:.1}\"/>",
                left - 10.0,
                at + 4.0,
                escape(&shorten(label, 25)),
                end + 18.0
            );
        }
        let many = messages.len() > ARROWS;
        for message in messages {
            self.draw_message(left, y, message, many, out);
        }
        for mark in marks {
            let (a, b) = (left + self.steps[index(mark.step)] + 8.0, self.lane_at(y, mark.lane));
            let r = (self.lane / 5.0).clamp(3.0, 5.0);
            let _ = match mark.reduces {
                true => writeln!(
                    out,
                    "<circle class=\"mark\" cx=\"{a:.1}\" cy=\"{b:.1}\" \
                     r=\"{r:.1}\"><title>reduction</title></circle>"
                ),
                false => writeln!(
                    out,
                    "<rect class=\"mark\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" \
                     height=\"{:.1}\"><title>copy</title></rect>",
                    a - r,
                    b - r,
                    2.0 * r,
                    2.0 * r
                ),
            };
        }
        // The legend tells what all have in common.
        let differ = messages.windows(2).any(|w| w[0].bytes != w[1].bytes);
        if messages.len() <= LABELLED && differ {
            messages.iter().for_each(|m| self.draw_bytes(left, y, m, out));
        }
        bands.iter().for_each(|band| self.draw_band(left, y, band, out));
    }

    /// The steps, numbered at the bottom where there are messages.
    fn draw_ticks(&self, left: f64, top: f64, bottom: f64, out: &mut String) {
        let every = (self.steps.len() / 12).max(1);
        for (step, at) in self.steps.iter().enumerate() {
            let x = left + at;
            let _ = writeln!(out, "<path class=\"tick\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>");
            if step % every == 0 && !self.timeline.messages.is_empty() {
                let number = u64::try_from(step).unwrap_or(0) * u64::from(self.scale.steps);
                let _ = writeln!(
                    out,
                    "<text class=\"q\" text-anchor=\"middle\" x=\"{x:.1}\" \
                     y=\"{:.1}\">{number}</text>",
                    bottom + 14.0
                );
            }
        }
    }

    /// Both ends of a message.
    fn ends(&self, left: f64, y: f64, m: &Message) -> [f64; 4] {
        let [a, b] = [m.leaves, m.arrives].map(|step| left + self.steps[index(step)]);
        // Ends of neighbouring messages do not touch.
        let inset = ((b - a) * 0.08).min(6.0);
        [a + inset, self.lane_at(y, m.from), b - inset, self.lane_at(y, m.to)]
    }

    fn draw_message(&self, left: f64, y: f64, m: &Message, many: bool, out: &mut String) {
        let [x1, y1, x2, y2] = self.ends(left, y, m);
        let lanes = &self.timeline.lanes;
        let ink = colour(m.from, lanes.len());
        // Ten times as many messages are one pixel more.
        let width = 1.4 + float(m.count).log10().max(0.0);
        let opacity = if many { 0.55 } else { 0.9 };
        let from = lanes.get(m.from).map_or("", |l| l);
        let to = lanes.get(m.to).map_or("", |l| l);
        let what = match m.count {
            1 => format!("{} from {from} to {to}", self.bytes(m.bytes)),
            n => format!("{n} messages, {}, from {from} to {to}", self.bytes(m.bytes)),
        };
        let line = match m.from == m.to {
            // Within a lane of several processes, or to itself.
            true => format!(
                "M{x1:.1} {y1:.1}q{:.1} {:.1} {:.1} 0",
                (x2 - x1) / 2.0,
                -self.lane * 0.7,
                x2 - x1
            ),
            false => format!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"),
        };
        let _ = writeln!(
            out,
            "<path d=\"{line}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"{width:.1}\" \
             opacity=\"{opacity}\"><title>{}</title></path>",
            escape(&what)
        );
        if !many && m.from != m.to {
            let length = (x2 - x1).hypot(y2 - y1).max(1.0);
            let (dx, dy) = ((x2 - x1) / length, (y2 - y1) / length);
            let (bx, by) = (x2 - 8.0 * dx, y2 - 8.0 * dy);
            let _ = writeln!(
                out,
                "<path d=\"M{x2:.1} {y2:.1}L{:.1} {:.1}L{:.1} {:.1}z\" fill=\"{ink}\"/><circle \
                 cx=\"{x1:.1}\" cy=\"{y1:.1}\" \
                 r=\"2.4\" fill=\"{ink}\"/>",
                bx - 3.4 * dy,
                by + 3.4 * dx,
                bx + 3.4 * dy,
                by - 3.4 * dx
            );
        }
    }

    /// How long a message is, near its start, where lines that meet are furthest apart.
    fn draw_bytes(&self, left: f64, y: f64, m: &Message, out: &mut String) {
        let [x1, y1, x2, y2] = self.ends(left, y, m);
        if x2 - x1 < 50.0 {
            return;
        }
        let (x, at) = (x1 + 0.3 * (x2 - x1), y1 + 0.3 * (y2 - y1) + 4.0);
        let _ = writeln!(
            out,
            "<text class=\"halo\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{at:.1}\">{}</text>",
            self.bytes(m.bytes)
        );
    }

    fn draw_band(&self, left: f64, y: f64, band: &Band, out: &mut String) {
        let step = index(band.step);
        let (x, width) =
            (left + self.steps[step] + 6.0, self.steps[step + 1] - self.steps[step] - 12.0);
        let (Some(first), Some(last)) = (band.lanes.first(), band.lanes.last()) else { return };
        let middle = x + width / 2.0;
        let _ = writeln!(
            out,
            "<g><title>{}</title>",
            escape(&format!("{}, {}", band.label, band.detail))
        );
        if last - first >= band.lanes.len() {
            let (top, bottom) = (self.lane_at(y, *first), self.lane_at(y, *last));
            let _ = writeln!(out, "<path class=\"join\" d=\"M{middle:.1} {top:.1}V{bottom:.1}\"/>");
        }
        let mut longest = (0, 0.0);
        for run in band.lanes.chunk_by(|a, b| a + 1 == *b) {
            let (top, bottom) = (self.lane_at(y, run[0]), self.lane_at(y, run[run.len() - 1]));
            let (top, bottom) = (top - self.lane * 0.38, bottom + self.lane * 0.38);
            let _ = writeln!(
                out,
                "<rect class=\"band\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
                 height=\"{:.1}\" rx=\"6\"/>",
                bottom - top
            );
            if run.len() > longest.0 {
                longest = (run.len(), (top + bottom) / 2.0);
            }
        }
        let two_lines = float_of(longest.0) * self.lane >= 40.0 && !band.detail.is_empty();
        let mut line = |class: &str, at: f64, words: &str| {
            let _ = writeln!(
                out,
                "<text class=\"{class}\" text-anchor=\"middle\" x=\"{middle:.1}\" \
                 y=\"{at:.1}\">{}</text>",
                escape(words)
            );
        };
        line("on", longest.1 + if two_lines { -3.0 } else { 4.0 }, &band.label);
        if two_lines {
            line("sub", longest.1 + 13.0, &band.detail);
        }
        if let Some(root) = band.root {
            let at = self.lane_at(y, root);
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{at:.1}\" r=\"4.5\" \
                 fill=\"#ffd34d\"><title>root</title></circle>",
                x + 9.0
            );
        }
        out.push_str("</g>\n");
    }

    fn bytes(&self, n: u64) -> String {
        match self.timeline.unit.as_str() {
            "" => scaled(n),
            unit => format!("{n} {unit}"),
        }
    }

    fn lane_at(&self, y: f64, lane: usize) -> f64 {
        y + HEADING + self.lane * (float_of(lane) + 0.5)
    }
}

/// The colour of a lane: told apart where there are few, a row of hues where there are many. All
/// can be seen on white and on black.
fn colour(lane: usize, lanes: usize) -> String {
    const FEW: [&str; 8] =
        ["#3b7dd8", "#e07b39", "#2f9e6e", "#c74f9a", "#8a6fd1", "#b08d1e", "#d2504a", "#2a9db0"];
    if lanes <= FEW.len() {
        return FEW[lane % FEW.len()].to_owned();
    }
    let hue = 250.0 - 240.0 * float_of(lane) / float_of(lanes.saturating_sub(1).max(1));
    format!("hsl({hue:.0},58%,52%)")
}

/// Bytes with a unit, exact where that is short.
fn scaled(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    let mut scaled = float(n);
    while scaled >= 1024.0 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(scaled.fract() > 0.0 && scaled < 100.0);
    format!("{scaled:.digits$} {}", UNITS[unit])
}

/// How wide a text is, at most.
fn letters(text: &str) -> f64 {
    LETTER * float_of(text.chars().count())
}

fn index(step: u32) -> usize {
    usize::try_from(step).unwrap_or(usize::MAX)
}

fn float_of(n: usize) -> f64 {
    float(u64::try_from(n).unwrap_or(u64::MAX))
}

#[allow(clippy::cast_precision_loss)] // It is a place in a picture.
fn float(n: u64) -> f64 {
    n as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It is a number of letters.
fn count(n: f64) -> usize {
    n.max(0.0) as usize
}

fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => {
            let end = text.char_indices().nth(most.saturating_sub(1)).map_or(0, |(end, _)| end);
            format!("{}\u{2026}", &text[..end])
        }
        None => text.to_owned(),
    }
}
