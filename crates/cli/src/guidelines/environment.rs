//! On what machine the times were taken.

use std::fs;

use commloom_guideline::results::Environment;

/// Describes this machine; what cannot be found out is "unknown".
pub fn describe(pinning: &str) -> Environment {
    let line = |path: &str| {
        let text = fs::read_to_string(path).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
    let release = line("/proc/sys/kernel/osrelease").map(|release| format!("Linux {release}"));
    let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| cpu_model(&text));
    Environment {
        host: or_unknown(line("/proc/sys/kernel/hostname")),
        os: or_unknown(release),
        cpu: or_unknown(cpu),
        cores: cores(),
        governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        pinning: pinning.to_owned(),
        commloom: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Cores that this process may use.
pub fn cores() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores).unwrap_or(u32::MAX)
}

/// The first model in a `/proc/cpuinfo`.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let mut models = fields.filter(|(key, _)| key.trim() == "model name");
    models.next().map(|(_, model)| model.trim().to_owned())
}
