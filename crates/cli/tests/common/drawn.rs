//! Patterns of communication drawn by chance, as a program in C like `by_hand/patterns.c`: who sends
//! which numbers to whom, from where to where, in which way, what a process copies itself, whether
//! memory is used twice, and one deviation.

use std::fmt::Write as _;

use fastrand::Rng;

/// Numbers of an array of `patterns.c`.
const NUMBERS: usize = 1600;
/// Where the second half of an array begins that is sent from and received into.
const FAR: usize = 700;

/// What the printed code is told of blocks: where the name that it has for them is.
const PROLOGUE: &str = "
/* The place, in numbers, from which printed displacements or steps lead to the blocks that there are. */
static int from(const int *place, const int *length, const int *displs, int step, int first,
                const int *members, int n)
{
    if (first >= 0 && first < n && length[members[first]] > 0)
        return place[members[first]];
    for (int i = 0; i < n; i++)
        if (length[members[i]] > 0)
            return place[members[i]] - (displs ? displs[i] : i * step / 8);
    return 0;
}
";

type Table = Vec<Vec<usize>>;

/// Messages: how many numbers process `i` sends to `j`, from where, and where `j` receives them.
struct Messages {
    lengths: Table,
    sent: Table,
    received: Table,
    /// From and into one array.
    is_one: bool,
    root: usize,
    /// Of one process to all others the same.
    is_broadcast: bool,
    /// The numbers that a process copies itself.
    own: Vec<usize>,
}

/// The program: functions `drawn_0` to so many, for so many processes.
pub fn program(patterns: &str, seed: u64, ranks: usize, count: usize) -> String {
    let head = patterns.find("/* expect: ").expect("patterns");
    let tail = patterns.find("/* Nothing is left").expect("the end");
    let mut text = format!("{}{PROLOGUE}", &patterns[..head]);
    let mut names = String::new();
    for k in 0..count {
        let mut rng = Rng::with_seed(seed.wrapping_mul(100_003).wrapping_add(id(k)));
        let name = format!("drawn_{k}");
        let body = match rng.u32(0..4) {
            0 => reduction(&mut rng, ranks, k),
            _ => Messages::draw(&mut rng, ranks).code(&mut rng, k),
        };
        writeln!(text, "/* expect: any */\nstatic void {name}(void)\n{{\n{body}}}\n")
            .expect("memory");
        writeln!(names, "    PATTERN({name}),").expect("memory");
    }
    let list = "static const struct { const char *name; void (*run)(void); } patterns[] = {";
    let define = "#define PATTERN(name) { #name, name }";
    format!("{text}{list}\n{define}\n{names}}};\n\n{}", &patterns[tail..])
}

fn id(k: usize) -> u64 {
    u64::try_from(k).expect("small")
}

fn one_in(rng: &mut Rng, n: u32) -> bool {
    rng.u32(0..n) == 0
}

/// Places of `n` blocks, one for each rank.
fn places(rng: &mut Rng, n: usize, each: usize) -> Vec<usize> {
    let step = each + if one_in(rng, 3) { rng.usize(1..4) } else { 0 };
    let first = if rng.bool() { 0 } else { rng.usize(1..9) };
    let mut order: Vec<usize> = (0..n).collect();
    match rng.u32(0..5) {
        0 => rng.shuffle(&mut order),
        1 => order.reverse(),
        _ => {}
    }
    order.into_iter().map(|k| first + k * step).collect()
}

impl Messages {
    fn draw(rng: &mut Rng, n: usize) -> Messages {
        let each = rng.usize(1..24);
        let is_one = one_in(rng, 3);
        let table = || vec![vec![0; n]; n];
        let (mut lengths, mut sent, mut received) = (table(), table(), table());
        let (from, into) = (places(rng, n, each), places(rng, n, each));
        let uneven: Option<Vec<usize>> =
            one_in(rng, 4).then(|| (0..n).map(|_| rng.usize(1..=each)).collect());
        let length = |k: usize| uneven.as_ref().map_or(each, |all| all[k]);
        let far = match rng.u32(0..5) {
            0 => from[0],
            1 => from[0] + 1,
            _ => FAR,
        };
        let (root, shape, hop) = (rng.usize(0..n), rng.u32(0..8), rng.usize(1..n));
        let is_same_place = is_one && rng.bool();
        for i in 0..n {
            for j in 0..n {
                let (own, at, is_sent, len) = match shape {
                    0 => (from[0], far, i == root, each),
                    1 => (from[j], far, i == root, length(j)),
                    2 => (far, into[i], j == root, length(i)),
                    3 if is_same_place => (into[i], into[i], true, length(i)),
                    3 => (far, into[i], true, length(i)),
                    4 if is_same_place => (into[j], into[i], true, each),
                    4 | 5 => {
                        (FAR + from[j], into[i], true, if shape == 4 { each } else { length(j) })
                    }
                    6 => (from[0], far, (i + hop) % n == j, each),
                    _ if (i + 1) % n == j => (from[0] + each, from[0], true, each),
                    _ => (from[0] + 2 * each, from[0] + 3 * each, (j + 1) % n == i, each),
                };
                (sent[i][j], received[j][i]) = (own, at);
                lengths[i][j] = if is_sent { len } else { 0 };
            }
        }
        let own = (0..n).map(|i| std::mem::take(&mut lengths[i][i])).collect();
        let is_broadcast = shape == 0;
        let mut all = Messages { lengths, sent, received, is_one, root, is_broadcast, own };
        if one_in(rng, 3) {
            all.deviate(rng, n);
        }
        all
    }

    /// One message is another.
    fn deviate(&mut self, rng: &mut Rng, n: usize) {
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let pairs: Vec<(usize, usize)> =
            pairs.filter(|&(i, j)| i != j && self.lengths[i][j] > 0).collect();
        let Some(&(i, j)) = rng.choice(&pairs) else { return };
        let &(_, other) = rng.choice(&pairs).expect("one at least");
        match rng.u32(0..5) {
            0 => self.lengths[i][j] -= 1,
            1 => self.lengths[i][j] = 0,
            2 => self.sent[i][j] += 1,
            3 => self.received[j][i] += 1,
            _ => self.sent[i].swap(j, other),
        }
    }

    /// Whether no process writes what it also sends, or writes twice.
    fn is_apart(&self) -> bool {
        (0..self.lengths.len()).all(|me| {
            let mut used: Vec<(usize, usize, bool)> = Vec::new();
            for other in (0..self.lengths.len()).filter(|other| *other != me) {
                used.push((self.sent[me][other], self.lengths[me][other], !self.is_one));
                used.push((self.received[me][other], self.lengths[other][me], true));
            }
            (0..used.len()).all(|a| {
                (0..used.len()).all(|b| {
                    let (one, two) = (used[a], used[b]);
                    let are_reads = a % 2 == 0 && b % 2 == 0;
                    let are_arrays = a % 2 != b % 2 && !self.is_one;
                    let is_apart = one.0 + one.1 <= two.0 || two.0 + two.1 <= one.0;
                    a == b || are_reads || are_arrays || is_apart
                })
            })
        })
    }

    /// Whether each message is answered by one from where it goes to.
    fn is_swap(&self) -> bool {
        let n = self.lengths.len();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j);
        let is_even = |(i, j): (usize, usize)| {
            self.lengths[i][j] == self.lengths[j][i] && self.sent[i][j] == self.received[i][j]
        };
        self.is_one && pairs.into_iter().all(is_even)
    }

    fn code(&self, rng: &mut Rng, k: usize) -> String {
        let n = self.lengths.len();
        let (x, y) = ("a", if self.is_one { "a" } else { "b" });
        let tag = 100 + k;
        let mut body = String::new();
        // The lengths once more for the names: by the process that receives.
        let across = (0..n).map(|j| (0..n).map(|i| self.lengths[i][j]).collect()).collect();
        let tables =
            [('L', &self.lengths), ('M', &across), ('S', &self.sent), ('R', &self.received)];
        for (name, table) in tables {
            let rows: Vec<String> =
                table.iter().map(|row| format!("{{{}}}", joined(row))).collect();
            writeln!(body, "    static const int {name}[][{n}] = {{{}}};", rows.join(", "))
                .expect("memory");
        }
        writeln!(
            body,
            "    MPI_Request all[2 * MOST];\n    int used = 0;\n    (void)all, (void)used;"
        )
        .expect("memory");
        if one_in(rng, 3) {
            body.push_str("    fill(b, MOST * N);\n");
        }
        body.push_str("    fill(a, MOST * N);\n");
        let own = format!(
            "    memmove({y} + R[rank][rank], {x} + S[rank][rank], (const int[]){{{}}}[rank] * 8);\n",
            joined(&self.own)
        );
        let copies = rng.u32(0..3);
        if copies == 1 {
            body.push_str(&own);
        }
        writeln!(body, "    /* one call: {} */", self.names(x, y)).expect("memory");
        let sends = "L[rank][i], MPI_DOUBLE, i";
        match (self.is_swap(), self.is_apart(), rng.u32(0..3)) {
            (true, _, 0) => writeln!(
                body,
                "    for (int k = 0; k < size; k++) {{\n        int i = (k - rank + size) % size;\n        \
                 if (i != rank)\n            MPI_Sendrecv_replace({x} + S[rank][i], {sends}, {tag}, i, \
                 {tag}, WORLD, IGNORE);\n    }}"
            ),
            (_, true, 1) => writeln!(
                body,
                "    for (int i = 0; i < size; i++)\n        if (i != rank && L[i][rank])\n            \
                 MPI_Irecv({y} + R[rank][i], L[i][rank], MPI_DOUBLE, i, {tag}, WORLD, &all[used++]);\n    \
                 for (int i = 0; i < size; i++)\n        if (i != rank && L[rank][i])\n            \
                 MPI_Isend({x} + S[rank][i], {sends}, {tag}, WORLD, &all[used++]);\n    \
                 MPI_Waitall(used, all, MPI_STATUSES_IGNORE);"
            ),
            _ => {
                // Perhaps what is sent changes between the messages.
                let change = if self.is_broadcast && one_in(rng, 3) { format!("            {x}[S[i][j]] += 1;\n") } else {
                    String::new()
                };
                let inner = self.names_for("i", x, y);
                writeln!(
                    body,
                    "    for (int i = 0; i < size; i++) {{\n        int next = (i + 1) % size, sends = 0;\n        \
                     for (int j = 0; j < size; j++)\n            sends += L[i][j] > 0;\n        \
                     if (!sends)\n            continue;\n        \
                     /* one call: root = i; {inner} */\n        \
                     for (int j = 0; j < size; j++) {{\n            \
                     if (!L[i][j])\n                continue;\n            \
                     if (rank == i)\n                \
                     MPI_Send({x} + S[i][j], L[i][j], MPI_DOUBLE, j, {tag}, WORLD);\n            \
                     if (rank == j)\n                \
                     MPI_Recv({y} + R[j][i], L[i][j], MPI_DOUBLE, i, {tag}, WORLD, IGNORE);\n{change}        }}\n        \
                     /* to here */\n    }}"
                )
            }
        }
        .expect("memory");
        body.push_str("    /* to here */\n");
        if copies == 2 {
            body.push_str(&own);
        }
        writeln!(body, "    look(a, {NUMBERS} * 8);\n    look(b, {NUMBERS} * 8);").expect("memory");
        body
    }

    /// The names in printed code.
    fn names(&self, x: &str, y: &str) -> String {
        let (n, root) = (self.lengths.len(), self.root);
        if (0..n).all(|i| i == root || self.lengths[i].iter().all(|l| *l == 0)) {
            return self
                .names_for(&root.to_string(), x, y)
                .replace("next", &((root + 1) % n).to_string());
        }
        let next = (root + 1) % n;
        // Of neighbours it is the lowest address.
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let there = pairs.filter(|&(i, j)| self.lengths[i][j] > 0);
        let lowest = there.map(|(i, j)| self.sent[i][j].min(self.received[j][i])).min();
        format!(
            "BUFFER = {x} + {}; BLOCK = {x} + S[rank][rank == {root} ? {next} : {root}]; \
             count = L[rank][rank == {root} ? {next} : {root}]; SEND = {x} + from(S[rank], L[rank], #); \
             RECEIVE = {y} + from(R[rank], M[rank], #); BLOCKS = {y} + from(R[rank], M[rank], #)",
            lowest.unwrap_or(0),
        )
    }

    /// Those of one that sends to others, and next to `next`.
    fn names_for(&self, root: &str, x: &str, y: &str) -> String {
        format!(
            "BUFFER = rank == {root} ? {x} + S[rank][next] : {y} + R[rank][{root}]; \
             count = L[{root}][rank == {root} ? next : rank]; \
             BLOCK = {y} + R[rank][{root}]; BLOCKS = {x} + from(S[rank], L[rank], #)"
        )
    }
}

fn joined(row: &[usize]) -> String {
    row.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Something is added up, or the largest is looked for; perhaps all see what is left in the buffers.
fn reduction(rng: &mut Rng, ranks: usize, k: usize) -> String {
    let n = rng.usize(2..60);
    let (at, tag) = (if rng.bool() { 0 } else { rng.usize(1..9) }, 100 + k);
    let combine = match rng.bool() {
        true => "y[i] += t[i];",
        false => "y[i] = t[i] > y[i] ? t[i] : y[i];",
    };
    let combine = format!("for (int i = 0; i < {n}; i++) {combine}");
    let is_one = rng.bool();
    let (x, y) =
        (format!("(a + {at})"), if is_one { format!("(a + {at})") } else { "b".to_owned() });
    let root = rng.usize(0..ranks);
    let mut body =
        format!("    double *x = {x}, *y = {y};\n    fill(x, {n});\n    memmove(y, x, {n} * 8);\n");
    let way = rng.u32(0..5);
    let buffer = if way < 2 { format!("rank == {root} ? y : x") } else { "y".to_owned() };
    let copy = "COPY = memcpy(t, y, sizeof t / 2)";
    writeln!(
        body,
        "    /* one call: BUFFER = {buffer}; RESULT = y; BLOCK = x; BLOCKS = t + (#); {copy} */"
    )
    .expect("memory");
    let send =
        |from: &str, to: &str| format!("MPI_Send({from}, {n}, MPI_DOUBLE, {to}, {tag}, WORLD);");
    let receive = |into: &str, from: &str| {
        format!("MPI_Recv({into}, {n}, MPI_DOUBLE, {from}, {tag}, WORLD, IGNORE);")
    };
    let linear = format!(
        "    if (rank != {root})\n        {}\n    else\n        for (int k = 0; k < size; k++)\n            \
         if (k != {root}) {{\n                {}\n                {combine}\n            }}\n",
        send("x", &root.to_string()),
        receive("t", "k"),
    );
    match way {
        0 => body.push_str(&linear),
        1 => {
            let tell = format!(
                "    if (rank == {root})\n        for (int k = 0; k < size; k++) {{\n            \
                 if (k != {root})\n                {}\n        }}\n    else\n        {}\n",
                send("y", "k"),
                receive("y", &root.to_string()),
            );
            body.push_str(&linear);
            body.push_str(&tell);
        }
        2 => write!(
            body,
            "    if (rank > 0) {{\n        {}\n        {combine}\n    }}\n    if (rank < size - 1)\n        {}\n",
            receive("t", "rank - 1"),
            send("y", "rank + 1"),
        )
        .expect("memory"),
        3 if ranks.is_power_of_two() => write!(
            body,
            "    for (int bit = 1; bit < size; bit <<= 1) {{\n        MPI_Sendrecv(y, {n}, MPI_DOUBLE, rank ^ bit, \
             {tag}, t, {n}, MPI_DOUBLE, rank ^ bit, {tag}, WORLD, IGNORE);\n        {combine}\n    }}\n"
        )
        .expect("memory"),
        _ => write!(
            body,
            "    for (int bit = 1; bit < size; bit <<= 1) {{\n        if (rank & bit) {{\n            {}\n            \
             break;\n        }}\n        if (rank + bit < size) {{\n            {}\n            {combine}\n        \
             }}\n    }}\n",
            send("y", "rank - bit"),
            receive("t", "rank + bit"),
        )
        .expect("memory"),
    }
    body.push_str("    /* to here */\n");
    let who = if rng.bool() { format!("if (rank == {root} || rank == 0) ") } else { String::new() };
    writeln!(body, "    look(x, {n} * 8);\n    {who}look(y, {n} * 8);\n    rest();")
        .expect("memory");
    body
}
