//! A heat map of all cells: layouts down, sizes across, packing left and unpacking right; the
//! colour and the number say how many times longer the best peer takes than commloom.

use commloom_measure::chart::{HeatColumn, HeatMap, HeatRow, Shade, Square, standalone, text};

use super::{Campaign, bytes};
use crate::analysis::Ratio;
use crate::cell::Cell;
use crate::layouts::{Layout, SIZES};

const TITLE: &str =
    "Best peer / commloom: above 1 (blue) commloom is faster than every loop and library";
const MARGIN: f64 = 8.0;
/// From these factors on a square has the next colour: warm where the peer is faster, cool where
/// commloom is.
const WARM: [f64; 4] = [1.05, 1.2, 1.5, 2.0];
const COOL: [f64; 4] = [1.05, 1.5, 2.0, 4.0];

pub fn plot(campaign: &Campaign) -> String {
    let cells = || campaign.cells.iter();
    let used = |size: &i64| cells().any(|cell| cell.size == *size);
    let sizes = |packing| SIZES.into_iter().filter(used).map(move |size| (packing, size));
    let places: Vec<(bool, i64)> = sizes(true).chain(sizes(false)).collect();
    let column = |&(packing, size): &(bool, i64)| HeatColumn {
        group: usize::from(packing),
        head: if packing { "pack" } else { "unpack" }.to_owned(),
        name: bytes(size),
    };
    let row = |(layout, named): (usize, &Layout)| {
        let square = |&(packing, size): &(bool, i64)| {
            let of = |c: &&Cell| (c.layout, c.packing, c.size) == (layout, packing, size);
            Some(square(&cells().find(of)?.rival()?.1))
        };
        let squares = places.iter().map(square).collect();
        HeatRow { section: named.family.to_string(), name: named.name.clone(), squares }
    };
    let shown = campaign.layouts.iter().enumerate();
    let shown = shown.filter(|(layout, _)| cells().any(|cell| cell.layout == *layout));
    let columns = places.iter().map(column).collect();
    let (body, size) = HeatMap { columns, rows: shown.map(row).collect() }.draw();
    let mut picture = String::new();
    text(&mut picture, (MARGIN, MARGIN + 12.0), "h", "start", TITLE);
    let top = MARGIN + 24.0;
    picture += &format!("<g transform=\"translate({MARGIN} {top})\">\n{body}</g>\n");
    standalone(TITLE, (size.0 + 2.0 * MARGIN, size.1 + top + MARGIN), &picture)
}

fn square(ratio: &Ratio) -> Square {
    let steps = |of: [f64; 4], factor: f64| of.iter().filter(|&&from| factor > from).count();
    let shade = match steps(COOL, ratio.median) {
        0 => Shade::Warm(steps(WARM, 1.0 / ratio.median)),
        strength => Shade::Cool(strength),
    };
    let number = format!("{:.2}{}", ratio.median, if ratio.is_lost() { "!" } else { "" });
    Square { shade, number, title: format!("{:.2} to {:.2}", ratio.low, ratio.high) }
}
