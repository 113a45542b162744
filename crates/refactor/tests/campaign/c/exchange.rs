//! Exchanges of the edges of one array, whose halo may be wider than what lies between.

use commloom_refactor::source::Language;

use super::super::{Program, Rng, one};

/// Rows of the array `u`, which is as long as the drivers' arrays allow.
const TEMPLATE: &str = "#include <mpi.h>
static int inner@;
static void shrink@(void) { inner@ -= 1; }
double p@(double *u, double *v, int *list, int n, int m, int peer, MPI_Comm comm)
{
    double out[400], in[400], t = 0;
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    (void)list; (void)peer; (void)shrink@;
    for (SIZE = 0; SIZE < 4; SIZE++) {
        MPI_Irecv(in, HALO * ROWS, MPI_DOUBLE, MPI_ANY_SOURCE, 3, comm, &r[0]);
        FIRST
        for (int k = 0; k < ROWS; k++) {
            for (int s = 0; s < HALO; s++)
                out[k * HALO + s] = u[k * (SIZE + 2 * HALO) + SENT + s];
        }
        MPI_Isend(out, HALO * ROWS, MPI_DOUBLE, 0, 3, comm, &r[1]);
        SECOND
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        for (int k = 0; k < ROWS; k++) {
            for (int s = 0; s < HALO; s++)
                u[k * (SIZE + 2 * HALO) + TAKEN + s] = in[k * HALO + s];
        }
        THIRD
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        t += u[0] + u[HALO] + v[0] + n + m;
    }
    return t;
}
";

/// Lines that may make it wrong to ask for the relation only once.
const LINES: &[(&str, &str)] = &[
    ("nothing", ""),
    ("nothing", ""),
    ("nothing", ""),
    ("other work", "t += 1;"),
    ("a size changed and put back", "SIZE += 1; SIZE -= 1;"),
    ("a size changed by a callee", "if (n > 100) shrink@();"),
    ("the array written", "u[1] += 3;"),
    ("left early", "if (n > 100) return t;"),
];

pub fn program(rng: &mut Rng, number: usize) -> Program {
    let size = *one(rng, &["inner@", "size"]);
    let halo = *one(rng, &["1", "2", "3"]);
    let rows = *one(rng, &["1", "m", "3"]);
    let sent = *one(rng, &["HALO", "SIZE", "0", "1", "SIZE + HALO"]);
    let taken = *one(rng, &["0", "SIZE + HALO", "1", "HALO", "SIZE"]);
    let lines = [*one(rng, LINES), *one(rng, LINES), *one(rng, LINES)];
    let mut text = TEMPLATE.replace("FIRST", lines[0].1).replace("SECOND", lines[1].1);
    text = text.replace("THIRD", lines[2].1).replace("SENT", sent).replace("TAKEN", taken);
    text = text.replace("ROWS", rows).replace("HALO", halo);
    if size == "size" {
        text = text.replace("for (SIZE = 0", "int size;\n    for (SIZE = 0");
    }
    let text = text.replace("SIZE", size).replace('@', &number.to_string());
    let mut twists: Vec<&'static str> = lines.iter().map(|(name, _)| *name).collect();
    twists.retain(|name| *name != "nothing");
    let form = format!("exchange of {halo} columns, {rows} rows");
    Program { number, language: Language::C, form, twists, text }
}
