//! Layouts as notebooks show them.

use commloom_layout::{Type, text};
use commloom_picture::{By, Panel, counted, html, parts_in_words, svg, unit};

/// Cells are one element where that divides everything.
pub(crate) fn picture(ty: &Type, cost: u64) -> String {
    let title = ty.to_string();
    let panels = [Panel {
        ty,
        heading: format!("cost {cost}"),
        by: By::Parts,
        legend: format!("colours: {}", parts_in_words(ty)),
    }];
    svg(&title, &facts(ty), unit(&[ty]), &panels)
}

/// The picture with the notation below it, to be copied.
pub(crate) fn page(ty: &Type, cost: u64) -> String {
    let notation = html::escape(&text::pretty(ty));
    format!("<div>{}<pre>{notation}</pre></div>", picture(ty, cost))
}

fn facts(ty: &Type) -> Vec<String> {
    vec![format!(
        "{} in {} and {}, lower bound {}, extent {}",
        counted(ty.size(), "byte", "bytes"),
        counted(ty.elements(), "element", "elements"),
        counted(ty.runs(), "run", "runs"),
        ty.lb(),
        ty.extent()
    )]
}
