//! The parent's side of a worker.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::worker::MARK;
use crate::contender::Call;

/// A worker that says nothing for so long is ended, in milliseconds.
const PATIENCE: i32 = 120_000;

/// So many descriptions become datatypes in a process: `MPI_Pack` of MPICH 4.0.2 drops bytes after
/// some hundred datatypes, and most descriptions need a few.
const MOST_TYPES: usize = 80;

/// How long it may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// An MPI library that is measured.
pub struct Peer {
    pub path: PathBuf,
    /// The version that the library reports.
    pub version: String,
    memory: i32,
    misalign: u16,
    worker: Option<Rc<RefCell<Worker>>>,
    types: usize,
}

impl Peer {
    /// Starts the library once, to know that it works.
    ///
    /// # Errors
    /// The message of the library or its worker.
    pub fn new(path: &Path, memory: i32, misalign: u16) -> Result<Peer, String> {
        let mut peer = Peer {
            path: path.to_owned(),
            version: String::new(),
            memory,
            misalign,
            worker: None,
            types: 0,
        };
        peer.start()?;
        Ok(peer)
    }

    fn start(&mut self) -> Result<(), String> {
        self.worker = None;
        self.types = 0;
        let mut worker = Worker::start(&self.path, self.memory, self.misalign)?;
        self.version = worker.expect("version")?;
        self.worker = Some(Rc::new(RefCell::new(worker)));
        Ok(())
    }

    /// Makes the datatypes of a case; for each of its descriptions the number by which the worker
    /// knows it, or why the library does not take it.
    ///
    /// # Errors
    /// The worker ended, also when it was started again.
    pub fn case(
        &mut self,
        layout: usize,
        size: i64,
        seed: u64,
        descriptions: usize,
    ) -> Result<Vec<Result<usize, String>>, String> {
        if self.types + descriptions > MOST_TYPES || self.worker.is_none() {
            self.start()?;
        }
        self.types += descriptions;
        let made = self.worker().borrow_mut().case(layout, size, seed, descriptions);
        made.or_else(|_| {
            self.start()?;
            self.worker().borrow_mut().case(layout, size, seed, descriptions)
        })
    }

    /// The worker has done something wrong: the next case gets another one.
    pub fn distrust(&mut self) {
        self.types = MOST_TYPES;
    }

    /// A short name: the first words of its version up to a number.
    pub fn name(&self) -> String {
        let words = self.version.split([' ', ',']);
        let words = words.filter(|word| !["Version:", "Library", "(R)"].contains(word));
        let numbered =
            |word: &str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
        let mut name: Vec<String> = Vec::new();
        for word in words {
            name.push(word.replace("(R)", "").trim_start_matches('v').to_owned());
            if numbered(word) {
                break;
            }
        }
        name.join(" ")
    }

    fn worker(&self) -> Rc<RefCell<Worker>> {
        Rc::clone(self.worker.as_ref().expect("it was just started"))
    }

    /// Calls of `MPI_Pack` or `MPI_Unpack` with one of the numbers of the last case.
    pub fn call(&self, packing: bool, number: usize) -> Call<'static> {
        let worker = self.worker();
        let work = if packing { "pack" } else { "unpack" };
        Box::new(move |times| {
            let mut worker = worker.borrow_mut();
            worker.tell(&format!("{work} {number} {times}"))?;
            let took = worker.expect("took")?;
            took.parse().map_err(|_| format!("no time: {took}"))
        })
    }
}

/// A running worker.
pub struct Worker {
    child: Child,
    /// Taken to end it.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn start(library: &Path, memory: i32, misalign: u16) -> Result<Worker, String> {
        let this = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut child = Command::new(this)
            .arg("--worker")
            .arg(library)
            .args(["--memory", &memory.to_string(), "--misalign", &misalign.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A preload would be measured in place of the library.
            .env_remove("LD_PRELOAD")
            // Open MPI starts as root only if told so; the process packs its own memory, no more.
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            // It talks to nobody: no network is looked for.
            .env("OMPI_MCA_btl", "self")
            .env("I_MPI_FABRICS", "shm")
            .spawn()
            .map_err(|e| format!("cannot start a worker: {e}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a worker without pipes".into());
        };
        Ok(Worker { child, input: Some(input), output: BufReader::new(output) })
    }

    fn tell(&mut self, command: &str) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("the worker was ended")?;
        writeln!(input, "{command}").map_err(|e| format!("the worker ended: {e}"))
    }

    /// The rest of the next answer, which must begin with this word.
    fn expect(&mut self, word: &str) -> Result<String, String> {
        let answer = self.answer()?;
        match answer.split_once(' ').unwrap_or((&answer, "")) {
            (first, rest) if first == word => Ok(rest.to_owned()),
            (_, rest) => Err(rest.to_owned()),
        }
    }

    fn answer(&mut self) -> Result<String, String> {
        loop {
            if self.output.buffer().is_empty() {
                self.wait()?;
            }
            let mut line = String::new();
            match self.output.read_line(&mut line) {
                Ok(0) => return Err("the library ended its process".into()),
                Ok(_) => {
                    if let Some(answer) = line.trim_end().strip_prefix(MARK) {
                        return Ok(answer.to_owned());
                    }
                }
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    /// Waits until there is something to read.
    fn wait(&self) -> Result<(), String> {
        use std::os::fd::AsRawFd;
        let fd = self.output.get_ref().as_raw_fd();
        let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which is open.
        match unsafe { libc::poll(&raw mut poll, 1, PATIENCE) } {
            0 => Err(format!("nothing heard for {} seconds", PATIENCE / 1000)),
            _ => Ok(()),
        }
    }

    fn case(
        &mut self,
        layout: usize,
        size: i64,
        seed: u64,
        descriptions: usize,
    ) -> Result<Vec<Result<usize, String>>, String> {
        self.tell(&format!("case {layout} {size} {seed}"))?;
        let mut made = Vec::new();
        for _ in 0..descriptions {
            let text = self.expect("made")?;
            let number = text.split(' ').nth(1).and_then(|word| word.parse().ok());
            let reason = text.split_once("- ").map_or("not made", |(_, reason)| reason);
            made.push(number.ok_or_else(|| reason.to_owned()));
        }
        self.expect("done").map(|_| made)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The end of its input tells it to finalize the library, which removes its files.
        self.input = None;
        let end = Instant::now() + FAREWELL;
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(2));
        }
        // It may hang or have ended; either way nothing more is wanted of it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
