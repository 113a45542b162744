//! Old values of variables by their new ones: after `js = js - jms`, what was `js` is `js + jms`.

use std::collections::HashMap;

use commloom_source::affine::{Atom, Polynomial};

use super::Turns;
use super::piece::Piece;
use super::state::{Value, read};
use super::walk::{Arrival, Walk};

/// Rewritings of rewritings: `a = a - b; b = b - c`.
const ROUNDS: usize = 3;

/// The expressions to write for values that variables do not have any more where the call stands.
pub(super) struct Renewal {
    values: HashMap<Atom, Polynomial>,
}

impl Renewal {
    /// From the values that are known at the call.
    pub fn at(walk: &Walk<'_>, arrival: &Arrival) -> Renewal {
        let mut values = HashMap::new();
        for (place, value) in &arrival.state.values {
            let Value::Number(value) = value else { continue };
            let now = walk.version_at(&arrival.state, place);
            let mut old = Vec::new();
            value.any(&mut |atom| {
                let is_own = match atom {
                    Atom::Read { place: read, version } => read == place && *version != now,
                    _ => false,
                };
                if is_own && !old.contains(atom) {
                    old.push(atom.clone());
                }
                false
            });
            let [atom] = old.as_slice() else { continue };
            let Some((slope, rest)) = value.linear_in(atom) else { continue };
            let Some(sign @ (1 | -1)) = slope.as_constant() else { continue };
            if !rest.mentions(atom) {
                let renewed = read(place.clone(), now).minus(&rest).times_constant(sign);
                values.insert(atom.clone(), renewed);
            }
        }
        Renewal { values }
    }

    pub fn number(&self, number: &Polynomial) -> Polynomial {
        let mut number = number.clone();
        for _ in 0..ROUNDS {
            let is_old = number.any(&mut |atom| self.values.contains_key(atom));
            if !is_old {
                break;
            }
            number = number.map(&mut |atom| self.values.get(atom).cloned());
        }
        number
    }

    pub fn piece(&self, piece: &mut Piece) {
        if self.values.is_empty() {
            return;
        }
        piece.start = self.number(&piece.start);
        piece.length = self.number(&piece.length);
        for _ in 0..ROUNDS {
            piece.content = piece.content.map(&mut |atom| self.values.get(atom).cloned());
        }
    }

    pub fn turns(&self, turns: &mut Turns) {
        turns.first = self.number(&turns.first);
        turns.step = self.number(&turns.step);
        turns.count = self.number(&turns.count);
    }
}
