//! Which communicator an operation needs.

use std::collections::BTreeSet;

use commloom_commgraph::Process;

use crate::finding::Finding;
use commloom_emit::{Code, Listed};

/// A communicator of the processes of an operation. Several operations that run at the same lines,
/// as in the rows of a grid of processes, have one each under the same name.
pub struct Comm {
    pub name: String,
    /// The meaning of a name that the program does not have.
    pub legend: Option<String>,
    /// Whether it has to be made.
    pub is_new: bool,
    /// Whether it is the one that the messages of each operation use.
    is_used: bool,
}

impl Comm {
    /// The processes of an operation, in the order of their ranks there.
    pub fn members(&self, finding: &Finding) -> Vec<u32> {
        let used = if self.is_used { existing(finding) } else { None };
        used.map_or_else(|| processes(finding), |(_, members)| members)
    }

    /// The rank of a process of an operation.
    pub fn rank(&self, finding: &Finding, process: Process) -> Option<u32> {
        let members = self.members(finding);
        u32::try_from(members.iter().position(|member| *member == process.0)?).ok()
    }
}

/// The processes of an operation, in the order of their ranks in the world.
fn processes(finding: &Finding) -> Vec<u32> {
    let mut all: Vec<u32> = finding.collective.group.iter().map(|process| process.0).collect();
    all.sort_unstable();
    all
}

/// The communicators that the messages of an operation use: whether each is not the world, and its
/// members.
fn used(finding: &Finding) -> BTreeSet<(bool, Vec<u32>)> {
    let mut known = BTreeSet::new();
    let mut all = BTreeSet::new();
    for message in finding.messages() {
        let Some((_, comm)) = finding.send(message) else { continue };
        // Numbers are those of each process, and few: most messages have one that is known.
        if known.insert((message.send.process, comm.number)) {
            all.insert((comm.number != 0, comm.members.clone()));
        }
    }
    all
}

/// The only communicator that the messages of an operation use, if it has the processes of that
/// and no others: whether it is the world, and its members by rank.
fn existing(finding: &Finding) -> Option<(bool, Vec<u32>)> {
    let mut all = used(finding);
    let (is_made, members) = all.pop_first().filter(|_| all.is_empty())?;
    let mut sorted = members.clone();
    sorted.sort_unstable();
    (sorted == processes(finding)).then_some((!is_made, members))
}

/// The communicator for an operation and all that are the `same`: one that the messages of each
/// use, or one that is made of the world.
pub fn communicator(
    finding: &Finding,
    same: &[&Finding],
    groups: &BTreeSet<Vec<u32>>,
    code: &mut Code,
) -> Comm {
    let world = finding.graph.processes();
    let used: Option<Vec<bool>> =
        same.iter().map(|finding| existing(finding).map(|(is_world, _)| is_world)).collect();
    if let Some(are_world) = used {
        let is_world = are_world.iter().all(|is_world| *is_world);
        let legend = "comm: the communicator that these messages use".to_owned();
        return Comm {
            name: if is_world { "MPI_COMM_WORLD" } else { "comm" }.to_owned(),
            legend: (!is_world).then_some(legend),
            is_new: false,
            is_used: true,
        };
    }
    let processes = processes(finding);
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
    Comm { name, legend, is_new, is_used: false }
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
