//! How values come into the buffer and out of it.

use super::super::Shape;

pub const SHAPES: &[Shape] = &[
    Shape {
        name: "vector",
        declared: "",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[3 * i + 1];",
        unpack: "for (int i = 0; i < n; i++)\nu[3 * i + 1] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "running index",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int j = 0; j < m; j++)\nfor (int i = 0; i < n; i++)\n\
            b[k++] = u[20 * j + i];",
        unpack: "k = 0;\nfor (int j = 0; j < m; j++)\nfor (int i = 0; i < n; i++)\n\
            u[20 * j + i] = b[k++];",
        count: "n * m",
        some: "n * m > 0",
        left: Some("k"),
    },
    Shape {
        name: "outer index",
        declared: "int i = 0;",
        pack: "for (i = 0; i < n; i++)\nb[i] = u[2 * i];",
        unpack: "for (i = 0; i < n; i++)\nu[2 * i] = b[i];",
        count: "n",
        some: "n > 0",
        left: Some("i"),
    },
    Shape {
        name: "memcpy",
        declared: "",
        pack: "for (int i = 0; i < n; i++)\nmemcpy(b + 4 * i, u + 20 * i + 2, 4 * sizeof(double));",
        unpack: "for (int i = 0; i < n; \
            i++)\nmemcpy(u + 20 * i + 2, b + 4 * i, 4 * sizeof(double));",
        count: "4 * n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "index list",
        declared: "",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[list[i]];",
        unpack: "for (int i = 0; i < n; i++)\nu[list[i]] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "two arrays",
        declared: "",
        pack: "for (int i = 0; i < n; i++) {\nb[2 * i] = u[i];\nb[2 * i + 1] = v[i + 5];\n}",
        unpack: "for (int i = 0; i < n; i++) {\nu[i] = b[2 * i];\nv[i + 5] = b[2 * i + 1];\n}",
        count: "2 * n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "downwards",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int i = n - 1; i >= 0; i--)\nb[k++] = u[2 * i + 1];",
        unpack: "k = 0;\nfor (int i = n - 1; i >= 0; i--)\nu[2 * i + 1] = b[k++];",
        count: "n",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "pointer",
        declared: "double *q = b;",
        pack: "q = b;\nfor (int i = 0; i < n; i++)\n*q++ = u[5 * i];",
        unpack: "q = b;\nfor (int i = 0; i < n; i++)\nu[5 * i] = *q++;",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "two loops",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int i = 0; i < n; i++)\nb[k++] = u[2 * i];\n\
            for (int i = 0; i < m; i++)\nb[k++] = u[40 + i];",
        unpack: "k = 0;\nfor (int i = 0; i < n; i++)\nu[2 * i] = b[k++];\n\
            for (int i = 0; i < m; i++)\nu[40 + i] = b[k++];",
        count: "n + m",
        some: "n + m > 0",
        left: Some("k"),
    },
    Shape {
        name: "an index read between two loops",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int i = 0; i < n; i++)\nb[k++] = u[2 * i];\nt += k;\n\
            for (int i = 0; i < m; i++)\nb[k++] = u[40 + i];",
        unpack: "k = 0;\nfor (int i = 0; i < n; i++)\nu[2 * i] = b[k++];\nt += k;\n\
            for (int i = 0; i < m; i++)\nu[40 + i] = b[k++];",
        count: "n + m",
        some: "n + m > 0",
        left: Some("k"),
    },
    Shape {
        name: "an outer index kept between two loops",
        declared: "int i = 0, half = 0;",
        pack: "for (i = 0; i < n; i++)\nb[i] = u[2 * i];\nhalf = i;\n\
            for (i = 0; i < m; i++)\nb[n + i] = u[40 + i];\nif (half > m)\nt += half;",
        unpack: "for (i = 0; i < n; i++)\nu[2 * i] = b[i];\nhalf = i;\n\
            for (i = 0; i < m; i++)\nu[40 + i] = b[n + i];\nif (half > m)\nt += half;",
        count: "n + m",
        some: "n + m > 0",
        left: Some("i"),
    },
    Shape {
        name: "after a loop",
        declared: "int k = 0, j = 0;",
        pack: "k = 0;\nfor (j = 3; j < m; j++)\nb[k++] = u[2 * j];\nfor (int i = 0; i < n; i++)\n\
            b[k++] = u[40 + 9 * j + i];",
        unpack: "k = 0;\nfor (j = 3; j < m; j++)\nu[2 * j] = b[k++];\n\
            for (int i = 0; i < n; i++)\nu[40 + 9 * j + i] = b[k++];",
        count: "(m > 3 ? n + m - 3 : n)",
        some: "n > 0",
        left: Some("j"),
    },
    Shape {
        name: "branches",
        declared: "int k = 0;",
        pack: "k = 0;\nif (m > 3)\nfor (int i = 0; i < n; i++)\nb[k++] = u[i];\nelse\n\
            for (int i = 0; i < n; i++)\nb[k++] = u[3 * i];",
        unpack: "k = 0;\nif (m > 3)\nfor (int i = 0; i < n; i++)\nu[i] = b[k++];\nelse\n\
            for (int i = 0; i < n; i++)\nu[3 * i] = b[k++];",
        count: "n",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "pointers in a structure",
        declared: "struct pair@ { double *x, *y; } pair = {u, v}, *both = &pair;",
        pack: "for (int i = 0; i < n; i++) {\nb[2 * i] = both->x[i];\n\
            b[2 * i + 1] = both->y[i + 5];\n}",
        unpack: "for (int i = 0; i < n; i++) {\nboth->x[i] = b[2 * i];\n\
            both->y[i + 5] = b[2 * i + 1];\n}",
        count: "2 * n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "long stride",
        declared: "long wide = 3;",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[i * wide + 1];",
        unpack: "for (int i = 0; i < n; i++)\nu[i * wide + 1] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "numbers in bytes",
        declared: "int numbers[2] = {n, 2};\nchar *bytes = (char *)numbers;",
        pack: "for (int i = 0; i < *(int *)bytes; i++)\nb[i] = u[i * ((int *)bytes)[1]];",
        unpack: "for (int i = 0; i < *(int *)bytes; i++)\nu[i * ((int *)bytes)[1]] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "remainder",
        declared: "",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[40 % n + i];",
        unpack: "for (int i = 0; i < n; i++)\nu[40 % n + i] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "rows",
        declared: "double (*a)[20] = (double (*)[20])u;",
        pack: "for (int i = 0; i < n; i++)\nb[i] = a[i][m];",
        unpack: "for (int i = 0; i < n; i++)\na[i][m] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "structures",
        declared: "struct two@ { double x, y; } *a = (struct two@ *)u;",
        pack: "for (int i = 0; i < n; i++)\nb[i] = a[i].y;",
        unpack: "for (int i = 0; i < n; i++)\na[i].y = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "cast",
        declared: "",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[((size_t)i + 1) * 3 + m];",
        unpack: "for (int i = 0; i < n; i++)\nu[((size_t)i + 1) * 3 + m] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "macro",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int j = 1; j < DEPTH@; j++)\nfor (int i = 0; i < n; i++)\n\
            b[k++] = CELL@(j - 1, i);",
        unpack: "k = 0;\nfor (int j = 1; j < DEPTH@; j++)\nfor (int i = 0; i < n; i++)\n\
            CELL@(j - 1, i) = b[k++];",
        count: "n * (DEPTH@ - 1)",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "unsigned",
        declared: "",
        pack: "for (unsigned i = 0; i < (unsigned)n; i++)\nb[i] = u[i + 2];",
        unpack: "for (unsigned i = 0; i < (unsigned)n; i++)\nu[i + 2] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "wrapping index",
        declared: "unsigned far = 4294967290u;",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[far + 6u + 3u * (unsigned)i];",
        unpack: "for (int i = 0; i < n; i++)\nu[far + 6u + 3u * (unsigned)i] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "wrapping first",
        declared: "unsigned k = 0, near = 3;",
        pack: "k = 0;\nfor (unsigned i = near - 5u; i < near; i++)\nb[k++] = u[i];\n\
            for (int i = 0; i < n; i++)\nb[k++] = u[i];",
        unpack: "k = 0;\nfor (unsigned i = near - 5u; i < near; i++)\nu[i] = b[k++];\n\
            for (int i = 0; i < n; i++)\nu[i] = b[k++];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "sizes",
        declared: "size_t rows = 2;",
        pack: "for (size_t i = rows; i < rows + (size_t)n; i++)\nb[i - rows] = u[3 * (i - 1)];",
        unpack: "for (size_t i = rows; i < rows + (size_t)n; i++)\nu[3 * (i - 1)] = b[i - rows];",
        count: "n",
        some: "n > 0",
        left: None,
    },
];

/// Buffers with a part for each of `procs` processes.
pub const PARTS: &[Shape] = &[
    Shape {
        name: "parts",
        declared: "",
        pack: "for (int p = 0; p < procs; p++)\nfor (int i = 0; i < n; i++)\n\
            b[p * n + i] = u[40 * p + 3 * i];",
        unpack: "for (int p = 0; p < procs; p++)\nfor (int i = 0; i < n; i++)\n\
            u[40 * p + 3 * i] = b[p * n + i];",
        count: "procs * n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "parts with an index",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int p = 0; p < procs; p++)\nfor (int j = 0; j < 2; j++)\n\
            for (int i = 0; i < n; i++)\nb[k++] = u[60 * p + 20 * j + i];",
        unpack: "k = 0;\nfor (int p = 0; p < procs; p++)\nfor (int j = 0; j < 2; j++)\n\
            for (int i = 0; i < n; i++)\nu[60 * p + 20 * j + i] = b[k++];",
        count: "procs * (2 * n)",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "parts in one loop",
        declared: "",
        pack: "for (int i = 0; i < procs * n; i++)\nb[i] = u[5 * i];",
        unpack: "for (int i = 0; i < procs * n; i++)\nu[5 * i] = b[i];",
        count: "procs * n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "parts by memcpy",
        declared: "",
        pack: "for (int p = 0; p < procs; p++)\n\
            memcpy(b + p * n, u + 50 * p, n * sizeof(double));",
        unpack: "for (int p = 0; p < procs; p++)\n\
            memcpy(u + 50 * p, b + p * n, n * sizeof(double));",
        count: "procs * n",
        some: "n > 0",
        left: None,
    },
];
