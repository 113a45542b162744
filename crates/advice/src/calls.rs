//! The lines of a call, and what stands in place of a program's questions about its messages.

use commloom_commgraph::Blocks;

use crate::asked::Asked;
use crate::blocks::Shape;
use crate::kinds::mpi;
use crate::replacement::Writer;

impl Writer<'_, '_> {
    /// The same call at all processes.
    pub fn all(&mut self, name: &str, mut arguments: Vec<String>) {
        arguments.push(self.comm.name.clone());
        self.call(name, &arguments);
    }

    /// A call in which the root has other arguments.
    pub fn at_root(
        &mut self,
        name: &str,
        root: &str,
        mut at_root: Vec<String>,
        mut others: Vec<String>,
    ) {
        for arguments in [&mut at_root, &mut others] {
            arguments.push(self.comm.name.clone());
        }
        if at_root == others {
            return self.call(name, &others);
        }
        let rank = self.rank_name();
        self.legend.push(format!("{rank}: of the process in {}", self.comm.name));
        if self.code.is_fortran() {
            let both = [&at_root, &others].map(|arguments| self.spelled(name, arguments));
            let [(name, at_root), (_, others)] = &both;
            self.code.lines.push(format!("if ({rank} == {root}) then"));
            self.code.indented(|code| code.call(name, at_root));
            self.code.lines.push("else".to_owned());
            self.code.indented(|code| code.call(name, others));
            self.code.lines.push("end if".to_owned());
        } else {
            let condition = format!("{rank} == {root}");
            let both = at_root.iter().zip(&others);
            let arguments: Vec<String> = both
                .map(|(a, b)| if a == b { a.clone() } else { self.code.choice(&condition, a, b) })
                .collect();
            self.call(name, &arguments);
        }
    }

    /// The rank of a process in the communicator; where that is new, the lines tell it.
    pub fn rank_name(&mut self) -> &'static str {
        if !self.comm.is_new {
            return "rank";
        }
        let ask = ["group".to_owned(), self.code.made("group_rank")];
        if !self.asks_rank {
            self.asks_rank = true;
            self.code.call("MPI_Comm_rank", &ask);
        }
        "group_rank"
    }

    /// Everybody waits for everybody, as in the messages.
    pub fn barrier(&mut self) {
        self.all("barrier", vec![]);
        self.legend.push(format!(
            "MPI_Barrier: the messages make every process wait for all others, and {} need not; \
             leave it out where nothing relies on that",
            mpi(self.c.kind.name())
        ));
    }

    /// The root tells the others the count, for which they have asked the messages.
    pub fn count_first(&mut self, block: &mut Shape, root: &str) {
        let count = self.name_count("count", "each time");
        let integer = if self.code.is_fortran() { "MPI_INTEGER" } else { "MPI_INT" };
        let arguments = [&self.code.made(&count), "1", integer, root].map(str::to_owned);
        self.all("bcast", arguments.to_vec());
        self.legend.push(
            "the first call: count from the root, in place of the questions for it".to_owned(),
        );
        block.count = count;
        block.block = block.block.clone().named();
        self.tells_count = true;
    }

    /// Something that a process has to know before the call, and that only the messages tell it.
    pub fn unknown(&self) -> Option<String> {
        let Asked { envelope, length, arrival } = &self.asked;
        if let Some(place) = envelope {
            return Some(format!(
                "{place} asks for messages of any source or tag: the program may learn from them \
                 who sends what"
            ));
        }
        if let Some(place) = length.as_ref().filter(|_| !self.tells_count || arrival.is_some()) {
            return Some(format!("{place} asks how much comes, which only the messages tell"));
        }
        let place = arrival.as_ref()?;
        let is_grid = matches!(self.c.blocks, Blocks::Neighbors { .. });
        (is_grid || self.finding.waits).then(|| {
            format!("{place} asks whether they have come, and the program may go on without them")
        })
    }

    /// The text in place of the questions whether the messages have come.
    pub fn polls(&mut self) {
        let Some(place) = &self.asked.arrival else { return };
        self.code.comment("in place of the questions for the messages, until flag is true:");
        let arguments = [self.code.made("request"), self.code.made("flag")];
        let arguments = [&arguments[..], &["MPI_STATUS_IGNORE".to_owned()]].concat();
        self.legend.push(format!(
            "request: the call stands before the first question in {place}; from there on until \
             flag is true the program leaves its buffers alone"
        ));
        self.code.call("MPI_Test", &arguments);
    }

    fn call(&mut self, name: &str, arguments: &[String]) {
        let (name, arguments) = self.spelled(name, arguments);
        self.code.call(&name, &arguments);
    }

    /// Name and arguments of a collective operation: one that does not wait, where the program
    /// asks for its messages and goes on until they have come.
    fn spelled(&self, name: &str, arguments: &[String]) -> (String, Vec<String>) {
        if self.asked.arrival.is_none() {
            return (mpi(name), arguments.to_vec());
        }
        let request = [self.code.made("request")];
        (mpi(&format!("i{name}")), [arguments, &request].concat())
    }
}
