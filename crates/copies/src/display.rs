//! Copies as text.

use std::fmt;

use super::Dense;

impl fmt::Display for Dense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dense::Copy(copy) => write!(f, "{} bytes at {}", copy.length, copy.address.place),
            Dense::Loop(counter, count, body) => {
                write!(f, "for k{} < {count} {{ {body} }}", counter.0)
            }
            Dense::Sequence(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if number > 0 { "; " } else { "" })?;
                }
                Ok(())
            }
            Dense::Guard { then, otherwise, .. } => {
                write!(f, "if .. {{ {then} }} else {{ {otherwise} }}")
            }
        }
    }
}
