//! The data that the script draws, as JSON.

use commloom_picture::matrix::Square;
use serde_json::{Value, json};

use super::columns::column;
use super::model::{Band, Diagram, Figure, Line, Page};

/// One object; without characters that mean something in HTML or XML.
pub fn json(page: &Page<'_>) -> String {
    let parts = (1..).zip(&page.parts);
    let parts = parts.filter_map(|(n, part)| Some((format!("part-{n}"), part.figure.as_ref()?)));
    let run = page.run.iter().map(|run| ("run".to_owned(), run));
    let figures: serde_json::Map<String, Value> =
        run.chain(parts).map(|(id, all)| (id, figure(all))).collect();
    let all = json!({ "places": page.places, "figures": figures }).to_string();
    // Only in strings, where JSON has escapes for them.
    all.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn figure(figure: &Figure) -> Value {
    json!({
        "processes": figure.processes,
        "before": figure.before.as_ref().map(diagram),
        "after": figure.after.as_ref().map(diagram),
        "matrix": matrix(&figure.matrix),
    })
}

fn diagram(diagram: &Diagram) -> Value {
    let of = |f: fn(&Line) -> u64| column(diagram.lines.iter().map(f));
    let wide = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let lines = &diagram.lines;
    let mut all = json!({
        "lane": diagram.lane,
        "n": lines.len(),
        "from": of(|line| line.from.into()),
        "to": of(|line| line.to.into()),
        "messages": of(|line| line.messages),
        "bytes": of(|line| line.bytes),
        "sender": column(lines.iter().map(|line| wide(line.sender))),
        "receiver": column(lines.iter().map(|line| wide(line.receiver))),
        "bands": diagram.bands.iter().map(band).collect::<Vec<_>>(),
        "begins": diagram.begins,
    });
    if diagram.stepped {
        all["steps"] = json!([of(|line| line.steps.0), of(|line| line.steps.1)]);
    }
    if diagram.timed {
        all["times"] = json!([of(|line| line.times.0), of(|line| line.times.1)]);
    }
    all
}

fn band(band: &Band) -> Value {
    json!({
        "name": band.name,
        "detail": band.detail,
        "root": band.root,
        "members": column(band.members.iter().map(|rank| u64::from(*rank))),
        "step": band.step,
        "times": column(band.times.iter().copied()),
    })
}

fn matrix(squares: &[Square]) -> Value {
    let of = |f: fn(&Square) -> u64| column(squares.iter().map(f));
    json!({
        "n": squares.len(),
        "from": of(|s| s.from.into()),
        "to": of(|s| s.to.into()),
        "side": of(|s| s.side),
        "pairs": of(|s| s.pairs),
        "messages": of(|s| s.messages),
        "bytes": of(|s| s.bytes),
        "mostMessages": of(|s| s.most_messages),
        "mostBytes": of(|s| s.most_bytes),
    })
}
