//! The loops of samples as a program in C: element by element in the order of the buffer, one loop
//! for each that the datatype has.
//!
//! Numbers up to 16 and distances of neighbours are written into the text, as they are constants
//! in programs too; all others come from memory, so that the compiler does not know them.

use std::fmt::Write;

use commloom_layout::{Kind, Type};
use commloom_refactor::copies::Direction;
use commloom_refactor::verify::Sample;

/// Parts of a struct that are written out.
const PARTS: usize = 64;
/// Largest number that is written into the text.
const CONSTANT: i64 = 16;

/// One sample's loops, for a row of numbers.
struct Body {
    text: String,
    numbers: Vec<i64>,
}

/// How loops are written.
#[derive(Clone, Copy)]
struct Style {
    direction: Direction,
    /// Whether small numbers are written into the text.
    constants: bool,
}

/// The loops of one sample: its function and numbers; none where there are too many different
/// ones.
pub fn function(number: usize, sample: &Sample) -> Option<String> {
    let style = Style { direction: sample.direction, constants: true };
    let Body { text, numbers } = body(&sample.ty, style, 0)?;
    let mut function = String::new();
    let _ = write!(function, "long numbers_{number}[] = {{0");
    for (at, n) in numbers.iter().enumerate() {
        let _ = write!(function, "{}{n}L", if at % 16 == 15 { ",\n" } else { "," });
    }
    let _ = writeln!(
        function,
        "}};\nstatic void loops_{number}(const long *r0, char *restrict m0, char *restrict o)\n\
         {{\n{text}}}\n"
    );
    Some(function)
}

/// Moves what is at `m{depth}`, with the numbers of row `r{depth}`.
fn body(ty: &Type, style: Style, depth: usize) -> Option<Body> {
    let mut out = Body { text: String::new(), numbers: Vec::new() };
    node(ty, style, depth, depth, &mut out)?;
    Some(out)
}

/// `row`: in whose numbers those of this node are.
fn node(ty: &Type, style: Style, depth: usize, row: usize, out: &mut Body) -> Option<()> {
    let below = depth + 1;
    match ty.kind() {
        Kind::Leaf(basic) => {
            let size = basic.size();
            let (to, from) = match style.direction {
                Direction::Pack => ("o".to_owned(), format!("m{depth}")),
                Direction::Unpack => (format!("m{depth}"), "o".to_owned()),
            };
            let _ = match size {
                1 | 2 | 4 | 8 => writeln!(out.text, "*(T{size} *){to} = *(const T{size} *){from};"),
                _ => writeln!(out.text, "memcpy({to}, {from}, {size});"),
            };
            let _ = writeln!(out.text, "o += {size};");
        }
        Kind::Resized { child, .. } => node(child, style, depth, row, out)?,
        Kind::Vec { count, stride, child } => {
            let count = i64::try_from(*count).ok()?;
            let count = out.number(count, style.constants && count <= CONSTANT, row);
            let adjacent = u64::try_from(*stride) == Ok(child.size()) && child.runs() <= 1;
            let stride = out.number(*stride, adjacent, row);
            let _ =
                writeln!(out.text, "for (long i{below} = 0; i{below} < {count}; i{below}++) {{");
            let _ = writeln!(out.text, "char *m{below} = m{depth} + i{below} * {stride};");
            node(child, style, below, row, out)?;
            out.text.push_str("}\n");
        }
        Kind::Idx { indices, child } => {
            let first = out.numbers.len() + 1;
            out.numbers.extend(indices.iter());
            let count = indices.len();
            let _ =
                writeln!(out.text, "for (long i{below} = 0; i{below} < {count}; i{below}++) {{");
            let _ = writeln!(out.text, "char *m{below} = m{depth} + r{row}[{first} + i{below}];");
            node(child, style, below, row, out)?;
            out.text.push_str("}\n");
        }
        Kind::IdxBuc { stride, indices, blocks, child } => {
            let first = out.numbers.len() + 1;
            for (index, block) in indices.iter().zip(blocks.iter()) {
                out.numbers.extend([*index, i64::try_from(*block).ok()?]);
            }
            let stride = out.number(*stride, u64::try_from(*stride) == Ok(child.size()), row);
            let (count, inner) = (indices.len(), below + 1);
            let _ = writeln!(out.text, "for (long i{below} = 0; i{below} < {count}; i{below}++)");
            let _ = writeln!(
                out.text,
                "for (long i{inner} = 0; i{inner} < r{row}[{first} + 2 * i{below} + 1]; \
                 i{inner}++) {{"
            );
            let _ = writeln!(
                out.text,
                "char *m{inner} = m{depth} + r{row}[{first} + 2 * i{below}] + i{inner} * {stride};"
            );
            node(child, style, inner, row, out)?;
            out.text.push_str("}\n");
        }
        Kind::Strc { indices, children } => {
            let parts = |constants| -> Option<Vec<(i64, Body)>> {
                let style = Style { constants, ..style };
                let bodies = children.iter().map(|child| body(child, style, below));
                indices.iter().zip(bodies).map(|(index, body)| Some((*index, body?))).collect()
            };
            let mut all = parts(style.constants)?;
            if alike(&all).count() > 1 {
                all = parts(false)?;
            }
            if alike(&all).count() > PARTS {
                return None;
            }
            for group in alike(&all) {
                out.group(group, depth, row);
            }
        }
    }
    Some(())
}

/// Neighbours that have the same loops.
fn alike(parts: &[(i64, Body)]) -> impl Iterator<Item = &[(i64, Body)]> {
    parts.chunk_by(|(_, a), (_, b)| a.text == b.text && a.numbers.len() == b.numbers.len())
}

impl Body {
    /// Parts with the same loops: a loop over their numbers.
    fn group(&mut self, group: &[(i64, Body)], depth: usize, row: usize) {
        let Some((_, one)) = group.first() else { return };
        let below = depth + 1;
        let (first, width) = (self.numbers.len() + 1, one.numbers.len() + 1);
        for (index, part) in group {
            self.numbers.push(*index);
            self.numbers.extend(&part.numbers);
        }
        let _ = writeln!(
            self.text,
            "for (long i{below} = 0; i{below} < {}; i{below}++) {{",
            group.len()
        );
        let _ =
            writeln!(self.text, "const long *r{below} = r{row} + {first} + i{below} * {width};");
        let _ = writeln!(self.text, "char *m{below} = m{depth} + r{below}[0];");
        self.text.push_str(&one.text);
        self.text.push_str("}\n");
    }

    /// A number, as it is written.
    fn number(&mut self, value: i64, is_constant: bool, row: usize) -> String {
        if is_constant {
            return value.to_string();
        }
        self.numbers.push(value);
        format!("r{row}[{}]", self.numbers.len())
    }
}

/// The whole program: it answers lines on standard input. `functions` are those of some samples,
/// by number.
pub fn program(functions: &[(usize, String)], samples: &[&Sample]) -> String {
    let mut text = HEAD.to_owned();
    let mut table = String::new();
    for (number, function) in functions {
        let Some(sample) = samples.get(*number) else { continue };
        text.push_str(function);
        let packs = u8::from(sample.direction == Direction::Pack);
        let (lowest, span, size) = (sample.ty.true_lb(), sample.ty.true_extent(), sample.ty.size());
        let _ = writeln!(
            table,
            "{{{number}, loops_{number}, numbers_{number}, {packs}, {lowest}, {span}, {size}}},"
        );
    }
    let _ = writeln!(text, "static const struct sample samples[] = {{\n{table}}};\n{MAIN}");
    text
}

const HEAD: &str = r"#define _POSIX_C_SOURCE 200112L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef uint8_t __attribute__((may_alias)) T1;
typedef uint16_t __attribute__((may_alias, aligned(1))) T2;
typedef uint32_t __attribute__((may_alias, aligned(1))) T4;
typedef uint64_t __attribute__((may_alias, aligned(1))) T8;
struct sample {
    int number;
    void (*loops)(const long *, char *, char *);
    const long *numbers;
    int packs;
    long lowest;
    size_t span, size;
};
";

const MAIN: &str = r#"
static void fill(unsigned char *from, size_t n, unsigned char *to, size_t m)
{
    for (size_t i = 0; i < n; i++)
        from[i] = (unsigned char)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
    memset(to, 0xa5, m);
}

int main(void)
{
    char line[4096];
    unsigned char *memory = NULL, *packed = NULL;
    char *origin = NULL;
    const struct sample *now = NULL;
    while (fgets(line, sizeof line, stdin)) {
        long number;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "do %ld", &number) == 1) {
            const char *file = strchr(line + 3, ' ');
            now = NULL;
            for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
                if (samples[k].number == number)
                    now = &samples[k];
            free(memory);
            free(packed);
            memory = packed = NULL;
            if (!now || !file || posix_memalign((void **)&memory, 64, now->span + 64)
                || posix_memalign((void **)&packed, 64, now->size + 64)) {
                now = NULL;
                puts("commloom-bench error there is no memory for it");
                fflush(stdout);
                continue;
            }
            if (now->packs)
                fill(memory, now->span, packed, now->size);
            else
                fill(packed, now->size, memory, now->span);
            origin = (char *)((uintptr_t)memory - (uintptr_t)now->lowest);
            now->loops(now->numbers, origin, (char *)packed);
            FILE *out = fopen(file + 1, "wb");
            size_t length = now->packs ? now->size : now->span;
            int bad = !out || fwrite(now->packs ? packed : memory, 1, length, out) != length;
            if (out && fclose(out))
                bad = 1;
            puts(bad ? "commloom-bench error cannot write" : "commloom-bench ok");
        } else if (now && sscanf(line, "time %ld", &number) == 1) {
            struct timespec start, end;
            clock_gettime(CLOCK_MONOTONIC, &start);
            for (long k = 0; k < number; k++) {
                now->loops(now->numbers, origin, (char *)packed);
                __asm__ volatile("" ::: "memory");
            }
            clock_gettime(CLOCK_MONOTONIC, &end);
            printf("commloom-bench ok %.0f\n",
                1e9 * (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec));
        } else {
            puts("commloom-bench error nothing is prepared");
        }
        fflush(stdout);
    }
    return 0;
}
"#;
