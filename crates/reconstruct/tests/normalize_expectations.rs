//! The layouts of Carpen-Amarie, Hunold and Träff, given as descriptions, become what a person
//! sees in them; and the same with fewest runs.

use commloom_layout::{Basic, CostModel, Kind, Type, mpi};
use commloom_reconstruct::{Constructors, certify, fewest_runs, normalize, normalize_many};
use commloom_testkit::corpus::{Periodic, row_and_column};
use commloom_testkit::random::Limits as Size;
use commloom_testkit::{check, random_type};

fn int() -> Type {
    Type::leaf(Basic::INT)
}

fn vec(count: u64, stride: i64, child: Type) -> Type {
    Type::vec(count, stride, child).unwrap()
}

/// The normal form, certified, without the bounds at its root.
fn tree(ty: &Type) -> Type {
    let model = CostModel::default();
    let normal = normalize(ty, Constructors::Tree, &model).unwrap();
    certify(ty, &normal.ty, &model).unwrap();
    core(&normal.ty)
}

fn core(ty: &Type) -> Type {
    match ty.kind() {
        Kind::Resized { child, .. } => child.clone(),
        _ => ty.clone(),
    }
}

/// Expectation test 11 at 10,240 elements: fully indexed, contiguous and indexed, struct.
#[test]
fn a_row_and_a_column_in_three_descriptions_are_one_strc_of_contiguous_and_vector() {
    let forms = row_and_column(5120, 10_240).map(|(_, ty)| tree(&ty));
    for ty in &forms {
        assert_eq!(CostModel::default().cost(ty), 34, "{ty:?}");
        assert_eq!(ty, &forms[0]);
    }
    let Kind::Strc { children, .. } = forms[0].kind() else { panic!("{:?}", forms[0]) };
    assert_eq!(children.len(), 2);
    assert!(children.iter().all(|c| matches!(c.kind(), Kind::Vec { .. })));
}

/// Expectation test 5: two tiled parts that continue each other, for all splits and by counts that
/// no one could flatten.
#[test]
fn two_tiled_parts_are_one_tile() {
    for (first, second, blocks) in [(2, 3, 2), (60_000, 100_000, 2), (1 << 40, 1 << 39, 10)] {
        let tile = |n| mpi::vector(n, blocks, 16, &int()).unwrap();
        let at = i64::try_from(first).unwrap() * 64;
        let ty = mpi::structure(&[1, 1], &[0, at], &[tile(first), tile(second)]).unwrap();
        let one = vec(first + second, 64, vec(blocks, 4, int()));
        assert_eq!(tree(&ty), one);
    }
}

/// Expectation test 10: the second block, of `a` + 1, touches the next period.
struct Alternating {
    a: u64,
    periods: u64,
}

impl Alternating {
    fn b(&self) -> i64 {
        i64::try_from(self.a).unwrap() + 1
    }

    fn repeated(&self) -> Type {
        let (a, b) = ([self.a - 1, self.a + 1], [self.b(), self.b()]);
        let unit = Periodic { name: "et10", a, b }.unit(Basic::INT);
        mpi::contiguous(self.periods, &unit).unwrap()
    }

    /// First unit, regular middle, last unit.
    fn by_struct(&self) -> Type {
        let (b, n) = (self.b(), i64::try_from(self.periods).unwrap());
        let middle = mpi::vector(self.periods - 1, 2 * self.a, 2 * b, &int()).unwrap();
        let unit = |n| mpi::contiguous(n, &int()).unwrap();
        let parts = [unit(self.a - 1), middle, unit(self.a + 1)];
        let last = 4 * ((n - 1) * 2 * b + b);
        mpi::structure(&[1, 1, 1], &[0, 4 * b, last], &parts).unwrap()
    }
}

#[test]
fn alternating_blocks_repeated_and_by_struct_have_one_normal_form() {
    let sizes = [(2, 3), (2, 512), (10, 7), (10, 100_000), (100, 1 << 30), (1 << 20, 1 << 20)];
    for (a, periods) in sizes {
        let layout = Alternating { a, periods };
        let normal = tree(&layout.repeated());
        assert_eq!(tree(&layout.by_struct()), normal, "{a} {periods}");
        let cost = CostModel::default().cost(&normal);
        assert!(cost <= 22, "{normal:?}");
        if a > 2 && periods > 3 {
            let stride = 8 * layout.b();
            let blocks = [a - 1, a + 1];
            let period = Type::idxbuc(4, [0, 4 * layout.b()], blocks, int()).unwrap();
            assert_eq!(normal, vec(periods, stride, period));
        }
    }
}

#[test]
fn with_fewest_runs_alternating_blocks_are_first_unit_regular_middle_last_unit() {
    for (a, periods) in [(10, 7), (10, 100_000), (1 << 20, 1 << 20)] {
        let layout = Alternating { a, periods };
        let b = layout.b();
        let last = 4 * ((i64::try_from(periods).unwrap() - 1) * 2 * b + b);
        let unit = |n| vec(n, 4, int());
        let middle = vec(periods - 1, 8 * b, unit(2 * a));
        let parts = [unit(a - 1), middle, unit(a + 1)];
        let expected = Type::strc([0, 4 * b, last], parts).unwrap();
        for ty in [layout.repeated(), layout.by_struct()] {
            let normal = normalize(&ty, Constructors::Tree, &CostModel::default()).unwrap();
            let joined = fewest_runs(&normal.ty).unwrap();
            assert!(joined.type_map().take(10_000).eq(ty.type_map().take(10_000)));
            assert_eq!((joined.lb(), joined.extent()), (ty.lb(), ty.extent()));
            assert_eq!(placed(&core(&joined)), placed(&expected));
        }
    }
}

/// A strc with its shifts in the index list.
fn placed(ty: &Type) -> (Vec<i64>, Vec<Type>) {
    let Kind::Strc { indices, children } = ty.kind() else { panic!("{ty:?}") };
    let parts = indices.iter().zip(children.iter()).map(|(&index, child)| {
        let origin = index + child.first_byte();
        let plain = normalize(child, Constructors::Extended, &CostModel::default()).unwrap();
        match plain.ty.kind() {
            _ if child.first_byte() == 0 => (origin, plain.ty.clone()),
            Kind::Vec { count, stride, child } => {
                let Kind::IdxBuc { stride: step, blocks, child, .. } = child.kind() else {
                    panic!("{child:?}")
                };
                (origin, vec(*count, *stride, vec(blocks[0], *step, child.clone())))
            }
            Kind::IdxBuc { stride, blocks, child, .. } => {
                (origin, vec(blocks[0], *stride, child.clone()))
            }
            _ => panic!("{plain:?}"),
        }
    });
    parts.unzip()
}

/// Blocks that are moved one by one: runs of bytes in the lowest nodes without gaps.
fn blocks(ty: &Type) -> u64 {
    match ty.kind() {
        Kind::Leaf(_) => 1,
        _ if ty.children().len() == 1 && blocks(&ty.children()[0]) == 1 => ty.runs(),
        Kind::Strc { children, .. } => children.iter().map(blocks).sum(),
        _ => {
            let child = &ty.children()[0];
            let copies = ty.elements().checked_div(child.elements()).unwrap_or(0);
            copies * blocks(child)
        }
    }
}

#[test]
fn fewest_runs_keeps_layout_and_bounds_and_never_adds_blocks() {
    let fewer = std::cell::Cell::new(0);
    check(4000, |rng| {
        let ty = random_type(rng, &Size::default());
        let normal = normalize(&ty, Constructors::Tree, &CostModel::default()).unwrap().ty;
        let joined = fewest_runs(&normal).unwrap();
        assert!(joined.type_map().eq(ty.type_map()));
        assert_eq!((joined.lb(), joined.extent()), (ty.lb(), ty.extent()));
        assert!(joined.runs() <= blocks(&joined) && blocks(&joined) <= blocks(&normal));
        fewer.set(fewer.get() + u32::from(blocks(&joined) < blocks(&normal)));
    });
    assert!(fewer.get() > 20, "{}", fewer.get());
}

/// Guideline GL1: (count, type) is contiguous(count, type).
#[test]
fn many_of_a_type_have_the_normal_form_of_the_contiguous_type() {
    check(2000, |rng| {
        let ty = random_type(rng, &Size { bytes: 500, ..Size::default() });
        let count = if rng.bool() { rng.u64(0..6) } else { rng.u64(0..1 << 20) };
        let Ok(all) = mpi::contiguous(count, &ty) else { return };
        let model = CostModel::default();
        for set in [Constructors::Basic, Constructors::Extended, Constructors::Tree] {
            let many = normalize_many(count, &ty, set, &model).unwrap();
            assert_eq!(many.ty, normalize(&all, set, &model).unwrap().ty);
            certify(&all, &many.ty, &model).unwrap();
        }
        // Given as one struct of `count` elements, too.
        let structure = mpi::structure(&[count], &[0], std::slice::from_ref(&ty)).unwrap();
        if let Ok(one) = normalize(&structure, Constructors::Tree, &model) {
            let many = normalize_many(count, &ty, Constructors::Tree, &model).unwrap();
            assert_eq!(core(&one.ty), core(&many.ty), "{count} {ty:?}");
        }
    });
}
