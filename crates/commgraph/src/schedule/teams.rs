//! Groups of processes as divisions of all: each is one `MPI_Comm_split`, so groups without common
//! members share one.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::detect::Group;
use crate::number::{at, id};

/// Where a process sits in a division of all processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Seat {
    /// Those with the same number are a team (the colour of `MPI_Comm_split`).
    pub table: u32,
    /// The rank in it.
    pub rank: u32,
}

/// Divisions of all processes.
pub(crate) struct Teams {
    known: HashMap<Group, u32>,
    /// By division and process.
    divisions: Vec<Vec<Option<Seat>>>,
    tables: Vec<u32>,
    processes: u32,
}

impl Teams {
    pub(crate) fn new(processes: u32) -> Teams {
        Teams { known: HashMap::new(), divisions: Vec::new(), tables: Vec::new(), processes }
    }

    /// The division in which a group is a team: the first that has room for it. `None`: all
    /// processes.
    pub(crate) fn of(&mut self, group: &Group) -> Option<u32> {
        if group.size() == self.processes {
            return None;
        }
        if let Some(division) = self.known.get(group) {
            return Some(*division);
        }
        let free = |seats: &Vec<Option<Seat>>| group.iter().all(|p| seats[at(p.0)].is_none());
        let division = self.divisions.iter().position(free).unwrap_or_else(|| {
            self.divisions.push(vec![None; at(self.processes)]);
            self.tables.push(0);
            self.divisions.len() - 1
        });
        let table = self.tables[division];
        self.tables[division] += 1;
        for (rank, process) in (0..).zip(group.iter()) {
            self.divisions[division][at(process.0)] = Some(Seat { table, rank });
        }
        self.known.insert(group.clone(), id(division));
        Some(id(division))
    }

    /// The seats of a process, by division.
    pub(crate) fn seats(&self, process: u32) -> Vec<Option<Seat>> {
        self.divisions.iter().map(|seats| seats[at(process)]).collect()
    }
}
