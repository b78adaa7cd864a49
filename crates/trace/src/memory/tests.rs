use super::*;

#[test]
fn an_address_belongs_to_the_latest_object_there() {
    let mut memory = Memory::default();
    let a = memory.allocate(ObjectKind::Global(GlobalId(0)), 100, 8);
    assert_eq!(memory.find(104), (a, 4));
    assert_eq!(memory.find(108), (FOREIGN, 108));
    let b = memory.allocate(ObjectKind::Global(GlobalId(1)), 104, 8);
    assert_eq!(memory.find(104), (b, 0));
    assert_eq!(memory.find(100), (FOREIGN, 100), "an overlapped object is gone as a whole");
}

#[test]
fn accesses_decompose_into_cells_and_gaps() {
    let mut memory = Memory::default();
    let o = memory.allocate(ObjectKind::Global(GlobalId(0)), 100, 16);
    let cell = Cell { offset: 4, size: 4, variable: VarId(7) };
    memory.add_cell(o, cell);
    assert_eq!(
        memory.pieces(o, 0, 16),
        [Piece::Gap { offset: 0, size: 4 }, Piece::Cell { cell, from: 0, size: 4 }, Piece::Gap { offset: 8, size: 8 }]
    );
    assert_eq!(memory.pieces(o, 5, 1), [Piece::Cell { cell, from: 1, size: 1 }]);
}

fn global(number: u32) -> ObjectKind {
    ObjectKind::Global(GlobalId(number))
}

#[test]
fn neighbours_that_only_touch_both_live() {
    let mut memory = Memory::default();
    let a = memory.allocate(global(0), 100, 8);
    let b = memory.allocate(global(1), 108, 4);
    let before = memory.allocate(global(2), 92, 8);
    assert_eq!([92, 99, 100, 107, 108, 111].map(|at| memory.find(at).0), [before, before, a, a, b, b]);
    assert_eq!(memory.find(112), (FOREIGN, 112));
}

#[test]
fn an_object_ends_all_those_it_covers() {
    let mut memory = Memory::default();
    for (number, base) in [100, 108, 116, 124].into_iter().enumerate() {
        memory.allocate(global(number as u32), base, 8);
    }
    let large = memory.allocate(global(9), 110, 10);
    assert_eq!(memory.find(107), (1, 7), "the first is not touched");
    assert_eq!(memory.find(108), (FOREIGN, 108), "the second is covered in part");
    assert_eq!((memory.find(110), memory.find(119)), ((large, 0), (large, 9)));
    assert_eq!(memory.find(120), (FOREIGN, 120), "the third is covered in part");
    assert_eq!(memory.find(124), (4, 0), "the fourth is not touched");
}

#[test]
fn an_object_without_bytes_has_its_first_address() {
    let mut memory = Memory::default();
    let empty = memory.allocate(global(0), 100, 0);
    assert_eq!((memory.find(100), memory.find(101)), ((empty, 0), (FOREIGN, 101)));
}

#[test]
fn what_is_freed_stays_known_until_its_place_is_used_again() {
    let mut memory = Memory::default();
    let heap = || ObjectKind::Heap { at: None, freed: false };
    let is_freed =
        |memory: &Memory, id: u32| memory.objects[id as usize].kind == ObjectKind::Heap { at: None, freed: true };
    let first = memory.allocate(heap(), 100, 8);
    memory.free(104);
    assert!(!is_freed(&memory, first), "only the first address frees");
    memory.free(100);
    assert!(is_freed(&memory, first));
    assert_eq!((memory.find(104), memory.at_base(100)), ((first, 4), Some(first)));
    let second = memory.allocate(heap(), 100, 4);
    assert_eq!(memory.at_base(100), Some(second));
    assert!(is_freed(&memory, first) && !is_freed(&memory, second));
    assert_eq!(memory.find(104), (FOREIGN, 104));
}

#[test]
fn what_is_not_on_the_heap_cannot_be_freed() {
    let mut memory = Memory::default();
    let id = memory.allocate(global(0), 100, 8);
    memory.free(100);
    assert_eq!(memory.objects[id as usize].kind, global(0));
}

#[test]
fn a_local_without_address_is_found_at_none() {
    let mut memory = Memory::default();
    let kind = ObjectKind::Local { activation: 0, local: LocalId(0), ctype: None };
    let id = memory.unaddressed(kind, 4);
    assert_eq!((id, memory.find(0), memory.at_base(0)), (1, (FOREIGN, 0), None));
}

#[test]
fn an_access_may_lie_across_cells() {
    let mut memory = Memory::default();
    let object = memory.allocate(global(0), 100, 16);
    let cell = |offset, size, variable| Cell { offset, size, variable: VarId(variable) };
    let (a, b, c) = (cell(0, 4, 1), cell(4, 2, 2), cell(8, 8, 3));
    for cell in [b, c, a] {
        memory.add_cell(object, cell);
    }
    assert_eq!(
        memory.pieces(object, 2, 8),
        [
            Piece::Cell { cell: a, from: 2, size: 2 },
            Piece::Cell { cell: b, from: 0, size: 2 },
            Piece::Gap { offset: 6, size: 2 },
            Piece::Cell { cell: c, from: 0, size: 2 },
        ]
    );
    assert_eq!(memory.pieces(object, 9, 3), [Piece::Cell { cell: c, from: 1, size: 3 }]);
    assert_eq!(memory.pieces(object, 6, 2), [Piece::Gap { offset: 6, size: 2 }]);
    assert_eq!(memory.all_cells()[&object], [(0, 4, VarId(1)), (4, 2, VarId(2)), (8, 8, VarId(3))]);
}

#[test]
fn what_has_ended_is_not_found_and_what_took_its_place_stays() {
    let mut memory = Memory::default();
    let a = memory.allocate(global(0), 100, 8);
    let b = memory.allocate(global(1), 104, 8);
    memory.end(a);
    assert_eq!(memory.find(104), (b, 0), "it was gone already");
    assert_eq!(memory.within(100..105), [b]);
    memory.end(b);
    assert_eq!(memory.find(104), (FOREIGN, 104));
}

#[test]
fn cells_are_found_in_order_of_their_offsets_however_many_there_are() {
    let mut memory = Memory::default();
    let o = memory.allocate(ObjectKind::Global(GlobalId(0)), 100, 16);
    let cell = |offset: u64, variable: u32| Cell { offset, size: 4, variable: VarId(variable) };
    assert_eq!(memory.cells_of(o).count(), 0);
    memory.add_cell(o, cell(8, 1));
    assert_eq!(memory.cells_of(o).collect::<Vec<_>>(), [cell(8, 1)]);
    memory.add_cell(o, cell(0, 2));
    memory.add_cell(o, cell(4, 3));
    assert_eq!(memory.first_cells(o, 2), [VarId(2), VarId(3)]);
    assert_eq!(memory.all_cells(), HashMap::from([(o, vec![(0, 4, VarId(2)), (4, 4, VarId(3)), (8, 4, VarId(1))])]));
}
