//! Name and version of a library, from what it says of itself.

/// First words of `MPI_Get_library_version`, and the name of the library.
const NAMES: [(&str, &str); 8] = [
    ("CRAY MPICH", "Cray MPICH"),
    ("MVAPICH2", "MVAPICH2"),
    ("MVAPICH", "MVAPICH"),
    ("MPICH", "MPICH"),
    ("Open MPI", "Open MPI"),
    ("Intel(R) MPI", "Intel MPI"),
    ("ParaStation", "ParaStation MPI"),
    ("IBM Spectrum", "Spectrum MPI"),
];

/// Name and version number; the first word and nothing for a library that is not known.
#[must_use]
pub fn named(text: &str) -> (String, String) {
    let first = text.lines().next().unwrap_or_default();
    let known = NAMES.iter().find(|(mark, _)| first.contains(mark));
    let word = || first.split_whitespace().next().unwrap_or("unknown").to_owned();
    let kind = known.map_or_else(word, |(_, name)| (*name).to_owned());
    let version =
        first.split(|c: char| c.is_whitespace() || c == ',' || c == ':').find_map(|word| {
            let word = word.strip_prefix('v').unwrap_or(word);
            let number = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
            number.then(|| word.to_owned())
        });
    (kind, version.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn libraries_tell_their_names_in_their_own_ways() {
        for (text, kind, version) in [
            ("MPICH Version:\t4.0.2\nMPICH Release date:\tThu", "MPICH", "4.0.2"),
            ("MPICH Version:      5.0.2\n", "MPICH", "5.0.2"),
            ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "Open MPI", "4.1.4"),
            ("Intel(R) MPI Library 2021.18 for Linux* OS\n", "Intel MPI", "2021.18"),
            ("MPI VERSION    : CRAY MPICH version 8.1.27 (ANL base)", "Cray MPICH", "8.1.27"),
            ("MVAPICH2 Version      :2.3.7", "MVAPICH2", "2.3.7"),
            ("Something else", "Something", ""),
            ("", "unknown", ""),
        ] {
            assert_eq!(named(text), (kind.to_owned(), version.to_owned()), "{text}");
        }
    }
}
