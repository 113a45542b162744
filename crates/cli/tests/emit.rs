//! Emitted code, compiled and run: the type that it builds packs the bytes and has the bounds of
//! the type that it was emitted for, under every MPI library and in every language.

mod common;
#[path = "common/mpi.rs"]
mod mpi;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use commloom_layout::{Basic, Type};
use commloom_testkit::{Limits, Rng, corpus, memory_for, oracle, random_type};
use common::{output, run};
use mpi::Mpi;

/// Elements per message: the extent matters too.
const COUNT: u64 = 2;

/// Types of the corpus, odd ones, and random ones, of basic types that every library has. Without
/// `MPI_LONG_DOUBLE`: MPICH copies it as a number, so that its 6 bytes of padding are lost.
/// Random ones without overlaps: Open MPI 4.1 packs vector(2, 2, -1, MPI_CHAR) wrongly.
fn types() -> Vec<Type> {
    let mut types: Vec<Type> = corpus::all(40).into_iter().map(|n| n.ty).collect();
    types.extend(
        [
            "MPI_INT",
            "vec(0, 8, MPI_INT)",
            "resized(-8, 24, vec(0, 8, MPI_INT))",
            "strc(<>, <>)",
            "idx(<1,6>, MPI_INT)",
            "vec(3, 9, idx(<1,6>, MPI_INT))",
            "contiguous(3, idx(<1,6>, MPI_INT))",
            "strc(<0,8>, <MPI_DOUBLE, MPI_CHAR>)",
            "vec(3, 16, strc(<0,8>, <MPI_DOUBLE, MPI_CHAR>))",
            "idxbuc(3, <0,20>, <2,3>, MPI_INT)",
            "idxbuc(8, <0,0>, <0,3>, MPI_INT)",
            "idxbuc(9, <0,2>, <1,1>, resized(-3, 0, MPI_INT))",
            "triangular(5, 80, 16, 1, 1, MPI_INT)",
            "triangular(4, 30, 7, 9, -2, MPI_SHORT)",
            "bucket(99, 8, <3,1,4,1,5>, MPI_DOUBLE)",
            "bucket(-40, 4, <2,7,1>, vec(2, 400, MPI_INT))",
            "strc(<0,100>, <resized(0, 8, MPI_INT), MPI_INT>)",
            "strc(<0,-100>, <resized(0, 8, vec(0,1,MPI_INT)), MPI_INT>)",
            "vec(2, -12, vec(3, 4, MPI_INT))",
            "resized(5, -3, vec(2, 3, resized(0, 3, MPI_SHORT)))",
        ]
        .map(|text| text.parse().expect(text)),
    );
    let common = [
        Basic::CHAR,
        Basic::BYTE,
        Basic::SHORT,
        Basic::INT,
        Basic::DOUBLE,
        Basic::FLOAT,
        Basic::INT64_T,
        Basic::UINT16_T,
        Basic::LONG_LONG_INT,
        Basic::C_DOUBLE_COMPLEX,
        Basic::INTEGER,
        Basic::DOUBLE_PRECISION,
    ];
    let limits = Limits { bytes: 300, span: 5000, overlaps: false, ..Limits::default() };
    let random = (0..).map(|seed| random_type(&mut Rng::with_seed(seed), &limits));
    types.extend(random.filter(|t| t.type_map().all(|e| common.contains(&e.basic))).take(150));
    types
}

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target folder is writable");
    dir
}

/// The output that the program must print for a type: lower bound, extent, size, packed bytes.
fn expected(ty: &Type) -> String {
    let (memory, origin) = memory_for(ty, COUNT);
    let packed = oracle::pack(ty, COUNT, &memory, origin);
    let hex = packed.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    format!("{} {} {} {hex}", ty.lb(), ty.extent(), ty.size())
}

/// A main program that makes every type, packs from its memory, and prints what `expected` says.
/// `make(k)` is the C statement that assigns the k-th type to `type`.
fn main_in_c(types: &[Type], declarations: &str, make: impl Fn(usize) -> String) -> String {
    let mut cases = String::new();
    for (k, ty) in types.iter().enumerate() {
        let (memory, origin) = memory_for(ty, COUNT);
        let bytes: Vec<String> = memory.iter().map(u8::to_string).collect();
        let _ = write!(
            cases,
            "    {{\n        static const unsigned char memory[] = {{{}}};\n        {}\n        \
             report(type, memory + {origin});\n    }}\n",
            bytes.join(","),
            make(k)
        );
    }
    format!(
        r#"#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
{declarations}
static void report(MPI_Datatype type, const void *origin)
{{
    MPI_Aint lb, extent;
    int size, room, position = 0;
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_size(type, &size);
    MPI_Pack_size({COUNT}, type, MPI_COMM_SELF, &room);
    unsigned char *packed = malloc((size_t)room + 1);
    MPI_Pack(origin, {COUNT}, type, packed, room, &position, MPI_COMM_SELF);
    printf("%ld %ld %d ", (long)lb, (long)extent, size);
    for (int i = 0; i < position; i++)
        printf("%02x", packed[i]);
    printf("\n");
    free(packed);
    MPI_Type_free(&type);
}}

int main(void)
{{
    MPI_Init(NULL, NULL);
    MPI_Datatype type;
{cases}    MPI_Finalize();
    return 0;
}}
"#
    )
}

fn assert_packs_as_the_oracle(mpi: Mpi, program: &Path, types: &[Type]) {
    let output = mpi.single(program).output().expect("the program starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {err}", mpi.name);
    let printed = String::from_utf8(output.stdout).expect("digits");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), types.len(), "{}: {err}", mpi.name);
    for (line, ty) in lines.iter().zip(types) {
        assert_eq!(line.trim_end(), expected(ty).trim_end(), "{}: {ty}", mpi.name);
    }
}

#[test]
fn c_builds_the_type_under_every_mpi_library() {
    let types = types();
    let mut functions = String::new();
    for (k, ty) in types.iter().enumerate() {
        let name = format!("type_{k}");
        functions += &output(&["emit", "--lang", "c", "--name", &name, "-"], &ty.to_string());
    }
    let main =
        main_in_c(&types, &functions, |k| format!("if (type_{k}(&type) != MPI_SUCCESS) return 1;"));
    for mpi in Mpi::installed() {
        let dir = folder(&format!("emit-c-{}", mpi.name));
        std::fs::write(dir.join("main.c"), &main).unwrap();
        mpi.compile("mpicc", &["-std=c99", "-pedantic", "main.c", "-o", "main"], &dir);
        assert_packs_as_the_oracle(mpi, &dir.join("main"), &types);
    }
}

#[test]
fn fortran_builds_the_type_under_every_mpi_library() {
    // Every `use mpi` takes the compiler a tenth of a second: a part of the types must do.
    let types: Vec<Type> = types().into_iter().step_by(6).collect();
    let (mut functions, mut prototypes) = (String::new(), String::new());
    for (k, ty) in types.iter().enumerate() {
        let name = format!("type_{k}");
        let args = ["emit", "--lang", "fortran", "--name", &name, "-"];
        functions += &output(&args, &ty.to_string());
        let _ = writeln!(prototypes, "void type_{k}_(MPI_Fint *, MPI_Fint *);");
    }
    assert!(functions.lines().all(|line| line.len() <= 132), "a line is too long for Fortran");
    let main = main_in_c(&types, &prototypes, |k| {
        format!(
            "MPI_Fint f, e; type_{k}_(&f, &e); if (e != MPI_SUCCESS) return 1; \
             type = MPI_Type_f2c(f);"
        )
    });
    for mpi in Mpi::installed() {
        if mpi.command("mpifort").is_none() {
            commloom_testkit::skipped(&format!("mpifort.{} is not installed", mpi.name));
            continue;
        }
        let dir = folder(&format!("emit-fortran-{}", mpi.name));
        std::fs::write(dir.join("main.c"), &main).unwrap();
        std::fs::write(dir.join("types.f90"), &functions).unwrap();
        mpi.compile("mpicc", &["-std=c99", "-c", "main.c", "-o", "main.o"], &dir);
        mpi.compile("mpifort", &["types.f90", "main.o", "-o", "main"], &dir);
        assert_packs_as_the_oracle(mpi, &dir.join("main"), &types);
    }
}

#[test]
fn python_builds_the_type() {
    // COMMLOOM_PYTHON may name an interpreter that has mpi4py.
    let python = std::env::var("COMMLOOM_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let probe = std::process::Command::new(&python).args(["-c", "import mpi4py.MPI"]).output();
    if !probe.is_ok_and(|p| p.status.success()) {
        commloom_testkit::skipped(&format!("{python} has no mpi4py with an MPI library"));
        return;
    }
    let types = types();
    let mut script = String::new();
    for (k, ty) in types.iter().enumerate() {
        let name = format!("type_{k}");
        script += &output(&["emit", "--lang", "python", "--name", &name, "-"], &ty.to_string());
    }
    script += "buffer = getattr(MPI, 'buffer', None) or MPI.memory\n";
    for (k, ty) in types.iter().enumerate() {
        let (memory, origin) = memory_for(ty, COUNT);
        let _ = write!(
            script,
            "
memory = bytearray({memory:?})
t = type_{k}()
packed = bytearray(t.Get_size() * {COUNT})
at = MPI.Get_address(memory) + {origin}
everything = buffer.fromaddress(at, 1 << 40)  # bounds reach in front of the memory and behind it
MPI.COMM_SELF.Sendrecv([everything, {COUNT}, t], 0, 0, [packed, MPI.PACKED], 0, 0)
lb, extent = t.Get_extent()
print(lb, extent, t.Get_size(), packed.hex())
t.Free()
"
        );
    }
    let dir = folder("emit-python");
    std::fs::write(dir.join("build.py"), script).unwrap();
    let run = std::process::Command::new(&python).arg(dir.join("build.py")).output().unwrap();
    let err = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{err}");
    let printed = String::from_utf8(run.stdout).unwrap();
    assert_eq!(printed.lines().count(), types.len());
    for (line, ty) in printed.lines().zip(&types) {
        assert_eq!(line.trim_end(), expected(ty).trim_end(), "{ty}");
    }
}

#[test]
fn the_code_is_what_a_person_would_write() {
    let calls = |ty: &str| -> Vec<String> {
        let code = output(&["emit", "--lang", "c", ty], "");
        let made = code.lines().filter_map(|l| l.trim().strip_prefix("rc = MPI_Type_"));
        made.map(|l| l.split(", &t[").next().unwrap().to_owned()).collect()
    };
    let commit = |k: usize| format!("commit(&t[{k}]);");
    assert_eq!(calls("vector(4, 2, 5, MPI_INT)"), ["vector(4, 2, 5, MPI_INT", &commit(0)]);
    assert_eq!(
        calls("vec(5, 18, vec(2, 4, MPI_INT))"),
        ["create_hvector(5, 2, 18, MPI_INT", &commit(0)]
    );
    assert_eq!(calls("contiguous(7, MPI_INT)"), ["contiguous(7, MPI_INT", &commit(0)]);
    assert_eq!(
        calls("indexed(<1,2>, <0,4>, MPI_INT)"),
        ["indexed(2, blocks, at, MPI_INT", &commit(0)]
    );
    assert_eq!(
        calls("indexed_block(3, <0,4>, MPI_INT)"),
        ["create_indexed_block(2, 3, at, MPI_INT", &commit(0)]
    );
    assert_eq!(
        calls("hindexed_block(1, <0,3>, MPI_INT)"),
        ["create_hindexed_block(2, 1, at, MPI_INT", "create_resized(t[0], 0, 8", &commit(1)]
    );
    assert_eq!(calls("MPI_INT"), ["dup(MPI_INT", &commit(0)]);
}

/// The shapes that the cost model knows are idxbuc nodes: MPI's own constructors say them.
#[test]
fn buckets_and_triangles_are_built_by_mpi_constructors() {
    for (ty, constructor) in [
        ("triangular(5, 80, 16, 1, 1, vec(4, 4, MPI_INT))", "MPI_Type_indexed("),
        ("triangular(3, 31, 8, 5, -1, MPI_DOUBLE)", "MPI_Type_create_hindexed("),
        ("bucket(400, 4, <3,1,4,1,5>, MPI_INT)", "MPI_Type_indexed("),
        ("bucket(-401, 4, <3,1,4,1,5>, MPI_INT)", "MPI_Type_create_hindexed("),
    ] {
        let code = output(&["emit", "--lang", "c", ty], "");
        assert!(code.contains(constructor), "{code}");
        assert!(!code.contains("bucket") && !code.contains("triangular"), "{code}");
        let functions = code.split("MPI_Type_").skip(1).map(|rest| rest.split('(').next());
        let known =
            ["indexed", "create_hindexed", "contiguous", "commit", "free", "create_resized"];
        for name in functions.flatten() {
            assert!(known.contains(&name), "{name}: {code}");
        }
    }
}

#[test]
fn equal_parts_are_built_once() {
    let part = "vec(3, 10, MPI_CHAR)";
    let code = output(&["emit", "--lang", "c", &format!("strc(<0,50>, <{part}, {part}>)")], "");
    assert_eq!(code.matches("MPI_Type_vector").count(), 1, "{code}");
}

#[test]
fn counts_beyond_int_are_split() {
    let code = output(&["emit", "--lang", "c", "vec(5000000000, 8, MPI_INT)"], "");
    assert!(code.contains("vector(4, 1073741824") || code.contains("(4, 1, 8589934592"), "{code}");
    let code = output(&["emit", "--lang", "c", "idxbuc(8, <0>, <5000000000>, MPI_INT)"], "");
    assert!(!code.contains("5000000000,"), "{code}");
}

#[test]
fn types_without_a_fortran_handle_are_refused() {
    let done = run(&["emit", "--lang", "fortran", "MPI_COMPLEX4"], "");
    assert_eq!(done.status, Some(2));
    assert!(
        done.err.contains("MPI_COMPLEX4 has no handle in the Fortran bindings"),
        "{}",
        done.err
    );
}
