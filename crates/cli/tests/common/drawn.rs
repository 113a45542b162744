//! Patterns of communication drawn by chance, as a program in C like `by_hand/patterns.c`: who
//! sends which numbers to whom, from where to where, in which way, what a process copies itself,
//! whether memory is used twice, and one deviation.

use std::fmt::Write as _;

use fastrand::Rng;

/// Where the second half of an array begins that is sent from and received into.
const FAR: usize = 700;

/// Where the name is that the printed code has for blocks.
const PROLOGUE: &str = "
/* The place, in numbers, from which printed displacements or steps lead to the blocks. */
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
    let mut text = PROLOGUE.to_owned();
    let mut names = Vec::new();
    for k in 0..count {
        let mut rng = Rng::with_seed(seed.wrapping_mul(100_003).wrapping_add(id(k)));
        let name = format!("drawn_{k}");
        let body = match rng.u32(0..4) {
            0 => reduction(&mut rng, ranks, k),
            _ => Messages::draw(&mut rng, ranks).code(&mut rng, k),
        };
        writeln!(text, "/* expect: any */\nstatic void {name}(void)\n{{\n{body}}}\n")
            .expect("memory");
        names.push(name);
    }
    around(patterns, &text, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The program of functions with these names, between the beginning and the end of `patterns`.
pub fn around(patterns: &str, functions: &str, names: &[&str]) -> String {
    let head = &patterns[..patterns.find("/* expect: ").expect("patterns")];
    let tail = &patterns[patterns.find("/* Nothing is left").expect("the end")..];
    let list = "static const struct { const char *name; void (*run)(void); } patterns[] = {";
    let define = "#define PATTERN(name) { #name, name }";
    let names: String = names.iter().map(|name| format!("    PATTERN({name}),\n")).collect();
    format!("{head}{functions}\n{list}\n{define}\n{names}}};\n\n{tail}")
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
        // The lengths once more, by the process that receives.
        let across = (0..n).map(|j| (0..n).map(|i| self.lengths[i][j]).collect()).collect();
        let tables = [("L", &self.lengths), ("M", &across), ("S", &self.sent)];
        let mut body = String::new();
        for (name, table) in tables.into_iter().chain([("R", &self.received)]) {
            let rows: Vec<String> = table.iter().map(|row| format!("{{{}}}", list(row))).collect();
            let rows = rows.join(", ");
            writeln!(body, "    static const int {name}[][{n}] = {{{rows}}};").expect("memory");
        }
        let fill_b = if one_in(rng, 3) { "fill(b, MOST * N);" } else { "" };
        let copies = rng.u32(0..3);
        let copied = |when: u32| if copies == when { COPIED } else { "" };
        let way = match (self.is_swap(), self.is_apart(), rng.u32(0..3)) {
            (true, _, 0) => REPLACED,
            (_, true, 1) => TOGETHER,
            _ => IN_TURN,
        };
        // What is sent may change between the messages.
        let change = if self.is_broadcast && one_in(rng, 3) { "x[S[i][j]] += 1;" } else { "" };
        let known = [
            ("WAY", way),
            ("BEFORE", copied(1)),
            ("BEHIND", copied(2)),
            ("OWN", &list(&self.own)),
            ("FILL_B", fill_b),
            ("CHANGE", change),
            ("NAMES_OF_I", &names_of("i")),
            ("NAMES", &self.names()),
            ("TAG", &(100 + k).to_string()),
        ];
        format!("{body}    double *x = {x}, *y = {y};{}", filled(MESSAGES, &known))
    }

    /// The names in printed code.
    fn names(&self) -> String {
        let (n, root) = (self.lengths.len(), self.root);
        let next = (root + 1) % n;
        if (0..n).all(|i| i == root || self.lengths[i].iter().all(|l| *l == 0)) {
            return names_of(&root.to_string()).replace("next", &next.to_string());
        }
        // Of neighbours it is the lowest address.
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let there = pairs.filter(|&(i, j)| self.lengths[i][j] > 0);
        let lowest = there.map(|(i, j)| self.sent[i][j].min(self.received[j][i])).min();
        let other = format!("[rank][rank == {root} ? {next} : {root}]");
        format!(
            "BUFFER = x + {}; BLOCK = x + S{other}; count = L{other}; \
             SEND = x + from(S[rank], L[rank], #); RECEIVE = y + from(R[rank], M[rank], #); \
             BLOCKS = y + from(R[rank], M[rank], #)",
            lowest.unwrap_or(0)
        )
    }
}

/// Those where one sends to others, and to `next` among them.
fn names_of(root: &str) -> String {
    format!(
        "BUFFER = rank == {root} ? x + S[rank][next] : y + R[rank][{root}]; \
         count = L[{root}][rank == {root} ? next : rank]; BLOCK = y + R[rank][{root}]; \
         BLOCKS = x + from(S[rank], L[rank], #)"
    )
}

fn list(row: &[usize]) -> String {
    row.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A text in which words are what they stand for, the first of them first.
fn filled(text: &str, known: &[(&str, &str)]) -> String {
    known.iter().fold(text.to_owned(), |text, (name, is)| text.replace(name, is))
}

const MESSAGES: &str = r"
    MPI_Request all[2 * MOST];
    int used = 0;
    (void)all, (void)used;
    FILL_B
    fill(a, MOST * N);
    BEFORE
    /* one call: NAMES */
WAY
    /* to here */
    BEHIND
    look(a, sizeof a);
    look(b, sizeof b);
";

const COPIED: &str = r"const int own[] = {OWN};
    memmove(y + R[rank][rank], x + S[rank][rank], own[rank] * 8);";

const REPLACED: &str = r"
    for (int k = 0; k < size; k++) {
        int i = (k - rank + size) % size, n = L[rank][i];
        if (i != rank)
            MPI_Sendrecv_replace(x + S[rank][i], n, MPI_DOUBLE, i, TAG, i, TAG, WORLD, IGNORE);
    }";

const TOGETHER: &str = r"
    for (int i = 0; i < size; i++)
        if (L[i][rank])
            MPI_Irecv(y + R[rank][i], L[i][rank], MPI_DOUBLE, i, TAG, WORLD, &all[used++]);
    for (int i = 0; i < size; i++)
        if (L[rank][i])
            MPI_Isend(x + S[rank][i], L[rank][i], MPI_DOUBLE, i, TAG, WORLD, &all[used++]);
    MPI_Waitall(used, all, MPI_STATUSES_IGNORE);";

const IN_TURN: &str = r"
    for (int i = 0; i < size; i++) {
        int next = (i + 1) % size, sends = 0;
        for (int j = 0; j < size; j++)
            sends += L[i][j] > 0;
        if (!sends)
            continue;
        /* one call: root = i; NAMES_OF_I */
        for (int j = 0; j < size; j++) {
            if (!L[i][j])
                continue;
            if (rank == i)
                MPI_Send(x + S[i][j], L[i][j], MPI_DOUBLE, j, TAG, WORLD);
            if (rank == j)
                MPI_Recv(y + R[j][i], L[i][j], MPI_DOUBLE, i, TAG, WORLD, IGNORE);
            CHANGE
        }
        /* to here */
    }";

/// Something is added up, or the largest is looked for; perhaps all see what is left in buffers.
fn reduction(rng: &mut Rng, ranks: usize, k: usize) -> String {
    let count = rng.usize(2..60).to_string();
    let at = if rng.bool() { 0 } else { rng.usize(1..9) };
    let combine = if rng.bool() { "y[i] += t[i];" } else { "y[i] = t[i] > y[i] ? t[i] : y[i];" };
    let y = if rng.bool() { "x" } else { "b" };
    let root = rng.usize(0..ranks).to_string();
    let linear_and_told = [LINEAR, TOLD].concat();
    let (way, buffer) = match rng.u32(0..5) {
        0 => (LINEAR, "rank == ROOT ? y : x"),
        1 => (&*linear_and_told, "rank == ROOT ? y : x"),
        2 => (CHAIN, "y"),
        3 if ranks.is_power_of_two() => (DOUBLING, "y"),
        _ => (TREE, "y"),
    };
    let who = if rng.bool() { "rank == ROOT || rank == 0" } else { "1" };
    let known = [
        ("WAY", way),
        ("WHO", who),
        ("HERE", buffer),
        ("COMBINE", "for (int i = 0; i < COUNT; i++) ONE"),
        ("ONE", combine),
        ("COUNT", &*count),
        ("ROOT", &*root),
        ("TAG", &*(100 + k).to_string()),
    ];
    format!("    double *x = a + {at}, *y = {y};{}", filled(REDUCTION, &known))
}

const REDUCTION: &str = r"
    fill(x, COUNT);
    memmove(y, x, COUNT * 8);
    /* one call: BUFFER = HERE; RESULT = y; BLOCK = x; BLOCKS = t + (#) */
WAY
    /* to here */
    look(x, COUNT * 8);
    if (WHO)
        look(y, COUNT * 8);
    rest();
";

const LINEAR: &str = r"
    if (rank != ROOT)
        MPI_Send(x, COUNT, MPI_DOUBLE, ROOT, TAG, WORLD);
    for (int k = 0; k < size; k++)
        if (rank == ROOT && k != ROOT) {
            MPI_Recv(t, COUNT, MPI_DOUBLE, k, TAG, WORLD, IGNORE);
            COMBINE
        }";

const TOLD: &str = r"
    for (int k = 0; k < size; k++)
        if (rank == ROOT && k != ROOT)
            MPI_Send(y, COUNT, MPI_DOUBLE, k, TAG, WORLD);
    if (rank != ROOT)
        MPI_Recv(y, COUNT, MPI_DOUBLE, ROOT, TAG, WORLD, IGNORE);";

const CHAIN: &str = r"
    if (rank > 0) {
        MPI_Recv(t, COUNT, MPI_DOUBLE, rank - 1, TAG, WORLD, IGNORE);
        COMBINE
    }
    if (rank < size - 1)
        MPI_Send(y, COUNT, MPI_DOUBLE, rank + 1, TAG, WORLD);";

const DOUBLING: &str = r"
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(y, COUNT, MPI_DOUBLE, rank ^ bit, TAG, t, COUNT, MPI_DOUBLE, rank ^ bit, TAG,
                     WORLD, IGNORE);
        COMBINE
    }";

const TREE: &str = r"
    for (int bit = 1; bit < size; bit <<= 1) {
        if (rank & bit) {
            MPI_Send(y, COUNT, MPI_DOUBLE, rank - bit, TAG, WORLD);
            break;
        }
        if (rank + bit < size) {
            MPI_Recv(t, COUNT, MPI_DOUBLE, rank + bit, TAG, WORLD, IGNORE);
            COMBINE
        }
    }";
