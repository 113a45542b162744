//! The calls in which every process has a block of, or for, each other: allgathers and alltoalls.
//!
//! The block that a process has for itself is in no message. A call that would move it all the
//! same is not printed: `MPI_Alltoallv` has a count of nothing for it.

use std::collections::BTreeSet;

use commloom_commgraph::recorded::program_address;
use commloom_commgraph::{Addresses, Kind};

use crate::blocks::{Rows, Shape, rows};
use crate::printed::{Block, BlockPlaces, Many, One, Printed};
use crate::replacement::{Ends, Writer, at};

/// Processes up to which each has lists of its own.
const TABLES: usize = 16;

/// How the blocks lie, if they lie so at all processes.
fn one_form(all: &[Ends]) -> Option<Rows> {
    let first = rows(all.first()?);
    all.iter().all(|ends| rows(ends) == first).then_some(first)
}

/// Whether every process between the first and the last has a place for its own block among the
/// others: then the first has one before them, and displacements count from that. Where the others
/// lie without one, as in an array that has no block for the process itself, there is none at the
/// first either. Of two processes neither is in between: nothing shows which it is.
fn have_own_places(all: &[Ends]) -> bool {
    let steps = all.iter().map(|ends| rows(ends));
    let steps: BTreeSet<u64> = steps
        .filter_map(|rows| if let Rows::Step(step) = rows { Some(step) } else { None })
        .collect();
    let between = all.iter().enumerate().skip(1).take(all.len().saturating_sub(2));
    between.into_iter().all(|(rank, ends)| match rows(ends) {
        // Three processes have two others each, which are in steps wherever they lie.
        Rows::Step(step) => steps.len() == 1 && ends.iter().all(|(_, length)| *length <= step),
        Rows::Same => true,
        Rows::Listed(_) => has_hole(rank, ends),
    })
}

/// Whether there is one gap between the blocks, and where they are in order of their ranks it is
/// at the own one.
fn has_hole(rank: usize, ends: &Ends) -> bool {
    let there = ends.iter().enumerate().filter(|(_, (_, length))| *length > 0);
    let mut there: Vec<(u64, u64, usize)> =
        there.map(|(other, (at, length))| (program_address(*at), *length, other)).collect();
    there.sort_unstable();
    let is_gap = |pair: &&[(u64, u64, usize)]| pair[0].0.saturating_add(pair[0].1) < pair[1].0;
    let mut gaps = there.windows(2).filter(is_gap);
    let (Some([(.., before), (.., behind)]), None) = (gaps.next(), gaps.next()) else {
        return false;
    };
    !there.is_sorted_by_key(|(.., other)| *other) || (*before..*behind).contains(&rank)
}

impl Writer<'_, '_> {
    pub(crate) fn exchanged(
        &mut self,
        from: &[Addresses],
        to: &[Addresses],
        lengths: &[Addresses],
    ) -> Printed {
        let (n, own) = (from.len(), self.c.own);
        let length = |i: usize, j: usize| if i == j && !own { 0 } else { lengths[i].get(j) };
        let sends: Vec<Ends> =
            (0..n).map(|i| (0..n).map(|j| (from[i].get(j), length(i, j))).collect()).collect();
        let receives: Vec<Ends> =
            (0..n).map(|j| (0..n).map(|i| (to[j].get(i), length(i, j))).collect()).collect();
        let (out, into) = (one_form(&sends), one_form(&receives));
        let is_even = |rows: &Option<Rows>| matches!(rows, Some(Rows::Step(_) | Rows::Same));
        if self.c.kind == Kind::Alltoall && is_even(&out) && is_even(&into) {
            let (out, into) = (out.unwrap_or(Rows::Same), into.unwrap_or(Rows::Same));
            return self.even(&out, &into);
        }
        let basic = self.elements.basic.name().to_owned();
        let (sendcounts, senddispls, send) = self.tables("send", &sends, out.as_ref());
        let (recvcounts, recvdispls, receive) = self.tables("recv", &receives, into.as_ref());
        self.tables_legend("SEND", true, &out, &send);
        self.tables_legend("RECEIVE", false, &into, &receive);
        let arguments = ["SEND", &sendcounts, &senddispls, &basic, "RECEIVE"];
        let rest = [&*recvcounts, &recvdispls, &basic];
        self.all("alltoallv", arguments.into_iter().chain(rest).map(str::to_owned).collect());
        Printed::Exchanged { send, receive }
    }

    /// Blocks of one length that lie in one way at all processes.
    fn even(&mut self, out: &Rows, into: &Rows) -> Printed {
        let step = |rows: &Rows| if let Rows::Step(step) = rows { Some(*step) } else { None };
        let (a, b) = (self.block(true, step(out)), self.block(false, step(into)));
        self.code_legend("SEND", true, &Some(out.clone()));
        self.code_legend("RECEIVE", false, &Some(into.clone()));
        let without_own = !self.c.own;
        let many = |block: &Block, rows: &Rows| Many {
            blocks: BlockPlaces::Each(block.clone()),
            own_places: *rows == Rows::Same,
            without_own,
        };
        let printed =
            Printed::Exchanged { send: many(&a.block, out), receive: many(&b.block, into) };
        let plain = ["SEND", &a.count, &a.datatype, "RECEIVE", &b.count, &b.datatype];
        if !without_own {
            self.all("alltoall", plain.map(str::to_owned).to_vec());
            return printed;
        }
        let (counts, displs) = (self.counts(&a), self.steps(&a));
        let (counts_in, displs_in) = (self.counts(&b), self.steps(&b));
        let names = match counts == counts_in && displs == displs_in {
            true => ["counts", "displs", "counts", "displs"],
            false => ["sendcounts", "senddispls", "recvcounts", "recvdispls"],
        };
        let lists = [counts, displs, counts_in, displs_in];
        self.lists(&names, &lists);
        let rank = self.rank_name();
        self.legend.push(format!(
            "{rank}: no message has the block of a process for itself. Where the program copies \
             it, MPI_Alltoall({}, {}) does that too",
            plain.join(", "),
            self.comm.name
        ));
        let arguments = ["SEND", names[0], names[1], &a.datatype];
        let rest = ["RECEIVE", names[2], names[3], &b.datatype];
        self.all("alltoallv", arguments.into_iter().chain(rest).map(str::to_owned).collect());
        printed
    }

    /// Writes lists under these names, each name once; in counts a process has none for itself.
    fn lists(&mut self, names: &[&str], lists: &[Vec<String>]) {
        let rank = self.rank_name();
        for (k, (name, list)) in names.iter().zip(lists).enumerate() {
            if !names[..k].contains(name) {
                self.code.list(commloom_emit::Listed::Int, name, list);
            }
        }
        for (k, name) in names.iter().enumerate() {
            if name.contains("counts") && !names[..k].contains(name) {
                self.code.without_own(name, rank);
            }
        }
    }

    fn counts(&self, shape: &Shape) -> Vec<String> {
        vec![shape.count.clone(); at(self.c.group.size())]
    }

    /// Displacements of blocks one after the other, in extents of their type.
    fn steps(&self, shape: &Shape) -> Vec<String> {
        let each = shape.count.parse::<u64>();
        let step = |k: u32| match &each {
            Ok(each) => each.saturating_mul(k.into()).to_string(),
            Err(_) => format!("{k} * {}", shape.count),
        };
        (0..self.c.group.size()).map(step).collect()
    }

    pub(crate) fn gathered(
        &mut self,
        from: &Addresses,
        to: &[Addresses],
        lengths: &Addresses,
    ) -> Printed {
        let (n, own) = (to.len(), self.c.own);
        // The block of a process itself is in no message: it may be where it is given from.
        let is_among = |k: usize| {
            let there = (0..n).filter(|i| *i != k && lengths.get(*i) > 0);
            let places = || there.clone().map(|i| program_address(to[k].get(i)));
            let (here, room) = (program_address(from.get(k)), lengths.get(k));
            let end = places().max().zip(there.clone().map(|i| lengths.get(i)).max());
            let low = places().min().is_some_and(|low| here.saturating_add(room) >= low);
            low && end.is_some_and(|(last, length)| here <= last.saturating_add(length))
        };
        let in_place = !own && (0..n).all(is_among);
        let block = |j: usize, i: usize| match i == j && !own {
            true if in_place => (from.get(i), lengths.get(i)),
            true => (from.get(i), 0),
            false => (to[j].get(i), lengths.get(i)),
        };
        let ends: Vec<Ends> = (0..n).map(|j| (0..n).map(|i| block(j, i)).collect()).collect();
        let rows = one_form(&ends);
        let regular = self.c.kind == Kind::Allgather;
        if let (Some(Rows::Step(step)), true, false) = (&rows, regular, own || in_place) {
            return self.told(*step);
        }
        let (mut receive, many) = match (&rows, regular) {
            (Some(Rows::Step(step)), true) => {
                let block = self.block(false, Some(*step));
                let blocks = BlockPlaces::Each(block.block);
                let many = Many { blocks, own_places: false, without_own: false };
                (vec![block.count, block.datatype], many)
            }
            _ => {
                let basic = self.elements.basic.name().to_owned();
                let (counts, displs, many) = self.tables("", &ends, rows.as_ref());
                (vec![counts, displs, basic], many)
            }
        };
        receive.insert(0, "BLOCKS".to_owned());
        let name = if receive.len() == 3 { "allgather" } else { "allgatherv" };
        let mut one = One::InPlace;
        let send = if in_place {
            vec!["MPI_IN_PLACE".to_owned(), "0".to_owned(), "MPI_DATATYPE_NULL".to_owned()]
        } else {
            let block = self.block(true, None);
            one = if regular { One::Block(block.block) } else { One::OfProcess };
            let count =
                if regular { block.count } else { self.name_count("count", "of the process") };
            self.legend.push(format!("BLOCK: what the process itself gives to {}", self.senders()));
            vec!["BLOCK".to_owned(), count, block.datatype]
        };
        self.tables_legend("BLOCKS", false, &rows, &many);
        self.all(name, send.into_iter().chain(receive).collect());
        Printed::Gathered { one, many }
    }

    /// Everybody tells everybody else the same, as an exchange: an allgather would also write what
    /// a process has for itself.
    fn told(&mut self, step: u64) -> Printed {
        let (a, b) = (self.block(true, None), self.block(false, Some(step)));
        let nowhere = vec!["0".to_owned(); at(self.c.group.size())];
        let lists = [self.counts(&a), nowhere, self.counts(&b), self.steps(&b)];
        let names = match lists[0] == lists[2] {
            true => ["counts", "senddispls", "counts", "recvdispls"],
            false => ["sendcounts", "senddispls", "recvcounts", "recvdispls"],
        };
        self.lists(&names, &lists);
        self.legend.push(format!("BLOCK: what the process itself gives to {}", self.senders()));
        self.code_legend("BLOCKS", false, &Some(Rows::Step(step)));
        let rank = self.rank_name();
        self.legend.push(format!(
            "{rank}: no message has the block of a process for itself. Where the program copies \
             it to its place among the others, MPI_Allgather(BLOCK, {}, {}, BLOCKS, {}, {}, {}) \
             does that too",
            a.count, a.datatype, b.count, b.datatype, self.comm.name
        ));
        let arguments = ["BLOCK", names[0], names[1], &a.datatype];
        let rest = ["BLOCKS", names[2], names[3], &b.datatype];
        self.all("alltoallv", arguments.into_iter().chain(rest).map(str::to_owned).collect());
        let many = |block: Block, extent| Many {
            blocks: BlockPlaces::Each(Block { extent, is_named: false, ..block }),
            own_places: false,
            without_own: true,
        };
        let extent = b.block.extent;
        Printed::Exchanged { send: many(a.block, 0), receive: many(b.block, extent) }
    }

    /// Lists of counts and displacements by rank, as arguments: one that all processes have, or
    /// one for each.
    fn tables(
        &mut self,
        prefix: &str,
        all: &[Ends],
        rows: Option<&Rows>,
    ) -> (String, String, Many) {
        let same = |a: &Ends, b: &Ends| a.iter().zip(b).all(|(a, b)| a.1 == b.1);
        let own_places = rows == Some(&Rows::Same);
        let n = all.len();
        // One list is that of a process in the middle: the first may be special.
        if let (Some(rows), true) = (rows, all.iter().all(|ends| same(ends, &all[0])) || n > TABLES)
        {
            let (counts, displs, listed) = self.vectors(prefix, &all[n / 2], rows);
            let blocks = BlockPlaces::Listed(listed);
            return (counts, displs, Many { blocks, own_places, without_own: false });
        }
        let has_own = rows.is_some() || have_own_places(all);
        let by_rank: Vec<Vec<(u64, u64)>> = all
            .iter()
            .enumerate()
            .map(|(rank, ends)| match has_own {
                true => self.list_of(rank, ends),
                false => self.behind_lowest(ends),
            })
            .collect();
        let rank = self.rank_name();
        let column = |pick: fn(&(u64, u64)) -> u64| -> Vec<Vec<String>> {
            by_rank.iter().map(|all| all.iter().map(|b| pick(b).to_string()).collect()).collect()
        };
        let mut write = |name: String, rows: Vec<Vec<String>>| {
            if rows.iter().all(|row| *row == rows[0]) {
                self.code.list(commloom_emit::Listed::Int, &name, &rows[0]);
                return name;
            }
            self.code.table(&name, rank, &rows)
        };
        let counts = write(format!("{prefix}counts"), column(|b| b.1));
        let displs = write(format!("{prefix}displs"), column(|b| b.0));
        let size = self.elements.basic.size();
        let bytes = |(at, n): &(u64, u64)| (at.saturating_mul(size), n.saturating_mul(size));
        let by_rank = by_rank.iter().map(|all| all.iter().map(bytes).collect()).collect();
        let blocks = BlockPlaces::ByRank(by_rank);
        (counts, displs, Many { blocks, own_places, without_own: false })
    }

    /// Displacement and count of each block of a process. Where it has none for itself, and the
    /// others have one length and no gap, its own is taken to lie where its rank is: the first
    /// process has the others behind that.
    fn list_of(&self, rank: usize, ends: &Ends) -> Vec<(u64, u64)> {
        let mut all = self.in_elements(ends, &rows(ends));
        let mut others: Vec<(u64, u64)> = all.iter().copied().filter(|(_, n)| *n > 0).collect();
        others.sort_unstable();
        let each = others.first().map_or(0, |(_, n)| *n);
        let is_dense = (0..).zip(&others).all(|(k, other)| *other == (each * k, each));
        if rank == 0 && is_dense && others.len() + 1 == all.len() && ends[0].1 == 0 {
            all.iter_mut().filter(|(_, n)| *n > 0).for_each(|(at, _)| *at += each);
        }
        all
    }

    /// Displacement and count of each block of a process, from the lowest address of all that are
    /// there.
    fn behind_lowest(&self, ends: &Ends) -> Vec<(u64, u64)> {
        let mut all = self.in_elements(ends, &rows(ends));
        let lowest = all.iter().filter(|(_, n)| *n > 0).map(|(at, _)| *at).min().unwrap_or(0);
        let from = |at: u64, n: u64| if n > 0 { at.saturating_sub(lowest) } else { 0 };
        all.iter_mut().for_each(|(at, n)| *at = from(*at, *n));
        all
    }

    /// The rank of the block that the displacements count from.
    pub(crate) fn first_of(&self, ends: &Ends, rows: &Rows) -> usize {
        self.in_elements(ends, rows)
            .iter()
            .position(|block| block.0 == 0 && block.1 > 0)
            .unwrap_or(0)
    }

    /// The meaning of a name for blocks.
    fn code_legend(&mut self, name: &str, sends: bool, rows: &Option<Rows>) {
        let (who, verb) = match sends {
            true => (self.senders(), "sends"),
            false => (self.receivers(), "receives"),
        };
        let text = match rows {
            Some(rows @ (Rows::Step(_) | Rows::Same)) => {
                format!("the block of rank 0 of those that {who} {verb}{}", self.after(rows))
            }
            _ => format!("the place from which displs tells those that {who} {verb}"),
        };
        self.legend.push(format!("{name}: {text}"));
    }

    /// The same for blocks that lists may tell.
    fn tables_legend(&mut self, name: &str, sends: bool, rows: &Option<Rows>, many: &Many) {
        let is_lowest = |all: &Vec<(u64, u64)>| {
            let places = all.iter().filter(|(_, length)| *length > 0).map(|(at, _)| *at);
            places.min().is_none_or(|lowest| lowest == 0)
        };
        match &many.blocks {
            BlockPlaces::ByRank(by_rank) if rows.is_none() && by_rank.iter().all(is_lowest) => {
                let (who, verb) = match sends {
                    true => (self.senders(), "sends from"),
                    false => (self.receivers(), "receives to"),
                };
                let text = format!("{name}: at each process the lowest address that {who} {verb}");
                self.legend.push(text);
            }
            _ => self.code_legend(name, sends, rows),
        }
    }
}
