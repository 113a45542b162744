//! Advice on programs that were recorded.

use std::rc::Rc;

use commloom_advice::{Advice, Called, Frame, Ran, RecordedPart, advice, findings};
use commloom_commgraph::recorded::{Phase, program};
use commloom_commgraph::{Analysis, Options, analyse};
use commloom_trace::{Site, Trace};

fn called(site: &Site) -> Called {
    let line = u32::try_from(site.offset).ok();
    let (function, file) = (Some("app".to_owned()), Some("app.c".to_owned()));
    let frame = Frame { function, file, line, is_fortran: false };
    Called { frames: vec![frame], address: site.module.to_string() }
}

/// All that is found.
pub fn all_advice(traces: &[Trace]) -> Vec<Advice> {
    let shared = Rc::new(traces.to_vec());
    let phases = program(traces).expect("all processes are there").phases;
    let options = Options { subsets: true, ..Options::default() };
    let parts: Vec<(Phase, Analysis, Ran)> = phases
        .into_iter()
        .map(|phase| {
            let ran = Ran {
                first_receives: phase.first_receives.clone(),
                sweep: phase.sweep,
                assumed: phase.assumed,
                senders: vec![],
                receivers: vec![],
                messages: phase.messages.clone(),
                traces: Rc::clone(&shared),
            };
            let analysis = analyse(&phase.graph, options).expect("a program that ran");
            (phase, analysis, ran)
        })
        .collect();
    let recorded = parts.iter().enumerate().map(|(number, (phase, analysis, ran))| RecordedPart {
        number,
        graph: &phase.graph,
        ran,
        collectives: &analysis.detection.collectives,
        detection: Some(&analysis.detection),
        complete: false,
    });
    let found = findings(recorded, called).expect("graphs that were analysed");
    let all = advice(&found, called).expect("graphs that were analysed");
    all.into_iter().map(|(advice, _)| advice).collect()
}
