//! Which communicator an operation needs.

use std::collections::BTreeSet;

use commloom_commgraph::Process;

use crate::finding::Finding;
use commloom_emit::{Code, Listed};

/// A communicator of the processes of an operation.
pub struct Comm {
    pub name: String,
    /// Who they are, in the order of their ranks there.
    members: Vec<u32>,
    /// The meaning of a name that the program does not have.
    pub legend: Option<String>,
    /// Whether it has to be made.
    pub is_new: bool,
}

impl Comm {
    /// The rank of a process.
    pub fn rank(&self, process: Process) -> u32 {
        let place = self.members.iter().position(|member| *member == process.0);
        place.and_then(|place| u32::try_from(place).ok()).unwrap_or(process.0)
    }
}

/// The communicators that the messages of an operation use: number and members.
pub fn used(finding: &Finding) -> BTreeSet<(u64, Vec<u32>)> {
    let all = finding.messages();
    let all = all.filter_map(|message| Some(finding.send(message)?.1));
    // Numbers are those of each process.
    all.map(|comm| (u64::from(comm.number != 0), comm.members.clone())).collect()
}

/// The communicator for an operation: one that its messages use, or one that is made of the world.
pub fn communicator(finding: &Finding, groups: &BTreeSet<Vec<u32>>, code: &mut Code) -> Comm {
    let processes: Vec<u32> = finding.collective.group.iter().map(|process| process.0).collect();
    let world = finding.graph.processes();
    if let [(number, members)] = &used(finding).into_iter().collect::<Vec<_>>()[..] {
        let mut sorted = members.clone();
        sorted.sort_unstable();
        if sorted == processes {
            let is_world = *number == 0;
            let legend = "comm: the communicator that these messages use".to_owned();
            return Comm {
                name: if is_world { "MPI_COMM_WORLD" } else { "comm" }.to_owned(),
                members: members.clone(),
                legend: (!is_world).then_some(legend),
                is_new: false,
            };
        }
    }
    let is_new = processes.len() < usize::try_from(world).unwrap_or(usize::MAX);
    let name = if is_new { "group" } else { "MPI_COMM_WORLD" }.to_owned();
    if is_new {
        let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
        code.comment("once:");
        let color = color(&groups, world, code);
        let arguments = ["MPI_COMM_WORLD".to_owned(), color, "rank".to_owned(), code.made("group")];
        code.call("MPI_Comm_split", &arguments);
        code.comment("each time:");
    }
    let legend = is_new.then(|| "rank: of the process in MPI_COMM_WORLD".to_owned());
    Comm { name, members: processes, legend, is_new }
}

/// Numbers of colours that are written out.
const WRITTEN: u32 = 64;

/// An expression that is the same in each group and nowhere else.
fn color(groups: &[&[u32]], world: u32, code: &mut Code) -> String {
    let size = groups.first().map_or(1, |group| group.len());
    let covers = groups.iter().map(|group| group.len()).sum::<usize>()
        == usize::try_from(world).unwrap_or(usize::MAX);
    let of = |rank: u32| groups.iter().position(|group| group.contains(&rank));
    let count = u32::try_from(groups.len()).unwrap_or(u32::MAX);
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    let same = |formula: &dyn Fn(u32) -> u32| {
        let mut pairs: BTreeSet<(Option<usize>, u32)> = BTreeSet::new();
        pairs.extend((0..world).map(|rank| (of(rank), formula(rank))));
        covers && pairs.len() == groups.len()
    };
    if same(&|rank| rank / size) {
        return format!("rank / {size}");
    }
    if same(&|rank| rank % count) {
        return code.modulo("rank", u64::from(count));
    }
    let disjoint = groups.iter().flat_map(|group| group.iter()).collect::<BTreeSet<_>>().len()
        == groups.iter().map(|group| group.len()).sum::<usize>();
    if !disjoint || world > WRITTEN {
        code.comment("color: another number in each group, MPI_UNDEFINED in none");
        return "color".to_owned();
    }
    let colors = (0..world).map(|rank| match of(rank) {
        Some(group) => group.to_string(),
        None => "MPI_UNDEFINED".to_owned(),
    });
    code.list(Listed::Int, "color", &colors.collect::<Vec<_>>());
    if code.is_fortran() { "color(rank + 1)" } else { "color[rank]" }.to_owned()
}
