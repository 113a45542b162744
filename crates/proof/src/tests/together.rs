//! What one statement that stays, or one call, keeps from changing.

use super::{SEND, around, code, judged};

/// The second call shares copies with both others, which have none in common.
#[test]
fn one_call_that_stays_keeps_its_whole_group() {
    let both = "for (i = 0; i < n; i++) b[i] = u[4*i]; for (i = 0; i < n; i++) b[n + i] = v[3*i]; \
                MPI_Send(b + n, n, MPI_DOUBLE, 1, 2, c); MPI_Send(b, 2*n, MPI_DOUBLE, 1, 2, c);";
    let chain = |written: &str| {
        let body = format!("static double v[100]; {both} {written} {SEND}");
        judged("a.c", &around(&body), &[])
    };
    let go = chain("");
    assert!(go.len() == 3 && go.iter().all(|o| !o.starts_with("E-")), "{go:?}");
    let stay = chain("u[4] = 9;");
    assert!(stay.len() == 3 && stay.iter().all(|o| code(o) == "E-SRC-WRITTEN"), "{stay:?}");
}
