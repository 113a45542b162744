//! Parts of all drawings. Colours are classes: a page gives them its own, light or dark; a picture
//! of its own brings [`standalone`] ones.

use std::fmt::Write;

use commloom_picture::html::escape;

/// Colours for names; further names begin again.
pub const COLOURS: usize = 7;

/// The light colours of the page, for pictures that stand alone.
const STYLE: &str = "\
    text{font:12px 'DejaVu Sans',Arial,sans-serif;fill:#1c2430}.soft{fill:#5a6472}\
    .h{font-weight:bold}.grid{stroke:#d9dee5}.err{stroke:#1c2430;fill:none}.bad{fill:#c0302b}\
    .n{stroke:none}.c{fill-opacity:.3}.s0{fill:#3a6fc4;stroke:#3a6fc4}\
    .s1{fill:#b4762a;stroke:#b4762a}.s2{fill:#2f7d4f;stroke:#2f7d4f}\
    .s3{fill:#8a4fb0;stroke:#8a4fb0}.s4{fill:#c0453f;stroke:#c0453f}\
    .s5{fill:#2b8a99;stroke:#2b8a99}.s6{fill:#7a6a52;stroke:#7a6a52}.n{stroke:none}\
    .f0{fill:#eef3ee}.f1{fill:#fdf0d5}.f2{fill:#fbd9a6}.f3{fill:#f5b26f}.f4{fill:#e57f4f}\
    .f5{fill:#c2453a}.f6{fill:#8a1f2b}.b1{fill:#dfe9f5}.b2{fill:#bcd3ec}.b3{fill:#85aede}\
    .b4{fill:#4682d2}.g4,.g5,.g6{fill:#ffffff}";

/// A picture of this size, in pixels, with a title above the body, for viewers that know nothing
/// of the page.
#[must_use]
pub fn standalone(title: &str, (width, height): (f64, f64), body: &str) -> String {
    let (width, height) = (coordinate(width), coordinate(height));
    let title = escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// A text at a place; `class` may be empty, `anchor` is `start`, `middle` or `end`.
pub fn text(out: &mut String, (x, y): (f64, f64), class: &str, anchor: &str, words: &str) {
    let (x, y) = (coordinate(x), coordinate(y));
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let anchor =
        if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
    let _ = writeln!(out, "<text{class}{anchor} x=\"{x}\" y=\"{y}\">{}</text>", escape(words));
}

/// A length in pixels, to a tenth.
#[must_use]
pub fn coordinate(x: f64) -> String {
    let digits = format!("{x:.1}");
    digits.strip_suffix(".0").map_or(digits.clone(), str::to_owned)
}
