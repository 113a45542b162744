//! Packing nests that are drawn by chance: loops in any order over arrays of up to three
//! dimensions, affine subscripts, several copies in a turn, blocks by `memcpy`, lists, conditions,
//! several nests for one buffer.

use std::fmt::Write;

use commloom_testkit::Rng;

/// A procedure of C that packs and sends.
pub fn nest(rng: &mut Rng) -> String {
    let mut body = String::new();
    for _ in 0..one_to(rng, 2) {
        one(rng, &mut body);
    }
    format!(
        "#include <mpi.h>\n#include <string.h>\n\nvoid pack(int n, int m, int l, const double u[4 \
         * n][4 * m][4 * l], const double v[4 * n][4 * m][4 * l],\
         \n          const int list[n], int with, int to, MPI_Comm c)\n{{\n    double b[100000];\
         \n    int p = 0, i, j, k;\n{body}    MPI_Send(b, p, MPI_DOUBLE, to, 0, c);\n}}\n"
    )
}

fn one_to(rng: &mut Rng, most: usize) -> usize {
    1 + rng.usize(..most)
}

/// One nest. Each dimension has a loop or a fixed subscript.
fn one(rng: &mut Rng, out: &mut String) {
    let sizes = ["n", "m", "l"];
    let variables = ["i", "j", "k"];
    let mut order = vec![0, 1, 2];
    for at in (1..3).rev() {
        order.swap(at, rng.usize(..at + 1));
    }
    order.truncate(one_to(rng, 3));
    let mut indent = "    ".to_owned();
    let guarded = rng.usize(..6) == 0;
    if guarded {
        let _ = writeln!(out, "{indent}if (with)");
        indent.push_str("    ");
    }
    for &dimension in &order {
        let (variable, size) = (variables[dimension], sizes[dimension]);
        let low = rng.usize(..3);
        let high = match rng.usize(..3) {
            0 => size.to_owned(),
            1 => format!("{size} - 1"),
            _ => format!("{size} - {low}"),
        };
        let _ = match rng.usize(..5) {
            0 => writeln!(
                out,
                "{indent}for ({variable} = {high} - 1; {variable} >= {low}; {variable}--)"
            ),
            _ => {
                writeln!(out, "{indent}for ({variable} = {low}; {variable} < {high}; {variable}++)")
            }
        };
        indent.push_str("    ");
    }
    let mut listed = rng.usize(..8) == 0;
    let mut subscripts: Vec<String> = (0..3)
        .map(|dimension| {
            let variable = variables[dimension];
            if !order.contains(&dimension) {
                return rng.usize(..4).to_string();
            }
            if std::mem::take(&mut listed) {
                return format!("list[{variable}]");
            }
            match rng.usize(..6) {
                0 => format!("2 * {variable}"),
                1 => format!("{variable} + 1"),
                2 => format!("{} - 1 - {variable}", sizes[dimension]),
                _ => variable.to_owned(),
            }
        })
        .collect();
    let array = ["u", "v"][rng.usize(..2)];
    let place = |subscripts: &[String]| format!("{array}[{}]", subscripts.join("]["));
    let fixed = !order.contains(&2);
    match rng.usize(..4) {
        // A row at a time.
        0 if fixed => {
            let length = one_to(rng, 5);
            let from = place(&subscripts);
            let _ = writeln!(
                out,
                "{indent}{{ memcpy(&b[p], &{from}, {length} * sizeof(double)); p += {length}; }}"
            );
        }
        // Several components, near each other or not.
        1 if fixed => {
            let _ = writeln!(out, "{indent}{{");
            for _ in 0..one_to(rng, 3) {
                let _ = writeln!(out, "{indent}    b[p++] = {};", place(&subscripts));
                let next = subscripts[2].parse::<usize>().unwrap_or(0) + one_to(rng, 2);
                subscripts[2] = next.to_string();
            }
            let _ = writeln!(out, "{indent}}}");
        }
        _ => {
            let _ = writeln!(out, "{indent}b[p++] = {};", place(&subscripts));
        }
    }
}
