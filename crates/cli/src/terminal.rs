//! Text on the streams of this process. What others have written obeys nothing there: names,
//! lines of sources, traces and messages of libraries are shown with their control characters
//! escaped.

use std::fmt;
use std::io::{self, IsTerminal, StdoutLock, Write};

use commloom_guard::{is_hidden, shown, visible};

/// Standard output.
pub struct Screen {
    out: StdoutLock<'static>,
    /// Bytes of a line that has not ended: a character may come in two pieces.
    line: Vec<u8>,
    manner: Manner,
}

#[derive(Clone, Copy)]
enum Manner {
    Text { colours: bool },
    Json,
    Exact,
}

/// For people; `colours`: those of [`commloom_guard::styled`].
pub fn text(colours: bool) -> Screen {
    Screen::new(Manner::Text { colours })
}

/// For programs, as JSON: it has escapes of its own.
pub fn json() -> Screen {
    Screen::new(Manner::Json)
}

/// For programs, byte for byte; on a terminal as [`text`].
pub fn exact() -> Screen {
    let is_terminal = io::stdout().is_terminal();
    Screen::new(if is_terminal { Manner::Text { colours: false } } else { Manner::Exact })
}

impl Screen {
    fn new(manner: Manner) -> Screen {
        Screen { out: io::stdout().lock(), line: Vec::new(), manner }
    }

    /// Writes the first bytes of what is kept.
    fn put(&mut self, length: usize) -> io::Result<()> {
        let bytes: Vec<u8> = self.line.drain(..length).collect();
        if let Manner::Exact = self.manner {
            return self.out.write_all(&bytes);
        }
        let text = String::from_utf8_lossy(&bytes);
        match self.manner {
            Manner::Text { colours } => self.out.write_all(shown(&text, colours).as_bytes()),
            Manner::Json | Manner::Exact => self.out.write_all(escaped(&text).as_bytes()),
        }
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if let Some(end) = self.line.iter().rposition(|&byte| byte == b'\n') {
            self.put(end + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put(self.line.len())?;
        self.out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.flush();
    }
}

/// Characters in the texts of JSON that a terminal would obey. Between the texts there are none
/// but ends of lines.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) && c != '\n' {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// A whole message on standard error, in one piece: other processes may write there too.
pub fn tell(message: fmt::Arguments<'_>) {
    let text = message.to_string();
    eprint!("{}", visible(&text));
}

/// As `eprintln!`, for text of any origin.
macro_rules! say {
    ($($part:tt)*) => { $crate::terminal::tell(format_args!("{}\n", format_args!($($part)*))) };
}
pub(crate) use say;

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn json_stays_the_same_json() {
        let text = "a\u{7f}\u{9b}b\u{202e}\u{fc}\n\x1b";
        let json = serde_json::to_string(text).unwrap();
        let shown = escaped(&format!("[{json},\n1]"));
        assert!(!shown.contains(|c: char| commloom_guard::is_hidden(c) && c != '\n'), "{shown}");
        let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(read[0].as_str(), Some(text));
    }
}
