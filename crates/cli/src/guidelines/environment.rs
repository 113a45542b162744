//! On what machine the times were taken.

use commloom_guideline::results::Environment;
use commloom_measure::machine::Machine;

/// Describes this machine; what cannot be found out is "unknown".
pub fn describe(pinning: &str) -> Environment {
    let machine = Machine::here();
    Environment {
        host: machine.host,
        os: machine.kernel,
        cpu: machine.processor,
        cores: machine.cores,
        governor: machine.governor,
        pinning: pinning.to_owned(),
        commloom: env!("CARGO_PKG_VERSION").to_owned(),
    }
}
