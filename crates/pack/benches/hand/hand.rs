//! The loops in C, one per layout, generated, compiled and loaded at run time, so that the crate
//! itself needs no C compiler.

use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::process::Command;

use crate::layouts::{EDGE, Form, Layout};

/// `memory`, `packed`, periods, list.
pub type Hand = unsafe extern "C" fn(*mut u8, *mut u8, usize, *const i32);

pub struct Loops(*mut c_void);

impl Loops {
    pub fn compile(layouts: &[Layout]) -> Result<Loops, String> {
        let mut source = String::from("#include <stddef.h>\n");
        for layout in layouts {
            for packing in [true, false] {
                source.push_str(&function(layout, packing));
            }
        }
        let dir = std::env::temp_dir().join(format!("commloom-hand-{}", std::process::id()));
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let (c, so) = (dir.join("hand.c"), dir.join("hand.so"));
        std::fs::write(&c, source).map_err(|e| format!("{}: {e}", c.display()))?;
        let status = Command::new("cc")
            .args(["-O3", "-march=native", "-shared", "-fPIC", "-o"])
            .args([&so, &c])
            .status()
            .map_err(|e| format!("cc: {e}"))?;
        if !status.success() {
            return Err(format!("cc ended with {status}"));
        }
        let path = CString::new(so.to_string_lossy().as_bytes()).map_err(|e| e.to_string())?;
        // SAFETY: a library that was just built from plain loops, without constructors.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        let _ = std::fs::remove_dir_all(&dir);
        if handle.is_null() {
            Err(format!("dlopen failed for {path:?}"))
        } else {
            Ok(Loops(handle))
        }
    }

    pub fn find(&self, symbol: &str) -> Hand {
        let name = CString::new(symbol).expect("no zero byte");
        // SAFETY: the handle is open; the symbol is one of the functions below.
        unsafe {
            let address = libc::dlsym(self.0, name.as_ptr());
            assert!(!address.is_null(), "no function {symbol}");
            std::mem::transmute::<*mut c_void, Hand>(address)
        }
    }
}

fn function(layout: &Layout, packing: bool) -> String {
    let (element, body) = match layout.form {
        Form::Periodic { a: [a, c], b: [b, d] } => {
            let tiled = a == c && b == d;
            let (first, second) =
                (copy(packing, "i", "j"), copy(packing, &format!("i + {b}"), "j"));
            let body = if tiled {
                format!(
                    "for (size_t k = 0; k < 2 * n; k++) {{ size_t i = {b} * k, o = {a} * k;\n\
                     for (int j = 0; j < {a}; j++) {first} }}"
                )
            } else {
                format!(
                    "for (size_t k = 0; k < n; k++) {{ size_t i = {} * k, o = {} * k;\n\
                     for (int j = 0; j < {a}; j++) {first} o += {a};\n\
                     for (int j = 0; j < {c}; j++) {second} }}",
                    b + d,
                    a + c
                )
            };
            ("int", body)
        }
        Form::Column { width, stride } => {
            let move_ = copy(packing, "i", "0");
            let body =
                format!("for (size_t o = 0; o < n; o++) {{ size_t i = {stride} * o; {move_} }}");
            (name(width), body)
        }
        Form::List { width, block } => {
            let move_ = copy(packing, "i", "j");
            let body = format!(
                "for (size_t k = 0; k < n; k++) {{ size_t i = list[k], o = {block} * k;\n\
                 for (int j = 0; j < {block}; j++) {move_} }}"
            );
            (name(width), body)
        }
        Form::Face { thick } => {
            let (rows, move_) = (EDGE - 2, copy(packing, "i", "j"));
            let body = format!(
                "size_t o = 0; for (size_t z = 0; z < n; z++) for (size_t y = 0; y < {rows}; y++) {{\n\
                 size_t i = (z * {EDGE} + y) * {EDGE}; for (int j = 0; j < {thick}; j++) {move_}\n\
                 o += {thick}; }}"
            );
            ("double", body)
        }
    };
    let mut source = String::new();
    let symbol = layout.symbol(packing);
    writeln!(
        source,
        "void {symbol}({element} *restrict m, {element} *restrict p, size_t n, const int *list) {{\n{body}\n}}"
    )
    .expect("strings do not fail");
    source
}

fn copy(packing: bool, memory: &str, j: &str) -> String {
    if packing {
        format!("p[o + {j}] = m[{memory} + {j}];")
    } else {
        format!("m[{memory} + {j}] = p[o + {j}];")
    }
}

fn name(width: usize) -> &'static str {
    match width {
        1 => "char",
        4 => "int",
        _ => "double",
    }
}
