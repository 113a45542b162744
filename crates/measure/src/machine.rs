//! The machine that the samples were taken on.

use std::fs;
use std::process::{Command, Stdio};

/// A machine, as a reader of its numbers needs it. Text that cannot be found out is "unknown".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name in the network.
    pub host: String,
    /// The first processor, as the kernel names it.
    pub processor: String,
    /// Family and model of the processor, where its name alone says little.
    pub family: Option<[String; 2]>,
    /// Processors that this process may use.
    pub cores: u32,
    /// Name and release of the kernel.
    pub kernel: String,
    /// Load average over one minute.
    pub load: String,
    /// The frequency governor of the first processor.
    pub governor: Option<String>,
}

impl Machine {
    /// This machine, now.
    #[must_use]
    pub fn here() -> Machine {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name| field(&cpuinfo, name);
        let load = file("/proc/loadavg");
        Machine {
            host: or_unknown(file("/proc/sys/kernel/hostname")),
            processor: or_unknown(field("model name")),
            family: field("cpu family").zip(field("model")).map(|(family, model)| [family, model]),
            cores: cores(),
            kernel: or_unknown(file("/proc/sys/kernel/osrelease").map(|r| format!("Linux {r}"))),
            load: or_unknown(load.and_then(|l| l.split_whitespace().next().map(str::to_owned))),
            governor: file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        }
    }

    /// The processor with family and model, where the kernel tells them.
    #[must_use]
    pub fn full_processor(&self) -> String {
        let name = &self.processor;
        match &self.family {
            Some([family, model]) => format!("{name} (family {family}, model {model})"),
            None => name.clone(),
        }
    }
}

/// Processors that this process may use.
#[must_use]
pub fn cores() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores).unwrap_or(u32::MAX)
}

/// The output of a command that tells a version (`rustc --version`, `git describe`); "unknown"
/// where it fails or says nothing.
#[must_use]
pub fn version(command: &str, arguments: &[&str]) -> String {
    let output = Command::new(command).args(arguments).stdin(Stdio::null()).output().ok();
    let text = output.filter(|output| output.status.success()).map(|output| output.stdout);
    let text = text.map(|text| String::from_utf8_lossy(&text).trim().to_owned());
    or_unknown(text.filter(|text| !text.is_empty()))
}

/// The text of a file of the kernel, without the end of its line; `None` where there is none.
#[must_use]
pub fn file(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| "unknown".to_owned())
}

/// A field of the first processor that has it.
fn field(cpuinfo: &str, name: &str) -> Option<String> {
    let mut fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(key, _)| key.trim() == name)?;
    Some(value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_the_first_processor() {
        let text = "processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n\n\
                    processor\t: 1\nmodel name\t: another\n";
        assert_eq!(field(text, "model name").as_deref(), Some("AMD EPYC"));
        assert_eq!(field(text, "model").as_deref(), Some("2"));
        assert_eq!(field("nothing here", "model name"), None);
    }

    #[test]
    fn a_processor_is_named_with_family_and_model() {
        let family = ["26", "2"].map(str::to_owned);
        let machine = Machine { processor: "X".into(), family: Some(family), ..Machine::here() };
        assert_eq!(machine.full_processor(), "X (family 26, model 2)");
        assert_eq!(Machine { family: None, ..machine }.full_processor(), "X");
    }

    #[test]
    fn a_command_that_is_not_there_tells_no_version() {
        assert_eq!(version("commloom-is-no-such-command", &[]), "unknown");
        assert_eq!(version("false", &[]), "unknown");
    }
}
