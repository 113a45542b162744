//! Events as people read them: a line each.

use std::fmt;
use std::path::Path;

use crate::event::{Action, Buffer, Communicator, Event, Mode, NOT_LOOKED_AT, Origin, Site, Stay};

impl fmt::Display for Event {
    /// Seconds, what happened, who called.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.time / 1_000_000_000, self.time % 1_000_000_000);
        write!(f, "{seconds:>4}.{rest:09} {}", self.action)?;
        self.site.as_ref().map_or(Ok(()), |site| write!(f, ", from {site}"))
    }
}

impl fmt::Display for Site {
    /// File and bytes from its beginning.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Path::new(&self.module).file_name();
        let name = name.map_or(self.module.as_str().into(), |name| name.to_string_lossy());
        write!(f, "{name}+{:#x}", self.offset)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Standard => "send",
            Mode::Buffered => "buffered send",
            Mode::Synchronous => "synchronous send",
            Mode::Ready => "ready send",
        })
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = if self.layout.is_empty() { "(a long layout)" } else { &self.layout };
        write!(f, "{} x {layout} at {:#x} ({} bytes)", self.count, self.address, self.bytes)
    }
}

/// A number, or `any`.
struct OrAny<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for OrAny<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("any"),
        }
    }
}

fn write_origins(f: &mut fmt::Formatter<'_>, origins: &[Origin]) -> fmt::Result {
    for o in origins {
        let end = o.at.saturating_add(o.length);
        write!(f, "; bytes {}..{end} are those from {} of {}", o.at, o.from, o.receive)?;
    }
    Ok(())
}

struct Hash(u64);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            NOT_LOOKED_AT => f.write_str("not looked at"),
            hash => write!(f, "hash {hash:016x}"),
        }
    }
}

/// `comm 1c5f`; what is only a number of this process is `own comm 3`.
fn comm(communicator: &Communicator) -> String {
    match communicator.number {
        0 => "world".to_owned(),
        number if communicator.is_private() => {
            format!("own comm {}", number ^ Communicator::PRIVATE)
        }
        number => format!("comm {number:x}"),
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Send { mode, to, tag, communicator, buffer, hash, origins, sum } => {
                let comm = comm(communicator);
                write!(f, "{mode} to {to}, tag {tag}, {comm}: {buffer}, {}", Hash(*hash))?;
                write_origins(f, origins)?;
                match sum {
                    None => Ok(()),
                    Some(sum) => {
                        let (element, before, receive) = (&sum.element, sum.before, sum.receive);
                        write!(f, "; the sum ({element}) of {before} and {receive}")
                    }
                }
            }
            Action::Receive { from, tag, communicator, buffer } => {
                let (from, tag) = (OrAny(*from), OrAny(*tag));
                write!(f, "receive from {from}, tag {tag}, {}: {buffer}", comm(communicator))
            }
            Action::Sent { send } => write!(f, "sent: {send}"),
            Action::Received { receive, what } => {
                let (from, tag, bytes) = (what.from, what.tag, what.bytes);
                write!(f, "received: {receive} from {from}, tag {tag}, {bytes} bytes, ")?;
                write!(f, "{}", Hash(what.hash))
            }
            Action::Dropped { receive } => write!(f, "nothing received: {receive}"),
            Action::Collective(c) => {
                write!(f, "{} on {}", c.name, comm(&c.communicator))?;
                if let Some(root) = c.root {
                    write!(f, ", root {root}")?;
                }
                write!(f, ": gives {} bytes, gets {}", c.gives, c.gets)
            }
            Action::Communicator(communicator) => {
                write!(f, "{}: ranks {:?}", comm(communicator), communicator.members)?;
                match communicator.remote.as_slice() {
                    [] => Ok(()),
                    remote => write!(f, ", and on the other side {remote:?}"),
                }
            }
            Action::Summed(summed) => {
                let (operator, element) = (summed.operator.mpi_name(), &summed.element);
                write!(f, "{operator} ({element}) of {} and ", summed.receive)?;
                match summed.other {
                    Some(other) => write!(f, "{other}")?,
                    None => write!(f, "what was there, hash {:016x}", summed.before)?,
                }
                write!(f, ": {}, hash {:016x}", summed.buffer, summed.hash)?;
                write_origins(f, &summed.origins)
            }
            Action::Probed { from, tag, communicator, waits, takes, found } => {
                let name = match (waits, takes) {
                    (true, false) => "probe",
                    (false, false) => "iprobe",
                    (true, true) => "mprobe",
                    (false, true) => "improbe",
                };
                let (from, tag, comm) = (OrAny(*from), OrAny(*tag), comm(communicator));
                let (source, its, bytes) = found;
                write!(f, "{name} from {from}, tag {tag}, {comm}: ")?;
                write!(f, "from {source}, tag {its}, {bytes} bytes")
            }
            Action::Counted { source, tag, bytes } => {
                write!(f, "counted: from {source} of its communicator, tag {tag}, {bytes} bytes")
            }
            Action::Held(Stay { send, since, before, until, after }) => {
                write!(f, "in its buffer: {send}, from {since} to {until}")?;
                before.map_or(Ok(()), |before| write!(f, ", not at {before}"))?;
                after.map_or(Ok(()), |after| write!(f, ", not at {after}"))
            }
            Action::Mark(level) => write!(f, "MPI_Pcontrol({level})"),
            Action::Threads => f.write_str("from here on several threads make calls"),
            Action::Limit => f.write_str("the limit was reached: nothing is recorded from here on"),
        }
    }
}
