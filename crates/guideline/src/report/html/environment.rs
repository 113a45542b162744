//! Where, when and how the files were measured.

use std::fmt::Write;

use commloom_picture::html::escape;

use crate::report::Report;

/// One part for each file.
pub fn files(report: &Report<'_>) -> String {
    let mut out = "<section id=\"environment\">\n<h2>Environment</h2>\n".to_owned();
    for (k, results) in report.study.files.iter().enumerate() {
        if report.study.files.len() > 1 {
            let _ = writeln!(out, "<h3>File {}</h3>", k + 1);
        }
        let (e, options) = (&results.environment, &results.options);
        let complete = if results.complete { "yes" } else { "no: not all launches were made" };
        let facts = [
            ("host", e.host.clone()),
            ("system", e.os.clone()),
            ("processor", e.cpu.clone()),
            ("cores", e.cores.to_string()),
            ("frequency governor", e.governor.clone().unwrap_or_else(|| "not known".to_owned())),
            ("pinning", e.pinning.clone()),
            ("commloom", e.commloom.clone()),
            ("date", results.date.clone()),
            ("seed", results.seed.to_string()),
            ("launches", options.runs.to_string()),
            ("complete", complete.to_owned()),
        ];
        out += "<dl class=\"facts\">\n";
        for (name, value) in facts {
            let _ = writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
        }
        out += "</dl>\n";
        for run in &results.runs {
            let library = &run.library;
            let _ = writeln!(
                out,
                "<details><summary>{} {}, {} processes, <code>{}</code></summary>\n<pre>{}</pre>\n\
                 </details>",
                escape(&library.kind),
                escape(&library.version),
                run.processes,
                escape(&library.mpirun),
                escape(&library.text)
            );
        }
    }
    out + "</section>\n"
}
