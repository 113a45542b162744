//! The tree of a type as indented lines.

use commloom_layout::Type;

/// Most lines: a struct can have millions of parts.
const LINES: usize = 200;

/// One line per node with the label that `label` gives it.
pub fn tree(ty: &Type, label: impl Fn(&Type) -> String) -> String {
    let mut lines = Vec::new();
    node(ty, "", "", &label, &mut lines);
    let cut = lines.len() > LINES;
    lines.truncate(LINES);
    let mut text = lines.join("\n") + "\n";
    if cut {
        text.push_str(&format!("... of {} nodes\n", ty.nodes()));
    }
    text
}

fn node(
    ty: &Type,
    first: &str,
    rest: &str,
    label: &impl Fn(&Type) -> String,
    lines: &mut Vec<String>,
) {
    lines.push(format!("{first}{}", label(ty)));
    let last = ty.children().len().saturating_sub(1);
    for (k, child) in ty.children().iter().enumerate() {
        if lines.len() > LINES {
            return;
        }
        let (branch, below) = if k == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        node(child, &format!("{rest}{branch}"), &format!("{rest}{below}"), label, lines);
    }
}
