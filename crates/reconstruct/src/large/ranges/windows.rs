//! Periods that equal windows of letters propose.

use std::collections::VecDeque;

use super::{SAME_NAME, Search, reach};
use crate::num::{at, place};

/// Windows of so many letters and more are sampled.
const SAMPLED: usize = 17;

impl Search<'_> {
    pub(super) fn windows(&mut self) {
        let mut active: Vec<u32> = (0..place(self.letters.len())).collect();
        let mut w = 2;
        while !active.is_empty() && w <= self.letters.len() / 2 + 1 && *self.work > 0 {
            let fitting = active.partition_point(|&k| at(k) + w <= self.letters.len());
            active.truncate(fitting);
            self.keep_repeated(&mut active, w);
            self.propose_all(&mut active, w);
            if w >= SAMPLED {
                self.sample(&mut active, w);
            }
            w = 2 * w - 1;
        }
    }

    /// Drops most windows that have no equal one, in little memory: two bits for each of 4 times
    /// as many names as there are windows tell which may occur twice.
    fn keep_repeated(&self, active: &mut Vec<u32>, w: usize) {
        let power = self.letters.power(w - 2);
        let words = (active.len() * 4).next_power_of_two() / 64 + 1;
        let (mut once, mut twice) = (vec![0u64; words], vec![0u64; words]);
        let slot = |letter: u32| {
            let name = self.letters.window(at(letter), w, power);
            let bit = usize::try_from(name >> 20).unwrap_or(usize::MAX) % (words * 64);
            (bit / 64, 1u64 << (bit % 64))
        };
        for &letter in &*active {
            let (word, bit) = slot(letter);
            twice[word] |= once[word] & bit;
            once[word] |= bit;
        }
        active.retain(|&letter| {
            let (word, bit) = slot(letter);
            twice[word] & bit != 0
        });
    }

    /// Proposes the periods that windows of `w` letters show, and keeps the letters with an equal
    /// window. Spends a third of the work that is left, at most: where short periods are
    /// everywhere, the long ones, of which there are few, matter more.
    fn propose_all(&mut self, active: &mut Vec<u32>, w: usize) {
        let power = self.letters.power(w - 2);
        self.last_of_name.clear();
        // How far behind in `active` the window before of the same name is; 0: nowhere, or too
        // far.
        let mut back = vec![0u16; active.len()];
        let mut stays = vec![false; active.len()];
        let reserve = *self.work - *self.work / 3;
        for index in 0..active.len() {
            let there = at(active[index]);
            *self.work = self.work.saturating_sub(1);
            let enough = *self.work >= reserve;
            self.complete &= enough;
            if !enough || self.sleeps(there, w) {
                stays[index] = true;
                continue;
            }
            let name = self.letters.window(there, w, power);
            let Some(earlier) = self.last_of_name.insert(name, place(index)) else { continue };
            let mut earlier = at(earlier);
            back[index] = u16::try_from(index - earlier).unwrap_or(0);
            (stays[index], stays[earlier]) = (true, true);
            for _ in 0..SAME_NAME {
                if there - at(active[earlier]) > reach(w) {
                    break;
                }
                self.propose(at(active[earlier]), there);
                if back[earlier] == 0 {
                    break;
                }
                earlier -= usize::from(back[earlier]);
            }
        }
        let mut stays = stays.into_iter();
        active.retain(|_| stays.next() == Some(true));
    }

    /// Keeps the letters whose windows have the least names nearby, so that long windows are few.
    /// Equal parts of the line keep the same letters, apart from their ends.
    fn sample(&self, active: &mut Vec<u32>, w: usize) {
        let power = self.letters.power(w - 2);
        let radius = place(w / 8);
        let named = active.iter().map(|&k| (k, self.letters.window(at(k), w, power)));
        let mut ahead =
            active.iter().map(|&k| (k, self.letters.window(at(k), w, power))).peekable();
        // Windows within the radius, behind and ahead, that may become the least: names ascend.
        let mut near: VecDeque<(u32, u64)> = VecDeque::new();
        let mut kept = Vec::new();
        for (letter, name) in named {
            while let Some((there, other)) = ahead.next_if(|(k, _)| *k <= letter + radius) {
                while near.back().is_some_and(|(_, least)| *least > other) {
                    near.pop_back();
                }
                near.push_back((there, other));
            }
            while near.front().is_some_and(|(k, _)| k + radius < letter) {
                near.pop_front();
            }
            if near.front().is_some_and(|(_, least)| *least == name) {
                kept.push(letter);
            }
        }
        *active = kept;
    }
}
