//! A heat map of all cells: layouts down, sizes across, packing left and unpacking right; the colour and
//! the number say how many times longer the best peer takes than commloom.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Campaign, bytes};
use crate::layouts::SIZES;
use crate::number::whole;

const ROW: i32 = 13;
const COLUMN: i32 = 46;
const NAMES: i32 = 250;
const TOP: i32 = 64;
const GAP: i32 = 24;

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

pub fn plot(campaign: &Campaign) -> Result<String, String> {
    let sizes: Vec<i64> =
        SIZES.into_iter().filter(|&size| campaign.cells.iter().any(|c| c.size == size)).collect();
    let shown: Vec<usize> = (0..campaign.layouts.len())
        .filter(|&layout| campaign.cells.iter().any(|c| c.layout == layout))
        .collect();
    let panel = COLUMN * i32::try_from(sizes.len()).unwrap_or(0);
    let rows = i32::try_from(shown.len()).unwrap_or(0);
    let width = NAMES + 2 * panel + 2 * GAP;
    let height = TOP + ROW * rows + GAP;
    let size = (width.unsigned_abs(), height.unsigned_abs());
    let mut svg = String::new();
    draw(campaign, &SVGBackend::with_string(&mut svg, size).into_drawing_area(), &shown, &sizes)
        .map_err(|e| format!("the plot: {e}"))?;
    Ok(svg)
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(campaign: &Campaign, area: &Area, shown: &[usize], sizes: &[i64]) -> Drawn {
    area.fill(&WHITE)?;
    let panel = COLUMN * i32::try_from(sizes.len())?;
    let title =
        "Best peer / commloom: above 1 (blue) commloom is faster than every loop and library";
    text(area, title, (12, 16), 14, HPos::Left)?;
    for (packing, name) in [(true, "pack"), (false, "unpack")] {
        let left = NAMES + if packing { 0 } else { panel + GAP };
        text(area, name, (left + panel / 2, 36), 13, HPos::Center)?;
        for (&size, column) in sizes.iter().zip(0..) {
            text(area, &bytes(size), (left + COLUMN * column + COLUMN / 2, 54), 10, HPos::Center)?;
        }
    }
    for (&layout, row) in shown.iter().zip(0..) {
        let y = TOP + ROW * row;
        let layout_ = &campaign.layouts[layout];
        let name = format!("{} {}", layout_.family, layout_.name);
        text(area, &name, (NAMES - 8, y + ROW / 2), 10, HPos::Right)?;
        for cell in campaign.cells.iter().filter(|c| c.layout == layout) {
            let Some((_, ratio)) = cell.rival() else { continue };
            let Some(column) = sizes.iter().position(|&size| size == cell.size) else { continue };
            let left = NAMES + if cell.packing { 0 } else { panel + GAP };
            let x = left + COLUMN * i32::try_from(column)?;
            let corners = [(x, y), (x + COLUMN - 1, y + ROW - 1)];
            area.draw(&Rectangle::new(corners, colour(ratio.median).filled()))?;
            let number = format!("{:.2}{}", ratio.median, if ratio.is_lost() { "!" } else { "" });
            text(area, &number, (x + COLUMN / 2, y + ROW / 2), 9, HPos::Center)?;
        }
    }
    area.present()?;
    Ok(())
}

fn text(area: &Area, text: &str, at: (i32, i32), size: i32, side: HPos) -> Drawn {
    let style = ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(side, VPos::Center));
    area.draw_text(text, &style, at)?;
    Ok(())
}

/// White at 1, full red at half, full blue at four times; even steps of the logarithm.
fn colour(ratio: f64) -> RGBColor {
    let (full, end) = if ratio < 1.0 { (0.5f64, (220, 60, 40)) } else { (4.0, (70, 130, 210)) };
    let part = (ratio.ln() / full.ln()).clamp(0.0, 1.0);
    let mix = |to: u8| {
        let mixed = whole(255.0 + part * (f64::from(to) - 255.0));
        u8::try_from(mixed).unwrap_or(u8::MAX)
    };
    RGBColor(mix(end.0), mix(end.1), mix(end.2))
}
