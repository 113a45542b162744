//! The loops that a person would write for a form, as C.
//!
//! One text serves both ways to know the sizes: as constants (an `enum`) or as variables that were
//! function arguments. The number of parts is always an argument. Whoever writes a transpose by
//! hand knows about tiles, so for them there is another text.

use std::fmt::Write;

use crate::layouts::{Form, Layout};

/// The sizes that a loop knows when it is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sizes {
    /// All but the number of parts, at compile time.
    Constants,
    /// Nothing at compile time.
    Arguments,
    /// As constants, and the loops of a transpose run over tiles.
    Tiles,
}

impl Sizes {
    /// The ways to write a loop for a form.
    pub fn of(form: &Form) -> &'static [Sizes] {
        match form {
            Form::Nest { loops, block: 1, .. } if loops.len() == 2 && loops[0][1] < loops[1][1] => {
                &[Sizes::Constants, Sizes::Arguments, Sizes::Tiles]
            }
            _ => &[Sizes::Constants, Sizes::Arguments],
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Sizes::Constants => "constants",
            Sizes::Arguments => "arguments",
            Sizes::Tiles => "tiles",
        }
    }

    pub fn are_constants(self) -> bool {
        self != Sizes::Arguments
    }
}

/// A loop nest and the parameters in it.
struct Loop {
    element: &'static str,
    parameters: Vec<(String, i64)>,
    /// With `COPY(to, from, elements)` for the blocks: to and from are places in `p` and `m`.
    body: String,
}

/// The beginning of every source: `stream` reads `s` and writes `d` adjacent bytes, both in whole
/// lines and evenly mixed, which is the least that a layout of so many touched lines can cost.
const PRELUDE: &str = r"#include <string.h>
typedef long line __attribute__((vector_size(64), aligned(64)));
void stream(const line *restrict s, long sources, line *restrict d, long destinations) {
  long groups = (sources > destinations ? sources : destinations) / 16 + 1;
  line x0 = {0}, x1 = {1}, x2 = {2}, x3 = {3};
  for (long g = 0, i = 0, o = 0; g < groups; g++) {
    long si = sources * (g + 1) / groups, so = destinations * (g + 1) / groups;
    for (; i + 4 <= si; i += 4) { x0 += s[i]; x1 += s[i + 1]; x2 += s[i + 2]; x3 += s[i + 3]; }
    for (; i < si; i++) x0 += s[i];
    line sum = x0 ^ x1 ^ x2 ^ x3;
    for (; o < so; o++) d[o] = sum;
  }
}
";

/// The source for all these layouts.
pub fn source(layouts: &[Layout]) -> String {
    let mut text = String::from(PRELUDE);
    for (number, layout) in layouts.iter().enumerate() {
        for packing in [true, false] {
            for &sizes in Sizes::of(&layout.form) {
                function(&mut text, number, &layout.form, packing, sizes);
            }
        }
    }
    text
}

/// The name of the function of layout `number`.
pub fn symbol(number: usize, packing: bool, sizes: Sizes) -> String {
    let direction = if packing { "pack" } else { "unpack" };
    format!("{direction}_{number}_{}", sizes.name())
}

/// The arguments of the function with sizes as arguments.
pub fn arguments(form: &Form) -> Vec<i64> {
    loop_of(form).parameters.into_iter().map(|(_, value)| value).collect()
}

fn function(text: &mut String, number: usize, form: &Form, packing: bool, sizes: Sizes) {
    let Loop { element, parameters, mut body } = loop_of(form);
    if let (Sizes::Tiles, Form::Nest { element, .. }) = (sizes, form) {
        body = tiles(64 / element.bytes());
    }
    let mut known = String::new();
    for (i, (name, value)) in parameters.iter().enumerate() {
        if sizes.are_constants() {
            write!(known, "enum {{ {name} = {value}L }}; ")
        } else {
            write!(known, "const long {name} = v[{i}]; ")
        }
        .expect("strings do not fail");
    }
    let copy = match (form, packing) {
        (Form::Fields { .. }, true) => "memcpy(p + (to), m + (from), n)",
        (Form::Fields { .. }, false) => "memcpy(m + (from), p + (to), n)",
        (_, true) => "for (long j = 0; j < (n); j++) p[(to) + j] = m[(from) + j]",
        (_, false) => "for (long j = 0; j < (n); j++) m[(from) + j] = p[(to) + j]",
    };
    let symbol = symbol(number, packing, sizes);
    write!(
        text,
        "#define COPY(to, from, n) {copy}\n\
         void {symbol}({element} *restrict m, {element} *restrict p, long n,\n\
         const int *restrict list, const long *restrict v) {{\n\
         {known}\n{body}}}\n#undef COPY\n"
    )
    .expect("strings do not fail");
}

fn loop_of(form: &Form) -> Loop {
    match form {
        Form::Periods { element, extent, blocks } => {
            let blocks: Vec<_> = blocks.iter().map(|&[at, length]| (at, length)).collect();
            periods(element.in_c(), *extent, &blocks)
        }
        Form::Fields { extent, fields } => {
            let fields: Vec<_> = fields.iter().map(|f| (f.offset, f.bytes())).collect();
            periods("unsigned char", *extent, &fields)
        }
        Form::Nest { element, loops, block } => nest(element.in_c(), loops, *block),
        Form::List { element, block, .. } => Loop {
            element: element.in_c(),
            parameters: vec![("L".into(), *block)],
            body: "for (long k = 0; k < n; k++) COPY(k * L, list[k], L);\n".into(),
        },
    }
}

fn periods(element: &'static str, extent: i64, blocks: &[(i64, i64)]) -> Loop {
    let mut parameters = vec![("E".to_owned(), extent)];
    let mut moves = String::new();
    let (mut before, mut period) = (String::from("0"), Vec::new());
    for (k, &(at, length)) in blocks.iter().enumerate() {
        parameters.extend([(format!("S{k}"), at), (format!("L{k}"), length)]);
        writeln!(moves, "COPY(o + {before}, i + S{k}, L{k});").expect("strings do not fail");
        period.push(format!("L{k}"));
        before = period.join(" + ");
    }
    let body = format!(
        "for (long k = 0; k < n; k++) {{\nlong i = k * E, o = k * ({});\n{moves}}}\n",
        period.join(" + ")
    );
    Loop { element, parameters, body }
}

fn nest(element: &'static str, loops: &[[i64; 2]], block: i64) -> Loop {
    let mut parameters = vec![("L".to_owned(), block)];
    let (mut body, mut place) = (String::from("long o = 0;\n"), Vec::new());
    for (k, &[count, stride]) in loops.iter().enumerate() {
        let end = if k == 0 {
            "n".to_owned()
        } else {
            parameters.push((format!("C{k}"), count));
            format!("C{k}")
        };
        parameters.push((format!("S{k}"), stride));
        writeln!(body, "for (long k{k} = 0; k{k} < {end}; k{k}++)").expect("strings do not fail");
        place.push(format!("k{k} * S{k}"));
    }
    writeln!(body, "{{ COPY(o, {}, L); o += L; }}", place.join(" + "))
        .expect("strings do not fail");
    Loop { element, parameters, body }
}

/// A transpose in square tiles, a line or more wide on both sides.
fn tiles(line: i64) -> String {
    let tile = line.max(16);
    format!(
        "for (long a = 0; a < n; a += {tile}) for (long b = 0; b < C1; b += {tile})\n\
         for (long i = a; i < n && i < a + {tile}; i++)\n\
         for (long k = b; k < C1 && k < b + {tile}; k++) COPY(i * C1 + k, i * S0 + k * S1, 1);\n"
    )
}
