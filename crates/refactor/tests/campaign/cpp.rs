//! Programs of C++: those of C, and objects that act where they begin and where they end.

use commloom_refactor::source::Language;

use super::c::{BUFFERS, EXPRESSIONS, SHAPES, TWISTS, Tongue, drawn};
use super::{Phase, Program, Rng, Shape, Twist};
use Phase::{Between, Last, Pending};

const OWN_SHAPES: &[Shape] = &[
    Shape {
        name: "static cast",
        declared: "",
        pack: "for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)\n\
            b[i] = u[3 * i + static_cast<std::size_t>(1)];",
        unpack: "for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)\n\
            u[3 * i + static_cast<std::size_t>(1)] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "std::copy",
        declared: "",
        pack: "for (int j = 0; j < 2; ++j)\nstd::copy(u + 20 * j, u + 20 * j + n, b + j * n);",
        unpack: "for (int j = 0; j < 2; ++j)\n\
            std::copy(b + j * n, b + j * n + n, u + 20 * j);",
        count: "2 * n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "auto",
        declared: "",
        pack: "for (auto i = 0; i < n; ++i)\nb[i] = u[2 * i + 1];",
        unpack: "for (auto i = 0; i < n; ++i)\nu[2 * i + 1] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "reference",
        declared: "",
        pack: "for (int i = 0; i < n; ++i) {\nconst double &x = u[3 * i];\nb[i] = x;\n}",
        unpack: "for (int i = 0; i < n; ++i) {\ndouble &x = u[3 * i];\nx = b[i];\n}",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "constant pointer",
        declared: "double *const from = u + 4;",
        pack: "for (int i = 0; i < n; ++i)\nb[i] = from[2 * i];",
        unpack: "for (int i = 0; i < n; ++i)\nfrom[2 * i] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "vector of vectors",
        declared: "std::vector<std::vector<double>> g(8, std::vector<double>(20, 1.5));",
        pack: "for (int i = 0; i < n; ++i)\nb[i] = g[i][m];",
        unpack: "for (int i = 0; i < n; ++i)\ng[i][m] = b[i];\nif (n > 0)\nt += g[n - 1][m];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "vector",
        declared: "std::vector<double> f(u, u + 200);",
        pack: "for (int i = 0; i < n; ++i)\nb[i] = f[3 * i];",
        unpack: "for (int i = 0; i < n; ++i)\nf[3 * i] = b[i];\nt += f[0] + f[3];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "list in a vector",
        declared: "std::vector<int> at(list, list + 60);",
        pack: "for (int i = 0; i < n; ++i)\nb[i] = u[at[i]];",
        unpack: "for (int i = 0; i < n; ++i)\nu[at[i]] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "member function",
        declared: "grid@ g{u, 20};",
        pack: "for (int i = 0; i < n; ++i)\nb[i] = g.at(i, m);",
        unpack: "for (int i = 0; i < n; ++i)\ng.at(i, m) = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "lambda",
        declared: "auto cell = [&](int i) -> double & { return u[3 * i]; };",
        pack: "for (int i = 0; i < n; ++i)\nb[i] = cell(i);",
        unpack: "for (int i = 0; i < n; ++i)\ncell(i) = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "template",
        declared: "",
        pack: "for (int i = 0; i < n; ++i)\nb[i] = cell@(u, i);",
        unpack: "for (int i = 0; i < n; ++i)\ncell@(u, i) = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
];

const OWN_TWISTS: &[Twist] = &[
    Twist {
        name: "a guard writes the array at once",
        phases: &[Between, Pending],
        text: "{ adds@ guard{u}; t += 1; }",
        needs: "",
    },
    Twist {
        name: "a guard writes the array later",
        phases: &[Between, Pending],
        text: "adds@ guard1{u};",
        needs: "",
    },
    Twist {
        name: "a guard around all writes the array",
        phases: &[Last],
        text: "t += 1;",
        needs: "adds@ guard2{u};",
    },
    Twist {
        name: "a constructor writes the array",
        phases: &[Between, Pending],
        text: "starts@ start1(u);",
        needs: "",
    },
    Twist {
        name: "the array written through a reference",
        phases: &[Between, Pending],
        text: "{ double &x = u[0], &y = u[1], &z = u[2];\nx += 5; y += 5; z += 5; }",
        needs: "",
    },
    Twist {
        name: "the array written by a lambda",
        phases: &[Between, Pending],
        text: "act1();",
        needs: "auto act1 = [&] { u[0] += 5; u[1] += 5; u[2] += 5; };",
    },
    Twist {
        name: "the array written by a kept function",
        phases: &[Between, Pending],
        text: "act2();",
        needs: "std::function<void()> act2 = [=] { u[0] += 5; u[1] += 5; u[2] += 5; };",
    },
    Twist {
        name: "the array written by an operator",
        phases: &[Between, Pending],
        text: "{ stream@ out{u}; out << 4.0; }",
        needs: "",
    },
    Twist {
        name: "the array filled",
        phases: &[Between, Pending],
        text: "std::fill(u, u + 30, 7.0);",
        needs: "",
    },
    Twist {
        name: "the array transformed",
        phases: &[Between, Pending],
        text: "std::for_each(u, u + 30, [](double &x) { x += 1; });",
        needs: "",
    },
    Twist {
        name: "numbers of the array swapped",
        phases: &[Between, Pending],
        text: "std::swap(u[0], v[0]);\nstd::swap(u[1], v[1]);\nstd::swap(u[2], v[2]);",
        needs: "",
    },
    Twist {
        name: "the requests swapped by std::swap",
        phases: &[Pending],
        text: "std::swap(r[0], r[1]);\nMPI_Wait(&r[0], MPI_STATUS_IGNORE);\n\
            for (int x = 0; x < 60; x++)\nu[x] += 9;\nstd::swap(r[0], r[1]);",
        needs: "",
    },
    Twist {
        name: "a bound changed through a reference",
        phases: &[Between, Pending],
        text: "if (m > 2)\nrn = n / 2;",
        needs: "int &rn = n;",
    },
    Twist {
        name: "a bound changed by a lambda",
        phases: &[Between, Pending],
        text: "if (m > 2)\nhalve();",
        needs: "auto halve = [&] { n = n / 2; };",
    },
    Twist {
        name: "a bound changed by std::tie",
        phases: &[Between, Pending],
        text: "if (m > 2)\nstd::tie(n, m) = std::make_pair(n / 2, m);",
        needs: "",
    },
    Twist {
        name: "a bound read from a stream",
        phases: &[Between, Pending],
        text: "if (m > 2)\nin >> n;",
        needs: "std::istringstream in(\"1\");",
    },
    Twist {
        name: "a bound changed by an object that keeps it",
        phases: &[Between, Pending],
        text: "if (m > 2)\nkept.get() = n / 2;",
        needs: "std::reference_wrapper<int> kept = n;",
    },
    Twist {
        name: "the array written where an exception is caught",
        phases: &[Between, Pending],
        text: "try {\nif (m >= 3)\nthrow 1;\n} catch (int) {\nu[0] += 3; u[1] += 3; u[2] += 3;\n}",
        needs: "",
    },
    Twist {
        name: "names hidden in a block",
        phases: &[Between, Pending, Last],
        text: "{ double *u = v;\nint n = 2;\nu[0] += n; }",
        needs: "",
    },
    Twist {
        name: "the buffer read by a lambda",
        phases: &[Last],
        text: "if (SOME)\nt += look();",
        needs: "auto look = [&] { return b[0]; };",
    },
    Twist {
        name: "the buffer filled by std::fill",
        phases: &[Between],
        text: "std::fill(b, b + 3, 2.5);",
        needs: "",
    },
    Twist {
        name: "the object swapped",
        phases: &[Between],
        text: "{ OBJECT other(b);\nfor (auto &x : other)\nx += 1;\nstd::swap(OWN, other); }",
        needs: "",
    },
    Twist {
        name: "the object moved and moved back",
        phases: &[Between],
        text: "{ OBJECT other = std::move(OWN);\nother[0] += 1;\nOWN = std::move(other); }",
        needs: "",
    },
    Twist {
        name: "the object assigned",
        phases: &[Between],
        text: "{ OBJECT other(OWN);\nother[0] += 1;\nOWN = other; }",
        needs: "",
    },
    Twist {
        name: "the object's front read",
        phases: &[Last],
        text: "t += OWN.front();",
        needs: "",
    },
    Twist {
        name: "the object read in a loop",
        phases: &[Last],
        text: "for (double x : OWN)\nt += x;",
        needs: "",
    },
    Twist {
        name: "the object copied",
        phases: &[Last],
        text: "{ OBJECT other = OWN;\nt += other[0]; }",
        needs: "",
    },
    Twist {
        name: "the object read by iterators",
        phases: &[Last],
        text: "t += std::accumulate(OWN.begin(), OWN.begin() + 3, 0.0);",
        needs: "",
    },
    Twist {
        name: "the object read through a reference",
        phases: &[Last],
        text: "t += all[0];",
        needs: "auto &all = OWN;",
    },
];

const VECTOR: &str = "std::vector<double> b(400);";
const ARRAY: &str = "std::array<double, 400> b{};";

const OWN_BUFFERS: &[(&str, &str, &str)] = &[
    BUFFERS[0],
    BUFFERS[1],
    (
        "allocated",
        "double *b = static_cast<double *>(std::malloc(400 * sizeof(double)));",
        "free(b);",
    ),
    ("new", "double *b = new double[400];", "delete[] b;"),
    ("owned", "std::unique_ptr<double[]> store(new double[400]);\ndouble *b = store.get();", ""),
    BUFFERS[4],
    ("vector", VECTOR, ""),
    ("vector", VECTOR, ""),
    ("array", ARRAY, ""),
];

const BEGIN: &str = "#include <mpi.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
using std::memcpy;
using std::memset;
struct adds@ { double *p; ~adds@() { p[0] += 5; p[1] += 5; p[2] += 5; } };
struct starts@ { explicit starts@(double *p) { p[0] += 5; p[1] += 5; p[2] += 5; } };
struct stream@ { double *p; stream@ &operator<<(double x) { p[0] += x; p[1] += x; return *this; } };
struct grid@ { double *p; int nx; double &at(int i, int j) { return p[i * nx + j]; } };
template <class T> static T &cell@(T *p, int i) { return p[4 * i]; }
";

const OWN_EXPRESSIONS: &[&str] = &[
    "if (int failed = {})\nu[2] = 7 + failed;",
    "if (int failed = {})\nthrow std::runtime_error(\"call \" + std::to_string(failed));",
    "if (const int failed = {}; failed == MPI_SUCCESS) {\nu[2] = 7;\n} else {\nthrow failed;\n}",
    "if (auto failed = {}; n > 0 && failed == MPI_SUCCESS)\nv[1] += 4;",
    "{\nconst auto failed = {};\nif (failed != MPI_SUCCESS)\nthrow std::logic_error(__func__);\n}",
    "try {\ncheck@({});\n} catch (...) {\nu[3] = 5;\n}",
];

pub fn program(rng: &mut Rng, number: usize) -> Program {
    let tongue = Tongue {
        language: Language::Cpp,
        begin: BEGIN,
        shapes: &[SHAPES, OWN_SHAPES, OWN_SHAPES],
        twists: &[TWISTS, OWN_TWISTS],
        expressions: &[EXPRESSIONS, OWN_EXPRESSIONS],
        buffers: OWN_BUFFERS,
        restrict: "__restrict ",
        adapt,
    };
    drawn(rng, number, &tongue)
}

/// With the buffer's address for the buffer, where that is an object.
fn adapt(text: &str, buffer: &str) -> String {
    let of = match buffer {
        "vector" => "std::vector<double>",
        "array" => "std::array<double, 400>",
        _ => return text.to_owned(),
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut before = ' ';
    for (at, here) in text.char_indices() {
        let after = text[at + here.len_utf8()..].chars().next().unwrap_or(' ');
        out.push(here);
        if here == 'b' && !is_part(before) && !is_part(after) && after != '[' {
            out.push_str(".data()");
        }
        before = here;
    }
    out.replace("OBJECT other(b.data())", "OBJECT other(b)")
        .replace("OBJECT", of)
        .replace("OWN", "b")
}
