//! LLVM IR to the program model.
//!
//! One function at a time, its blocks in an order in which definitions come before uses. Along with the commands a
//! [`Plan`] is made that says what to record around each instruction; a command and its recording are decided in the
//! same place.

mod assigned;
mod body;
mod calls;
mod constant;
mod expand;
mod instruction;
mod intrinsics;
mod locals;
mod memory;
mod scopes;
mod sources;
mod types;

use crate::Error;
use crate::debug_info::{self, Node};
use crate::llvm::{Module, Opcode, Type, Value};
use crate::plan::{GlobalPlan, Plan};
use sources::Sources;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use types::TypeTable;
use wherefore_budget::Budget;
use wherefore_clib as clib;
use wherefore_program::{FunctionId, Global, GlobalId, Origin, Program};

/// Widest value that the model has.
const MAX_BITS: u64 = 128;

/// A lowered module.
pub(crate) struct Lowered {
    pub program: Program,
    pub plan: Plan,
}

/// Lowers a verified module. `inputs` are the user's files, for their names; a run starts in `entry`.
pub(crate) fn lower(module: &Module, inputs: &[PathBuf], entry: &str, budget: &Budget) -> Result<Lowered, Error> {
    let mut whole = Whole {
        module,
        sources: Sources::new(inputs),
        types: TypeTable::default(),
        functions: HashMap::new(),
        globals: HashMap::new(),
        scopes: HashMap::new(),
        externals: BTreeMap::new(),
        next_site: 0,
        entry: entry.to_string(),
        failure: None,
        beyond: BTreeSet::new(),
        threads: module.functions().into_iter().any(|f| starts_thread(&f.name())),
    };
    let bodies: Vec<Value> = module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    for (number, function) in bodies.iter().enumerate() {
        whole.functions.insert(*function, FunctionId(number as u32));
    }
    let (globals, global_plans) = whole.globals();
    let mut program = Program { globals, ..Program::default() };
    let threads = whole.threads || whole.may_be_run_by_a_library(&bodies);
    let mut plan = Plan { functions: vec![], globals: global_plans, externals: vec![], threads };
    let mut first_block = 0;
    for function in bodies {
        budget.check()?;
        if function.is_naked() {
            let what = format!("the naked function `{}`", c_name(function));
            whole.unsupported(None, &what);
        }
        let (lowered, function_plan) = body::lower_function(&mut whole, &program.globals, function, first_block);
        if let Some(error) = whole.failure.take() {
            return Err(error);
        }
        first_block += lowered.blocks.len() as u32;
        program.functions.push(lowered);
        plan.functions.push(function_plan);
    }
    // A pointer to them may be called as well.
    let stands_in_content = |f: &Value| f.is_declaration() && f.users().into_iter().any(is_content);
    whole.externals.extend(module.functions().into_iter().filter(stands_in_content).map(|f| (f.name(), f)));
    program.files = whole.sources.files;
    program.notes = whole.sources.notes;
    program.beyond = whole.beyond.into_iter().map(String::from).collect();
    program.types = whole.types.types;
    (program.externals, plan.externals) = whole.externals.into_iter().unzip();
    Ok(Lowered { program, plan })
}

/// Whether a user of a function is the content of a variable, or a part of it.
fn is_content(user: Value) -> bool {
    user.is_variable() || !user.is_instruction() && user.users().into_iter().any(is_content)
}

/// What all functions share.
struct Whole<'m> {
    module: &'m Module,
    sources: Sources,
    types: TypeTable,
    functions: HashMap<Value, FunctionId>,
    globals: HashMap<Value, GlobalId>,
    /// Numbers of the blocks in which variables are declared.
    scopes: HashMap<Node, u32>,
    /// Functions without a body whose address is taken, in code or in the content of variables, by symbol.
    externals: BTreeMap<String, Value>,
    next_site: u32,
    /// Name of the function a run starts in.
    entry: String,
    /// The first thing that cannot be lowered at all.
    failure: Option<Error>,
    /// [`Program::beyond`].
    beyond: BTreeSet<&'static str>,
    /// Whether the program may start threads.
    threads: bool,
}

impl Whole<'_> {
    /// Width in bits of a value's bit pattern; `None` for what the model has no register for.
    fn width(&self, ty: Type) -> Option<u32> {
        let bits = self.module.width(ty);
        (1..=MAX_BITS).contains(&bits).then_some(bits as u32)
    }

    /// Whether a function may be called by code that is not instrumented: the start of the run, or a library through
    /// a pointer.
    fn may_be_called_from_outside(&self, function: Value) -> bool {
        let name = c_name(function);
        let direct = |user: Value| {
            user.is_instruction()
                && matches!(user.opcode(), Opcode::LLVMCall)
                && user.called() == function
                && !user.arguments().contains(&function)
        };
        name == self.entry || name == "main" || !function.users().into_iter().all(direct)
    }

    /// Whether a library of which nothing is known could run functions of the program in threads that it starts itself.
    fn may_be_run_by_a_library(&self, bodies: &[Value]) -> bool {
        let is_unknown = |f: &Value| {
            let name = f.name();
            let is_known = clib::function(&name).is_some()
                || clib::nondet(&name).is_some()
                || clib::judge(&name).is_some()
                || clib::ending(&name).is_some();
            f.is_declaration() && !f.is_intrinsic() && !is_known
        };
        let has_address = |f: &Value| c_name(*f) != "main" && self.may_be_called_from_outside(*f);
        self.module.functions().iter().any(is_unknown) && bodies.iter().any(has_address)
    }

    fn unsupported(&mut self, at: Option<Origin>, what: &str) {
        let at = self.sources.show(at);
        self.failure.get_or_insert(Error::Unsupported { at, what: what.to_string() });
    }

    /// The blocks around a variable of a function, outermost first.
    fn scope(&mut self, innermost: Option<Node>) -> Vec<u32> {
        let mut scope = vec![];
        let mut at = innermost;
        while let Some(node) = at {
            let description = node.describe();
            if description.kind == debug_info::Kind::Subprogram {
                break;
            }
            if node.only_changes_file() {
                at = description.scope;
                continue;
            }
            let next = self.scopes.len() as u32;
            scope.push(*self.scopes.entry(node).or_insert(next));
            at = description.scope;
        }
        scope.reverse();
        scope
    }

    fn globals(&mut self) -> (Vec<Global>, Vec<GlobalPlan>) {
        let by_subprogram: HashMap<Node, FunctionId> =
            self.functions.iter().filter_map(|(value, id)| Some((Node::new(value.subprogram()?)?, *id))).collect();
        let (mut globals, mut plans) = (vec![], vec![]);
        for value in self.module.globals() {
            let symbol = value.name();
            if symbol.starts_with("llvm.") {
                if symbol.ends_with(".global_ctors") || symbol.ends_with(".global_dtors") {
                    self.beyond.insert("functions run before or after the one that is entered");
                }
                continue;
            }
            self.globals.insert(value, GlobalId(globals.len() as u32));
            let external = value.is_declaration();
            let size = self.module.size(value.value_type());
            let mut global = Global {
                symbol,
                name: None,
                function: None,
                scope: vec![],
                ctype: None,
                size,
                constant: value.is_constant_global(),
                external,
                origin: None,
            };
            if let Some(node) = debug_info::global_variable(value) {
                let variable = node.describe();
                global.ctype = Some(self.types.get(variable.base));
                global.origin = self.sources.place(variable.file, variable.line, 0);
                let function = variable.scope.and_then(|s| s.enclosing_function());
                global.function = function.and_then(|f| by_subprogram.get(&f).copied());
                global.scope = if global.function.is_some() { self.scope(variable.scope) } else { vec![] };
                global.name = Some(variable.name).filter(|n| !n.is_empty());
            } else if !global.symbol.starts_with('.') && !is_private_name(&global.symbol) {
                // A library's variable, or a module without debug information.
                global.name = Some(global.symbol.clone());
            }
            let kept = if external || value.is_thread_local() { 0 } else { size };
            globals.push(global);
            plans.push(GlobalPlan { global: value, size: kept });
        }
        (globals, plans)
    }
}

/// Whether a function of the library starts a thread.
fn starts_thread(name: &str) -> bool {
    clib::function(name).is_some_and(|f| matches!(f.calls_back, Some(clib::Callback::Thread(_))))
}

/// The name of a function in C.
fn c_name(function: Value) -> String {
    let node = function.subprogram().and_then(Node::new);
    node.map(|n| n.describe().name).filter(|n| !n.is_empty()).unwrap_or_else(|| function.name())
}

/// Names clang gives to tables of its own: `switch.table.f`, `__const.f.a`, `__func__.f`.
fn is_private_name(symbol: &str) -> bool {
    symbol.starts_with("__const.") || symbol.starts_with("switch.") || symbol.contains("__.")
}
