//! Barriers.

use super::parts::tree_of;
use crate::graphs::site::Site;

/// The messages that a process received so far.
type Wait = Vec<commloom_commgraph::Handle>;

/// A message without bytes. Those that a process sends wait for those that it received.
fn signal(s: &mut Site, last: &mut [Option<Wait>], from: u32, to: u32) {
    let (send, receive) = s.message((from, 0), (to, 0), 0);
    let place = |p: u32| usize::try_from(p).unwrap();
    for on in last[place(from)].iter().flatten() {
        s.builder.depend(send, *on).unwrap();
    }
    last[place(to)].get_or_insert_default().push(receive);
}

fn nobody(s: &Site) -> Vec<Option<Wait>> {
    vec![None; usize::try_from(s.processes).unwrap()]
}

pub fn dissemination(s: &mut Site) {
    let mut last = nobody(s);
    let mut k = 1;
    while k < s.processes {
        let mut next = last.clone();
        for i in 0..s.processes {
            let to = (i + k) % s.processes;
            let (send, receive) = s.message((i, 0), (to, 0), 0);
            let waits = last[usize::try_from(i).unwrap()].iter().flatten();
            waits.for_each(|on| s.builder.depend(send, *on).unwrap());
            next[usize::try_from(to).unwrap()].get_or_insert_default().push(receive);
        }
        last = next;
        k *= 2;
    }
}

pub fn recursive_doubling(s: &mut Site) {
    let mut last = nobody(s);
    let mut k = 1;
    while k < s.processes {
        let before = last.clone();
        for i in 0..s.processes {
            let (send, receive) = s.message((i, 0), (i ^ k, 0), 0);
            let waits = before[usize::try_from(i).unwrap()].iter().flatten();
            waits.for_each(|on| s.builder.depend(send, *on).unwrap());
            last[usize::try_from(i ^ k).unwrap()].get_or_insert_default().push(receive);
        }
        k *= 2;
    }
}

pub fn linear(s: &mut Site) {
    let mut last = nobody(s);
    (1..s.processes).for_each(|v| signal(s, &mut last, s.rank(v), s.root));
    (1..s.processes).for_each(|v| signal(s, &mut last, s.root, s.rank(v)));
}

pub fn tree(s: &mut Site) {
    let mut last = nobody(s);
    let tree: Vec<_> = tree_of(s.processes).collect();
    for (v, parent, _) in tree.iter().rev() {
        signal(s, &mut last, s.rank(*v), s.rank(*parent));
    }
    for (v, parent, _) in tree {
        signal(s, &mut last, s.rank(parent), s.rank(v));
    }
}
