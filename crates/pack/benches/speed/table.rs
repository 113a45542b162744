//! The table on the terminal: a line for each layout and direction.

use crate::cell::{Cell, Outcome};
use crate::contender::Who;
use crate::layouts::Layout;
use crate::sampling::quantile;

/// What the columns are.
pub fn header(sizes: &[i64]) {
    println!("Each cell: time of commloom, then how many times longer the best hand-written loop,");
    println!(
        "the best MPI library and memcpy take (1.0 and more: commloom is not slower; `!`: one of"
    );
    println!(
        "the first two is faster beyond noise), and the limit of the touched lines as a fraction."
    );
    print!("{:48}", "");
    sizes.iter().for_each(|size| print!(" | {:>32}", format!("{size} bytes")));
    println!();
}

/// The cells of a layout.
pub fn rows(layout: &Layout, sizes: &[i64], cells: &[Cell]) {
    for packing in [true, false] {
        let of = |size| cells.iter().find(|c| c.size == size && c.packing == packing);
        if sizes.iter().all(|&size| of(size).is_none()) {
            continue;
        }
        let name = format!("{} {}", layout.family, layout.name);
        print!("{name:41} {:>6}", if packing { "pack" } else { "unpack" });
        for &size in sizes {
            print!(" | {:>32}", of(size).map_or(String::new(), text));
        }
        println!();
    }
}

fn text(cell: &Cell) -> String {
    let Some(ours) = cell.results.iter().find(|o| o.who == Who::Commloom) else {
        return String::new();
    };
    let best = |wanted: fn(&Who) -> bool| {
        let those = cell.results.iter().filter(|o| wanted(&o.who) && !o.samples.is_empty());
        those.min_by(|x, y| x.median().total_cmp(&y.median()))
    };
    let mut mark = ' ';
    let mut factor = |other: Option<&Outcome>, rival: bool| match other {
        Some(other) => {
            let ratios = ratios(other, ours);
            if rival && quantile(&ratios, 0.75) < 1.0 {
                mark = '!';
            }
            format!("{:5.2}", quantile(&ratios, 0.5))
        }
        None => "    -".into(),
    };
    let hand = factor(best(|who| matches!(who, Who::Hand { .. })), true);
    let mpi = factor(best(|who| matches!(who, Who::Mpi(_))), true);
    let memcpy = factor(best(|who| *who == Who::Memcpy), false);
    let limit = factor(best(|who| *who == Who::Limit), false);
    format!("{}{mark}{hand} {mpi} {memcpy} {limit}", time(ours.median()))
}

/// Times of one divided by those of the other, round by round.
fn ratios(one: &Outcome, other: &Outcome) -> Vec<f64> {
    one.samples.iter().zip(&other.samples).map(|(x, y)| x / y).collect()
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        t if t < 9_999.5 => format!("{t:5.0} ns"),
        t if t < 9_999_500.0 => format!("{:5.0} us", t / 1e3),
        t => format!("{:5.0} ms", t / 1e6),
    }
}
