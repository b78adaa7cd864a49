//! Validation finds what is wrong, and nothing in what is right.

use wherefore_program::{
    BinaryOp, Block, BlockId, CType, Callee, Command, Field, Function, Local, LocalId, Located, Operand, Operation,
    Place, Program, RegId, Terminator, TypeId, validate,
};

fn at<T>(it: T) -> Located<T> {
    Located { it, at: None }
}

fn add(target: u32, left: Operand, right: Operand) -> Located<Command> {
    let value = Operation::Binary { op: BinaryOp::Add, left, right, no_signed_wrap: false, no_unsigned_wrap: false };
    at(Command::Define { target: RegId(target), value })
}

fn constant(bits: u32, value: u128) -> Operand {
    Operand::Constant { bits, value }
}

/// `int f(int x) { int y = x + 1; return y; }`
fn program() -> Program {
    let y = Local {
        name: Some("y".into()),
        ctype: None,
        size: Some(4),
        escapes: false,
        param: None,
        scope: vec![],
        origin: None,
    };
    let place = Place::Local(LocalId(0), 0);
    let commands = vec![
        add(1, Operand::Register(RegId(0)), constant(32, 1)),
        at(Command::Store { place: place.clone(), value: Operand::Register(RegId(1)), bits: 32 }),
        at(Command::Load { target: RegId(2), place, logged: false, volatile: false }),
    ];
    let terminator = at(Terminator::Return(Some(Operand::Register(RegId(2)))));
    let function = Function {
        name: "f".into(),
        origin: None,
        params: vec![RegId(0)],
        params_recorded: false,
        locals: vec![y],
        registers: vec![32, 32, 32],
        result: Some(32),
        result_type: None,
        variadic: false,
        blocks: vec![Block { commands, terminator }],
        first_block: 0,
        members: vec![],
        within: vec![],
    };
    Program { functions: vec![function], ..Program::default() }
}

/// The one problem of a program that was broken.
fn problem(break_it: impl FnOnce(&mut Program)) -> String {
    let mut program = program();
    break_it(&mut program);
    let problems = validate(&program);
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0].message.clone()
}

fn commands(program: &mut Program) -> &mut Vec<Located<Command>> {
    &mut program.functions[0].blocks[0].commands
}

#[test]
fn a_good_program_has_no_problems() {
    assert_eq!(validate(&program()), []);
}

#[test]
fn bad_programs_have() {
    let width = problem(|p| commands(p)[0] = add(1, Operand::Register(RegId(0)), constant(16, 1)));
    assert_eq!(width, "a right operand has 16 bits in place of 32");
    let unfit = problem(|p| commands(p)[0] = add(1, Operand::Register(RegId(0)), constant(32, 1 << 32)));
    assert_eq!(unfit, "the constant 4294967296 does not fit 32 bits");
    let twice = problem(|p| commands(p).push(add(1, constant(32, 1), constant(32, 1))));
    assert_eq!(twice, "register 1 is defined twice");
    let early = problem(|p| commands(p)[0] = add(1, Operand::Register(RegId(2)), constant(32, 1)));
    assert_eq!(early, "register 2 is used where it may be undefined");
    let outside = problem(|p| {
        let place = Place::Local(LocalId(0), 2);
        let value = constant(32, 0);
        commands(p).push(at(Command::Store { place, value, bits: 32 }));
    });
    assert_eq!(outside, "an access of local 0 lies outside it");
    let nowhere = problem(|p| p.functions[0].blocks[0].terminator.it = Terminator::Goto(BlockId(7)));
    assert_eq!(nowhere, "control goes to a block that does not exist");
    let result = problem(|p| p.functions[0].blocks[0].terminator.it = Terminator::Return(None));
    assert_eq!(result, "a return does not fit the function's result");
    let numbers = problem(|p| p.functions[0].first_block = 3);
    assert_eq!(numbers, "blocks are numbered from 3, not from 0");
    let call = problem(|p| {
        let callee = Callee::Function(wherefore_program::FunctionId(0));
        commands(p).push(at(Command::Call { target: None, callee, arguments: vec![], site: 0 }));
    });
    assert_eq!(call, "a call of f has 0 arguments");
}

#[test]
fn a_phi_of_a_block_that_does_not_exist_is_told() {
    let from_nowhere = problem(|p| {
        p.functions[0].registers.push(32);
        let ways = vec![(BlockId(7), Operand::Register(RegId(1)))];
        let command = Command::Define { target: RegId(3), value: Operation::Phi(ways) };
        commands(p).insert(0, at(command));
    });
    assert_eq!(from_nowhere, "a phi does not fit the blocks that lead to it");
}

fn array(element: u32, count: u64) -> CType {
    CType::Array { element: TypeId(element), count: Some(count) }
}

fn record(member: u32) -> CType {
    let field = Field { name: "m".into(), offset: 0, size: 32, bit_field: false, ctype: TypeId(member) };
    CType::Record { name: String::new(), union: false, size: 8, fields: vec![field] }
}

#[test]
fn types_contain_themselves_only_through_pointers() {
    let node = [CType::Pointer(TypeId(1)), record(0)];
    assert_eq!(validate(&Program { types: wherefore_program::Types(node.to_vec()), ..program() }), []);
    let wrong = |types: Vec<CType>| problem(|p| p.types.0 = types);
    assert_eq!(wrong(vec![array(0, 2)]), "type 0: contains itself");
    assert_eq!(wrong(vec![record(1), array(2, 1), record(0)]), "type 0: contains itself");
    let deep = (0..100_000).map(|n| array(n + 1, 1)).chain([CType::Bool]).collect();
    assert!(wrong(deep).ends_with("consists of too many types within each other"));
    let twice = |n: u32| match record(n) {
        CType::Record { name, union, size, fields } => {
            CType::Record { name, union, size, fields: [&fields[..], &fields].concat() }
        }
        other => other,
    };
    let doubled = (1..=60).map(twice).chain([CType::Bool]).collect();
    assert!(wrong(doubled).ends_with("consists of too many types within each other"));
    assert_eq!(wrong(vec![array(1, u64::MAX), CType::Bool]), "type 0: is larger than memory");
    assert_eq!(wrong(vec![array(7, 1)]), "type 0: refers to a type that does not exist");
    assert_eq!(wrong(vec![CType::Float { bits: 1 << 30 }]), "type 0: has a width that no number has");
}
