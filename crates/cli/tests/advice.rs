//! Which calls `commloom detect` prints for a program that ran: only those that, replayed at every
//! rank for every time, do what was recorded. The others are withheld with the reason.

#[path = "common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use commloom_layout::{Basic, Type};
use commloom_trace::{
    Action, Buffer, Communicator, Event, Header, Mode, Origin, Received, Site, Writer,
};
use common::run;
use serde_json::Value;

/// A message of a program.
#[derive(Debug, Clone)]
struct Sent {
    from: u32,
    to: u32,
    /// Where its bytes are, and where they go.
    places: (u64, u64),
    /// Of `MPI_BYTE`s, or one element of a layout.
    bytes: u64,
    layout: Option<Type>,
    /// Of its content.
    hash: u64,
    /// Lines that send and receive.
    lines: (u64, u64),
    any_source: bool,
    /// Bytes that the receive has room for besides.
    more_room: u64,
    /// In a round each process first sends everything, and then receives.
    round: u64,
    /// Whether it is what the sender has received last.
    relays: bool,
    /// Of its communicator; none for the world.
    members: Vec<u32>,
}

fn sent(from: u32, to: u32, places: (u64, u64), bytes: u64) -> Sent {
    // Two processes have other bytes at one place, and one has others at others.
    let hash = 1 + u64::from(from) * 0x1_0000_0000 + places.0;
    let lines = (0x10, 0x20);
    Sent {
        from,
        to,
        places,
        bytes,
        layout: None,
        hash,
        lines,
        any_source: false,
        more_room: 0,
        round: 0,
        relays: false,
        members: vec![],
    }
}

fn buffer(address: u64, message: &Sent, more: u64) -> Buffer {
    let bytes = message.bytes + more;
    let (count, layout) = match &message.layout {
        Some(ty) => (1, ty.to_string()),
        None => (bytes, "MPI_BYTE".to_owned()),
    };
    Buffer { address, count, layout: layout.into(), bytes }
}

/// The folder of a program of so many processes, which sends these one after the other.
fn traces(name: &str, ranks: u32, messages: &[Sent]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("advice-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let members = (0..ranks).collect();
    let all = Arc::new(Communicator { number: 0, members, remote: vec![] });
    for rank in 0..ranks {
        let header =
            Header { rank, ranks, program: "drawn".into(), library: "none".into(), started: 0 };
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &header).expect("memory takes all");
        let mut last = None;
        let mut steps: Vec<(u64, bool, &Sent)> = Vec::new();
        steps.extend(messages.iter().filter(|m| m.from == rank).map(|m| (m.round, false, m)));
        steps.extend(messages.iter().filter(|m| m.to == rank).map(|m| (m.round, true, m)));
        steps.sort_by_key(|(round, receives, _)| (*round, *receives));
        for (round, receives, message) in steps {
            let site = |offset| Some(Arc::new(Site { module: "/no/such/drawn".into(), offset }));
            let mut push = |offset, action| {
                let event = Event { time: round, site: site(offset), action };
                writer.push(&event).expect("memory takes all")
            };
            let communicator = match message.members.first() {
                None => all.clone(),
                Some(first) => Arc::new(Communicator {
                    number: 1 + u64::from(*first),
                    members: message.members.clone(),
                    remote: vec![],
                }),
            };
            if receives {
                let buffer = buffer(message.places.1, message, message.more_room);
                let from = (!message.any_source).then_some(message.from);
                let posted = Action::Receive { from, tag: Some(0), communicator, buffer };
                let receive = push(message.lines.1, posted);
                let (from, bytes, hash) = (message.from, message.bytes, message.hash);
                let what = Received { from, tag: 0, bytes, hash };
                last = Some(push(message.lines.1, Action::Received { receive, what }));
                continue;
            }
            let origin = |receive| Origin { at: 0, length: message.bytes, receive, from: 0 };
            let origins = last.filter(|_| message.relays).map(origin).into_iter().collect();
            let buffer = buffer(message.places.0, message, 0);
            let (to, hash, mode, sum) = (message.to, message.hash, Mode::Standard, None);
            push(
                message.lines.0,
                Action::Send { mode, to, tag: 0, communicator, buffer, hash, origins, sum },
            );
        }
        writer.flush().expect("memory takes all");
        std::fs::write(folder.join(format!("rank-{rank:06}.trace")), bytes).expect("a file");
    }
    folder
}

/// The advice, and the text.
fn detect(name: &str, ranks: u32, messages: &[Sent]) -> (Vec<Value>, String) {
    let folder = traces(name, ranks, messages);
    let folder = folder.to_str().expect("UTF-8");
    let json = run(&["detect", "--json", folder], "");
    assert_eq!(json.status, Some(0), "{name}: {json:?}");
    let last: Value = json
        .out
        .lines()
        .last()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .expect("a last line");
    let text = run(&["detect", folder], "");
    (last["advice"].as_array().expect("a list").clone(), text.out)
}

/// The only advice has this code.
#[track_caller]
fn assert_given(name: &str, ranks: u32, messages: &[Sent], code: &str) {
    let (advice, text) = detect(name, ranks, messages);
    let [advice] = &advice[..] else { panic!("{name}: {advice:#?}") };
    let lines = advice["code"].as_array().expect("lines");
    let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
    assert!(lines.concat().contains(code), "{name}: {advice:#}");
    assert!(advice["withheld"].is_null(), "{name}: {advice:#}");
    assert!(text.contains("of the messages do; the others stay"), "{text}");
}

/// Every advice is withheld, one of them for this reason.
#[track_caller]
fn assert_withheld(name: &str, ranks: u32, messages: &[Sent], reason: &str) {
    let (advice, text) = detect(name, ranks, messages);
    assert!(!advice.is_empty(), "{name}: {text}");
    for one in &advice {
        assert_eq!(one["code"], Value::Array(vec![]), "{name}: {one:#}");
        assert_eq!(one["legend"], Value::Array(vec![]), "{name}: {one:#}");
        assert!(one["predicted"].is_null() && one["withheld"].is_string(), "{name}: {one:#}");
    }
    let has = |one: &Value| one["withheld"].as_str().is_some_and(|text| text.contains(reason));
    assert!(advice.iter().any(has), "{name}: {advice:#?}");
    assert!(text.contains(reason) && !text.contains("   write\n"), "{name}: {text}");
    assert!(!text.contains("of the messages do;"), "{name}: {text}");
}

const BLOCK: u64 = 64;

/// Everybody sends the block `place(from, to)` to everybody.
fn exchange(ranks: u32, place: impl Fn(u32, u32) -> u32) -> Vec<Sent> {
    let pairs = (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
    let pairs = pairs.filter(|(from, to)| from != to);
    let places = |from, to| {
        let source = 0x1_0000 + u64::from(place(from, to)) * BLOCK;
        (source, 0x2_0000 + u64::from(from) * BLOCK)
    };
    pairs.map(|(from, to)| sent(from, to, places(from, to), BLOCK)).collect()
}

#[test]
fn blocks_that_one_rank_has_in_another_order() {
    // What a process has for itself is in no message.
    assert_given(
        "exchange",
        4,
        &exchange(4, |_, to| to),
        "counts[rank] = 0;MPI_Alltoallv(SEND, counts, displs, MPI_BYTE, RECEIVE, counts, displs",
    );
    let swapped = |from, to| match (from, to) {
        (0, 1) => 2,
        (0, 2) => 1,
        _ => to,
    };
    let table = "int senddispls[][4] = {    {0, 128, 64, 192},    {0, 64, 128, 192},";
    assert_given("swapped", 4, &exchange(4, swapped), table);
}

/// Everybody's array has blocks for the others, and no place for one that a process has for
/// itself: of each the first block is at its lowest address.
#[test]
fn arrays_without_a_place_for_the_own_block() {
    let packed = |from, to| to - u32::from(to > from);
    for (ranks, table) in [
        (3, "{    {0, 0, 64},    {0, 0, 64},    {0, 64, 0}};"),
        (4, "{    {0, 0, 64, 128},    {0, 0, 64, 128},    {0, 64, 0, 128},    {0, 64, 128, 0}};"),
    ] {
        let messages = exchange(ranks, packed);
        let (advice, text) = detect("packed", ranks, &messages);
        let [advice] = &advice[..] else { panic!("{text}") };
        let code: String =
            advice["code"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        assert!(code.contains(&format!("int senddispls[][{ranks}] = {table}")), "{text}");
        assert!(text.contains("SEND: at each process the lowest address that "), "{text}");
        assert!(text.contains("RECEIVE: the block of rank 0 of those that "), "{text}");
    }
}

/// The rows of a table of C in printed lines; one row where it is a list.
fn rows(code: &[&str], name: &str) -> Vec<Vec<i64>> {
    let start = code.iter().position(|line| line.starts_with(&format!("int {name}["))).expect(name);
    let numbers = |line: &str| -> Vec<i64> {
        let inner = line.rsplit('{').next().unwrap_or_default();
        inner.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
    };
    if code[start].ends_with("};") {
        return vec![numbers(code[start])];
    }
    code[start + 1..].iter().take_while(|line| **line != "};").map(|line| numbers(line)).collect()
}

/// Blocks in an order drawn for each rank: the printed lists tell where each block is, as far from
/// one place of the process as it was when it was sent.
#[test]
fn lists_for_each_rank_say_where_its_blocks_are() {
    for seed in 0..12 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let ranks = rng.u32(3..6);
        let orders: Vec<Vec<u32>> = (0..ranks)
            .map(|_| {
                let mut order: Vec<u32> = (0..ranks).collect();
                rng.shuffle(&mut order);
                order
            })
            .collect();
        let at = |n: u32| usize::try_from(n).expect("few");
        let place = |from, to| orders[at(from)][at(to)];
        let (advice, text) = detect("orders", ranks, &exchange(ranks, place));
        let [advice] = &advice[..] else { panic!("seed {seed}: {text}") };
        let code = advice["code"].as_array().expect("lines");
        let code: Vec<&str> = code.iter().filter_map(Value::as_str).collect();
        if code.is_empty() {
            // A block between the others that no message names.
            assert!(
                advice["withheld"].as_str().is_some_and(|why| why.contains("no message names"))
            );
            continue;
        }
        let (counts, displs) = (rows(&code, "sendcounts"), rows(&code, "senddispls"));
        for from in 0..ranks {
            let row = |table: &[Vec<i64>]| table[at(from).min(table.len() - 1)].clone();
            let (counts, displs) = (row(&counts), row(&displs));
            let others = (0..ranks).filter(|to| *to != from);
            let base = |to: u32| i64::from(place(from, to)) * 64 - displs[at(to)];
            let bases: std::collections::BTreeSet<i64> = others.clone().map(base).collect();
            assert_eq!(bases.len(), 1, "seed {seed}, process {from}: {text}");
            assert!(others.clone().all(|to| counts[at(to)] == 64), "seed {seed}: {text}");
            assert_eq!(counts[at(from)], 0, "seed {seed}: {text}");
        }
    }
}

fn gather(ranks: u32, apart: u64) -> Vec<Sent> {
    let place = |from| (0x1_0000, 0x2_0000 + u64::from(from) * apart);
    (1..ranks).map(|from| sent(from, 0, place(from), BLOCK)).collect()
}

#[test]
fn blocks_of_which_nobody_knows_whether_they_are_one_array() {
    assert_given("gather", 5, &gather(5, BLOCK), "MPI_Gather(");
    assert_withheld("apart", 5, &gather(5, BLOCK + 16), "lies memory that no message names");
}

#[test]
fn envelopes_that_tell_the_program_something() {
    let any = broadcast(5, None, 0).into_iter().map(|m| Sent { any_source: m.to == 3, ..m });
    assert_withheld("any", 5, &any.collect::<Vec<_>>(), "takes messages of any source or tag");
    let room = gather(5, BLOCK).into_iter().map(|m| Sent { more_room: 8, ..m });
    assert_withheld("room", 5, &room.collect::<Vec<_>>(), "has room for 72 bytes and gets 64");
}

#[test]
fn the_place_of_a_block_at_the_root_that_no_message_has() {
    let (_, text) = detect("gather", 5, &gather(5, BLOCK));
    let place = "BLOCKS: at the root, where the block of rank 0 would be, 64 bytes before that of \
                 rank 1 of those that";
    assert!(text.contains(place), "{text}");
}

/// In each row of a grid of processes one tells the others, in the communicator of the row.
#[test]
fn the_root_in_each_of_several_communicators() {
    let row = |root: u32, members: &[u32]| -> Vec<Sent> {
        let others = members.iter().filter(|to| **to != root);
        let one = |to: &u32| Sent {
            hash: 77 + u64::from(root),
            members: members.to_vec(),
            ..sent(root, *to, (0x1_0000, 0x2_0000), BLOCK)
        };
        others.map(one).collect()
    };
    let of = |rows: [Vec<Sent>; 2]| rows.concat();
    let first = of([row(0, &[0, 1, 2]), row(3, &[3, 4, 5])]);
    assert_given("rows", 6, &first, "MPI_Bcast(BUFFER, 64, MPI_BYTE, 0, comm)");
    let last = of([row(2, &[0, 1, 2]), row(5, &[3, 4, 5])]);
    assert_given("last", 6, &last, "MPI_Bcast(BUFFER, 64, MPI_BYTE, 2, comm)");
    let turned = of([row(1, &[0, 1, 2]), row(3, &[4, 3, 5])]);
    assert_given("turned", 6, &turned, "MPI_Bcast(BUFFER, 64, MPI_BYTE, 1, comm)");
    let other = of([row(0, &[0, 1, 2]), row(4, &[3, 4, 5])]);
    assert_given("other", 6, &other, "MPI_Bcast(BUFFER, 64, MPI_BYTE, root, comm)");
    let mut world = row(4, &[3, 4, 5]);
    world.iter_mut().for_each(|message| message.members.clear());
    let mixed = of([row(1, &[0, 1, 2]), world]);
    assert_given("mixed", 6, &mixed, "MPI_Bcast(BUFFER, 64, MPI_BYTE, 1, group)");
}

#[test]
fn one_of_several_communicators_has_its_processes_in_another_order() {
    let row = |members: [u32; 3]| -> Vec<Sent> {
        let first = members.into_iter().min().unwrap_or(0);
        let in_row = |m: Sent| Sent {
            hash: m.hash + u64::from(first),
            from: m.from + first,
            to: m.to + first,
            members: members.to_vec(),
            ..m
        };
        exchange(3, |_, to| to).into_iter().map(in_row).collect()
    };
    let same = [row([0, 1, 2]), row([3, 4, 5])].concat();
    assert_given("in-order", 6, &same, "MPI_BYTE, comm)");
    let other = [row([0, 1, 2]), row([3, 5, 4])].concat();
    assert_withheld("other-order", 6, &other, "comm has its processes in another order");
}

fn broadcast(ranks: u32, layout: Option<&Type>, round: u64) -> Vec<Sent> {
    let bytes = layout.map_or(BLOCK, |ty| ty.size());
    let one = |to| Sent {
        layout: layout.cloned(),
        hash: 77 + round,
        round,
        ..sent(0, to, (0x1_0000, 0x2_0000), bytes)
    };
    (1..ranks).map(one).collect()
}

#[test]
fn layouts_that_shrink_from_time_to_time() {
    let vector = |n: u64| {
        let row = commloom_layout::mpi::contiguous(n, &Type::leaf(Basic::BYTE)).expect("a row");
        Type::vec(10, 100, row).expect("a vector")
    };
    let rounds = |sizes: &[u64]| -> Vec<Sent> {
        let each = (0..).zip(sizes).map(|(round, n)| broadcast(4, Some(&vector(*n)), round));
        each.flatten().collect()
    };
    assert_given("panels", 4, &rounds(&[80, 80]), "MPI_Bcast(BUFFER, 1, sent_block, 0");
    assert_given("shrinking", 4, &rounds(&[80, 60]), "MPI_Bcast(BUFFER, count, datatype, 0, MPI");
}

#[test]
fn lines_that_send_something_else_too() {
    let mut other = sent(2, 3, (0x5_0000, 0x6_0000), 24);
    let mut messages = broadcast(4, None, 0);
    other.lines = (0x30, 0x40);
    messages.push(other.clone());
    assert_given("beside", 4, &messages, "MPI_Bcast(BUFFER, 64, MPI_BYTE, 0, MPI_COMM_WORLD)");
    other.lines = (0x10, 0x40);
    *messages.last_mut().expect("one") = other;
    assert_withheld(
        "same-line",
        4,
        &messages,
        "1 of the 4 messages sent in drawn+0x10 are not part",
    );
}

/// Rank 0 hears a word from all, and then tells all.
#[test]
fn a_barrier_by_messages_is_no_broadcast() {
    let word = |from, to| sent(from, to, (0x1_0000, 0x1_0000), 4);
    let mut messages: Vec<Sent> = (1..4).map(|from| word(from, 0)).collect();
    // What came last is what is told.
    let last = messages[2].hash;
    let told = |to| Sent { hash: last, lines: (0x30, 0x40), round: 1, relays: true, ..word(0, to) };
    messages.extend((1..4).map(told));
    let (advice, text) = detect("barrier", 4, &messages);
    assert!(advice.iter().all(|one| one["withheld"].is_string()), "{text}");
    assert!(!text.contains("MPI_Bcast("), "{text}");
}

/// Messages drawn at random, and patterns among them: each counts at most once, no place is
/// further away than memory reaches, and what is printed and what is withheld exclude each other.
#[test]
fn no_message_counts_twice_and_nothing_is_said_of_two_versions_of_memory() {
    let (mut given, mut withheld) = (0, 0);
    for seed in 0..24 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let ranks = rng.u32(2..6);
        let mut messages: Vec<Sent> = Vec::new();
        for round in 0..rng.u64(1..5) {
            let mut new = match rng.u32(0..5) {
                0 => exchange(ranks, |_, to| to),
                1 => gather(ranks, BLOCK * rng.u64(1..3)),
                2 => broadcast(ranks, None, round),
                3 => {
                    let ty = Type::vec(rng.u64(2..5), 16, Type::leaf(Basic::BYTE));
                    broadcast(ranks, Some(&ty.expect("a vector")), round)
                }
                _ => {
                    let n = rng.u64(1..9);
                    let one = |_| {
                        let from = rng.u32(0..ranks);
                        let to = (from + rng.u32(1..ranks)) % ranks;
                        let mut place = || 0x1_0000 + 8 * rng.u64(0..40);
                        let places = (place(), place());
                        sent(from, to, places, 8 * rng.u64(1..9))
                    };
                    (0..n).map(one).collect()
                }
            };
            let line = 0x100 * rng.u64(1..3);
            new.iter_mut().for_each(|m| {
                m.lines = (line, line + 8);
                m.hash += 1000 * round;
                m.round = round;
            });
            messages.extend(new);
        }
        if messages.is_empty() {
            continue;
        }
        let (advice, text) = detect("drawn", ranks, &messages);
        let counted: u64 = advice.iter().filter_map(|one| one["messages"].as_u64()).sum();
        let all = u64::try_from(messages.len()).expect("few");
        assert!(counted <= all, "seed {seed}: {counted} of {all}: {text}");
        for one in &advice {
            for side in ["sent", "received"] {
                let places = one[side].as_array().expect("a list");
                let here: u64 = places.iter().filter_map(|p| p["messages"].as_u64()).sum();
                assert_eq!(Some(here), one["messages"].as_u64(), "seed {seed}: {one:#}");
            }
            let code = one["code"].as_array().expect("lines");
            assert_eq!(code.is_empty(), one["withheld"].is_string(), "seed {seed}: {one:#}");
            given += usize::from(!code.is_empty());
            withheld += usize::from(code.is_empty());
            for line in code.iter().filter_map(Value::as_str) {
                let digits = |c: char| !c.is_ascii_digit();
                let numbers = line.split(digits).filter_map(|n| n.parse::<u64>().ok());
                assert!(numbers.max().unwrap_or(0) < 1 << 20, "seed {seed}: {line}");
            }
        }
    }
    assert!(given > 5 && withheld > 5, "{given} given, {withheld} withheld");
}

/// Each part says of its operations what the advice says of them.
#[test]
fn parts_say_what_the_advice_says() {
    let in_steps =
        |message: Sent| Sent { round: u64::from((message.to + 4 - message.from) % 4), ..message };
    let messages: Vec<Sent> = exchange(4, |_, to| to).into_iter().map(in_steps).collect();
    let folder = traces("parts", 4, &messages);
    let text = run(&["detect", "--phases", folder.to_str().expect("UTF-8")], "").out;
    let condition = "only if all that drawn+0x10 sends is there before the first of it is sent";
    assert!(text.contains(&format!("note: MPI_Alltoall {condition}")), "{text}");
    assert_eq!(text.matches(condition).count(), 2, "{text}");
}
