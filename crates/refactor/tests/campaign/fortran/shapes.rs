//! How values come into the buffer and out of it.

use super::super::Shape;

pub const SHAPES: &[Shape] = &[
    Shape {
        name: "vector",
        declared: "",
        pack: "do i = 1, n\nb(i) = u(3 * i)\nend do",
        unpack: "do i = 1, n\nu(3 * i) = b(i)\nend do",
        count: "n",
        some: "n > 0",
        left: Some("i"),
    },
    Shape {
        name: "running index",
        declared: "",
        pack: "k = 0\ndo j = 1, m\ndo i = 1, n\nk = k + 1\nb(k) = u(20 * j + i)\nend do\nend do",
        unpack: "k = 0\ndo j = 1, m\ndo i = 1, n\nk = k + 1\nu(20 * j + i) = b(k)\nend do\nend do",
        count: "n * m",
        some: "n * m > 0",
        left: Some("k"),
    },
    Shape {
        name: "section",
        declared: "",
        pack: "b(1:n) = u(2:2 * n:2)",
        unpack: "u(2:2 * n:2) = b(1:n)",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "two arrays",
        declared: "",
        pack: "do i = 1, n\nb(2 * i - 1) = u(i)\nb(2 * i) = v(i + 5)\nend do",
        unpack: "do i = 1, n\nu(i) = b(2 * i - 1)\nv(i + 5) = b(2 * i)\nend do",
        count: "2 * n",
        some: "n > 0",
        left: Some("i"),
    },
    Shape {
        name: "index list",
        declared: "",
        pack: "do i = 1, n\nb(i) = u(list(i) + 1)\nend do",
        unpack: "do i = 1, n\nu(list(i) + 1) = b(i)\nend do",
        count: "n",
        some: "n > 0",
        left: Some("i"),
    },
    Shape {
        name: "an index read between two loops",
        declared: "",
        pack: "k = 0\ndo i = 1, n\nk = k + 1\nb(k) = u(2 * i)\nend do\nt = t + k\n\
            do i = 1, m\nk = k + 1\nb(k) = u(40 + i)\nend do",
        unpack: "k = 0\ndo i = 1, n\nk = k + 1\nu(2 * i) = b(k)\nend do\nt = t + k\n\
            do i = 1, m\nk = k + 1\nu(40 + i) = b(k)\nend do",
        count: "n + m",
        some: "n + m > 0",
        left: Some("k"),
    },
    Shape {
        name: "downwards",
        declared: "",
        pack: "k = 0\ndo i = n, 1, -1\nk = k + 1\nb(k) = u(2 * i)\nend do",
        unpack: "k = 0\ndo i = n, 1, -1\nk = k + 1\nu(2 * i) = b(k)\nend do",
        count: "n",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "while",
        declared: "",
        pack: "k = 0\ndo while (k < n)\nk = k + 1\nb(k) = u(2 * k)\nend do",
        unpack: "k = 0\ndo while (k < n)\nk = k + 1\nu(2 * k) = b(k)\nend do",
        count: "n",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "concurrent",
        declared: "",
        pack: "do concurrent (i = 1:n)\nb(i) = u(4 * i)\nend do",
        unpack: "do concurrent (i = 1:n)\nu(4 * i) = b(i)\nend do",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "after a loop",
        declared: "",
        pack: "k = 0\ndo j = 3, m\nk = k + 1\nb(k) = u(2 * j)\nend do\ndo i = 1, n\nk = k + 1\n\
            b(k) = u(40 + 9 * j + i)\nend do",
        unpack: "k = 0\ndo j = 3, m\nk = k + 1\nu(2 * j) = b(k)\nend do\ndo i = 1, n\nk = k + 1\n\
            u(40 + 9 * j + i) = b(k)\nend do",
        count: "n + max(0, m - 2)",
        some: "n > 0",
        left: Some("j"),
    },
    Shape {
        name: "branches",
        declared: "",
        pack: "k = 0\nif (m > 3) then\ndo i = 1, n\nk = k + 1\nb(k) = u(i)\nend do\nelse\n\
            do i = 1, n\nk = k + 1\nb(k) = u(3 * i)\nend do\nend if",
        unpack: "k = 0\nif (m > 3) then\ndo i = 1, n\nk = k + 1\nu(i) = b(k)\nend do\nelse\n\
            do i = 1, n\nk = k + 1\nu(3 * i) = b(k)\nend do\nend if",
        count: "n",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "where",
        declared: "",
        pack: "b(1:n) = v(1:n)\nwhere (u(1:n) > 4) b(1:n) = u(1:n)",
        unpack: "where (b(1:n) > 4) u(1:n) = b(1:n)",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "plane",
        declared: "",
        pack: "do j = 1, m\ndo i = 1, n\nb(i + (j - 1) * n) = a(2, i, j)\nend do\nend do",
        unpack: "do j = 1, m\ndo i = 1, n\na(2, i, j) = b(i + (j - 1) * n)\nend do\nend do",
        count: "n * m",
        some: "n * m > 0",
        left: None,
    },
];
