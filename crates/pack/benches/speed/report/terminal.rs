//! The table on the terminal: a line for each layout and direction.

use super::time;
use crate::cell::Cell;
use crate::contender::Who;
use crate::layouts::Layout;

/// The names of the columns.
pub fn header(sizes: &[i64]) {
    println!("Each cell: time of commloom, then how many times longer the best hand-written loop,");
    println!(
        "the best MPI library and memcpy take (1.0 and more: commloom is not slower; `!`: one of"
    );
    println!(
        "the first two is faster beyond noise), and the limit of the touched lines as a fraction."
    );
    print!("{:48}", "");
    sizes.iter().for_each(|size| print!(" | {:>33}", format!("{size} bytes")));
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
            print!(" | {:>33}", of(size).map_or(String::new(), text));
        }
        println!();
    }
}

fn text(cell: &Cell) -> String {
    let factor = |wanted: &dyn Fn(&Who) -> bool| {
        cell.best(wanted).map_or("    -".into(), |(_, ratio)| format!("{:5.2}", ratio.median))
    };
    let lost = cell.rival().is_some_and(|(_, ratio)| ratio.is_lost());
    let [hand, mpi] = [factor(&Who::is_hand), factor(&Who::is_mpi)];
    let [memcpy, limit] = [Who::Memcpy, Who::Limit].map(|wanted| factor(&|who| *who == wanted));
    let mark = if lost { '!' } else { ' ' };
    format!("{:>8}{mark}{hand} {mpi} {memcpy} {limit}", time(cell.ours().middle()))
}
