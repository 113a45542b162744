//! What copies between two layouts look like.

use commloom_layout::{Basic, Type, mpi};
use commloom_plan::{CopyPlan, Plan, Target};

const WIDE: Target = Target { vector: 64, ..Target::PORTABLE };

fn double() -> Type {
    Type::leaf(Basic::DOUBLE)
}

fn bytes(n: u64) -> Type {
    Type::vec(n, 1, Type::leaf(Basic::BYTE)).expect("valid")
}

fn vec(count: u64, stride: i64, ty: Type) -> Type {
    Type::vec(count, stride, ty).expect("valid")
}

#[track_caller]
fn shows(from: (&Type, u64), to: (&Type, u64), expected: &str) {
    let plan = CopyPlan::between(from.0, from.1, to.0, to.1, &WIDE).expect("equal sizes");
    assert_eq!(plan.to_string().trim_end(), expected);
}

#[test]
fn snap() {
    let show = |from: (&Type, u64), to: (&Type, u64)| println!("{}", CopyPlan::between(from.0, from.1, to.0, to.1, &WIDE).expect("equal sizes"));
    let a = vec(1000, 16, double());
    println!("--- pack"); show((&a, 1), (&bytes(8000), 1)); 
    println!("--- unpack"); show((&bytes(8), 1000), (&a, 1));
    println!("--- equal counts"); show((&vec(100, 40, bytes(24)), 1), (&vec(100, 64, bytes(24)), 1));
    println!("--- factor"); show((&vec(3000, 24, bytes(20)), 1), (&vec(1000, 100, bytes(60)), 1));
    println!("--- period"); show((&vec(300, 44, bytes(40)), 1), (&vec(200, 64, bytes(60)), 1));
    println!("--- transpose"); 
    let rows = vec(1000, 8192, vec(500, 8, double())); let cols = vec(1000, 8, vec(500, 8000, double()));
    show((&rows, 1), (&cols, 1));
    println!("--- interchange"); show((&vec(100, 8, vec(50, 1000, double())), 1), (&vec(100, 8, vec(50, 2000, double())), 1));
    println!("--- list"); let l = Type::idx((0..100i64).map(|i| 20*i + i*i%3).collect::<Vec<_>>(), double()).unwrap();
    show((&l, 1), (&vec(100, 16, double()), 1));
    println!("--- irregular"); show((&l, 1), (&vec(50, 24, bytes(16)), 1));
    println!("--- long runs"); let r = Type::idxbuc(1, [0i64, 10000, 20000], [5000u64, 6000, 7000], bytes(1)).unwrap(); show((&r, 1), (&vec(300, 64, bytes(60)), 1));
    println!("--- struct"); let st = Type::strc([0i64, 100, 300], [bytes(80), bytes(100), vec(10, 30, bytes(20))]).unwrap(); show((&st, 1), (&vec(2, 300, bytes(190)), 1));
}
