//! Why a command ends without an answer: always a whole message, shown on standard error.

use std::fmt;
use std::io;

use commloom_guard::one_line;
use commloom_layout::text::ParseError;
use commloom_reconstruct::ReconstructError;

/// Bad input or a machine that does not play along; exit status 2.
#[derive(Debug)]
pub enum Failure {
    /// A text that cannot be read: `name` says where it came from.
    Parse { name: String, error: ParseError },
    /// A file that cannot be read or written.
    File { doing: &'static str, name: String, error: io::Error },
    /// A file that is not text: the first wrong byte.
    NotText { name: String, at: usize },
    /// A layout that cannot be reconstructed.
    Reconstruct(ReconstructError),
    /// Anything else, as a full sentence.
    Message(String),
    /// The same, of this process of a job: the others may have started the program.
    OfThisRank(String),
    /// The answer is no, and was given; exit status 1.
    No,
    /// The user stopped it, and was told what is left; exit status 130, as of a shell's command
    /// that SIGINT ends.
    Interrupted,
    /// Nobody reads standard output any more (`commloom flatten ... | head`): not an error.
    ReaderLeft,
}

impl Failure {
    /// A full sentence.
    pub fn message(text: impl Into<String>) -> Failure {
        Failure::Message(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Parse { name, error } => f.write_str(&error.render(&one_line(name))),
            Failure::File { doing, name, error } => {
                write!(f, "cannot {doing} {}: {error}", one_line(name))
            }
            Failure::NotText { name, at } => {
                write!(f, "{} is not UTF-8 text: byte {at} belongs to no character", one_line(name))
            }
            Failure::Reconstruct(error) => error.fmt(f),
            Failure::Message(text) | Failure::OfThisRank(text) => f.write_str(text),
            Failure::No => f.write_str("the answer is no"),
            Failure::Interrupted => f.write_str("interrupted"),
            Failure::ReaderLeft => f.write_str("nobody reads the output"),
        }
    }
}

/// Writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderLeft,
            _ => Failure::File { doing: "write", name: "standard output".to_owned(), error },
        }
    }
}

impl From<ReconstructError> for Failure {
    fn from(error: ReconstructError) -> Self {
        Failure::Reconstruct(error)
    }
}
