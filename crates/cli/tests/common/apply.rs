//! Printed code in the place of the messages of a program.
//!
//! A program says where that may be: from a comment with `one call:` to one with `to here`, where
//! the root is another each time one that says what `root` is. After
//! the first words it says what names in the printed code stand for (`BUFFER = a + 3; ...`). A `#`
//! in there is what is printed about the blocks behind that name: see [`blocks`]. `THEN` is what a
//! programmer has to move behind the call, because messages and other work alternate.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

struct Region {
    first: usize,
    last: usize,
    names: Vec<(String, String)>,
}

fn regions(lines: &[&str]) -> Vec<Region> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for (at, line) in lines.iter().enumerate() {
        if let Some((_, names)) = line.split_once("one call: ") {
            let names = names.trim_end().trim_end_matches("*/").split(';');
            let names = names.filter_map(|pair| pair.split_once('='));
            let names = names.map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned())).collect();
            open.push((at, names));
        } else if line.trim().trim_end_matches("*/").trim_end().ends_with("to here") {
            let (first, names) = open.pop().expect("a region that has begun");
            all.push(Region { first, last: at, names });
        }
    }
    assert!(open.is_empty(), "a region that does not end");
    all
}

/// The text with the code of all advice in it; `None` where there is no code.
///
/// # Errors
/// Where code has no place.
pub fn applied(text: &str, advice: &[Value]) -> Result<Option<String>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let regions = regions(&lines);
    let mut replaced: Vec<Option<String>> = regions.iter().map(|_| None).collect();
    for one in advice {
        let code: Vec<&str> =
            one["code"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if code.is_empty() {
            continue;
        }
        let ends = ["sent", "received"].into_iter().flat_map(|side| one[side].as_array());
        let ends = ends.flatten().map(|place| place["frames"][0]["line"].as_u64());
        let ends: Vec<usize> =
            ends.map(|line| usize::try_from(line.unwrap_or(0)).unwrap_or(0)).collect();
        let asks_root = words(&code.join(" ")).any(|word| word == "root");
        let has = |r: &Region| {
            let tells_root = r.names.iter().any(|(name, _)| name == "root");
            let is_all = ends.iter().all(|line| (r.first + 1..=r.last).contains(line));
            is_all && tells_root == asks_root
        };
        let inner = (0..regions.len()).filter(|r| has(&regions[*r]));
        let inner = inner.min_by_key(|r| regions[*r].last - regions[*r].first);
        let inner = inner.ok_or_else(|| format!("no place for the code: {code:?}"))?;
        let mut names = regions[inner].names.clone();
        for (name, is) in names.iter_mut().filter(|(_, is)| is.contains('#')) {
            if words(&code.join(" ")).any(|word| word == name) {
                *is = is.replace('#', &blocks(name, one, &code)?);
            }
        }
        let new = block(&code, &names, one["language"] == "Fortran")?;
        if replaced[inner].replace(new).is_some() {
            return Err("two calls for one place".to_owned());
        }
    }
    if replaced.iter().all(Option::is_none) {
        return Ok(None);
    }
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let here = regions.iter().position(|region| region.first == at);
        if let Some((region, new)) = here.and_then(|r| Some((&regions[r], replaced[r].as_ref()?))) {
            out.push_str(new);
            at = region.last + 1;
            continue;
        }
        writeln!(out, "{}", lines[at]).expect("memory");
        at += 1;
    }
    Ok(Some(out))
}

/// The blocks behind a name as they are printed, as arguments: displacements by rank, bytes from
/// one to the next where there are none, the rank whose block the name is, and the processes by
/// rank with their number.
///
/// # Errors
/// Where each block needs a place of its own, which the program has to be given.
fn blocks(name: &str, one: &Value, code: &[&str]) -> Result<String, String> {
    let legend = one["legend"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let said = legend.filter_map(|line| line.strip_prefix(&format!("{name}: "))).next();
    let said = said.unwrap_or_default();
    if said.contains("each in a place of its own") {
        return Err(format!("no place for the code, whose blocks need places: {code:?}"));
    }
    let number = |from: &str| {
        let rest = said.split_once(from)?.1.trim_start();
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<i64>().ok()
    };
    let text = code.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, behind) = text.split_once(&format!("{name}, ")).unwrap_or_default();
    let mut functions = before.split('(').filter_map(|part| part.rsplit(' ').next());
    let is_vector =
        functions.rfind(|word| word.starts_with("MPI_")).is_some_and(|f| f.ends_with('v'));
    let displacements = behind.split(", ").nth(1).filter(|_| is_vector).unwrap_or("NULL");
    let step = number("the others follow,").unwrap_or(0);
    let first = number("the block of rank").unwrap_or(-1);
    let members: Vec<String> = match one["groups"].as_array().and_then(|groups| groups.first()) {
        Some(group) => group.as_array().into_iter().flatten().map(ToString::to_string).collect(),
        None => (0..one["processes"].as_u64().unwrap_or(0)).map(|k| k.to_string()).collect(),
    };
    let (list, n) = (members.join(", "), members.len());
    Ok(format!("{displacements}, {step}, {first}, (int[]){{{list}}}, {n}"))
}

/// The code with its names, and what it needs declared.
fn block(code: &[&str], names: &[(String, String)], is_fortran: bool) -> Result<String, String> {
    let text = code.iter().map(|line| renamed(line, names)).collect::<Vec<_>>().join("\n");
    let unknown = ["BUFFER", "BLOCK", "BLOCKS", "SEND", "RECEIVE", "RESULT"];
    if let Some(name) = unknown.iter().find(|name| words(&text).any(|word| word == **name)) {
        return Err(format!("nothing says what {name} is: {text}"));
    }
    let handles = [
        ("MPI_Comm", &["group", "grid", "neighbours"][..]),
        ("MPI_Datatype", &["sent_block", "received_block", "border", "border1", "border2"]),
        ("MPI_Request", &["request"]),
    ];
    let mut declared = String::new();
    if words(&text).any(|word| word == RANK) {
        let integer = if is_fortran { "integer ::" } else { "int" };
        writeln!(declared, "{integer} {RANK}{}", if is_fortran { "" } else { ";" })
            .expect("memory");
    }
    if is_fortran {
        for name in handles.iter().flat_map(|(_, names)| *names).flat_map(|name| made(&text, name))
        {
            declared.push_str(&format!("integer :: {name}\n"));
        }
        for line in code {
            let Some((name, list)) = line.split_once(" = ") else { continue };
            let kind = match list {
                _ if list.contains("_KIND") => "integer(MPI_ADDRESS_KIND)",
                _ if list.contains(".false.") || list.contains(".true.") => "logical",
                _ => "integer",
            };
            let rank = if list.starts_with("reshape") { ":, :" } else { ":" };
            if list.starts_with(['[', 'r']) {
                declared.push_str(&format!("{kind}, allocatable :: {name}({rank})\n"));
            }
        }
        return Ok(format!("block\n{declared}{text}\nend block\n"));
    }
    for (ty, names) in handles {
        let is_made = |name: &&str| text.contains(&format!("&{name}"));
        for name in names.iter().flat_map(|name| made(&text, name)).filter(is_made) {
            declared.push_str(&format!("{ty} {name};\n"));
        }
    }
    let then = names.iter().find(|(name, _)| name == "THEN");
    let then = then.map_or_else(String::new, |(_, then)| format!("{then};\n"));
    Ok(format!("{{\n{declared}{text}\n{then}}}\n"))
}

/// The rank in a new communicator.
const RANK: &str = "group_rank";

/// The names of a handle and of what it is made of: those have its name and a number.
fn made<'t>(text: &'t str, name: &str) -> BTreeSet<&'t str> {
    let is_part = |rest: &str| rest.is_empty() || rest.starts_with('_');
    let words = |text: &'t str| words(text).filter(|word| *word != RANK);
    words(text).filter(|word| word.strip_prefix(name).is_some_and(is_part)).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// A line in which words are what they stand for.
fn renamed(line: &str, names: &[(String, String)]) -> String {
    let mut out = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (head, tail) = rest.split_at(word.max(1));
        let known = names.iter().find(|(name, _)| name == head);
        out.push_str(known.map_or(head, |(_, is)| is));
        rest = tail;
    }
    out
}
