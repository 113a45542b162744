//! "Did you mean": the known name nearest to a misspelled one.

/// A hint that names the candidate with the fewest edits, if those are few; letter case and a
/// missing `MPI_` count as half an edit.
#[must_use]
pub fn did_you_mean<'n>(given: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
    let plain = |name: &str| name.to_ascii_lowercase().trim_start_matches("mpi_").to_owned();
    let given_plain = plain(given);
    let allowed = 2 * (given_plain.chars().count() / 3).clamp(1, 3) + 1;
    candidates
        .map(|name| (2 * edits(&given_plain, &plain(name)) + usize::from(name != given), name))
        .min()
        .filter(|&(distance, _)| distance <= allowed)
        .map(|(_, name)| format!("did you mean `{name}`?"))
}

/// Insertions, deletions, replacements and swaps of neighbours between two words (optimal string
/// alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
