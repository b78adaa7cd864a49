//! Lets the runtime choose what `main` is given: a process that serves many runs has the arguments of none of them.

use crate::llvm::{Builder, Module, Value};

/// Called first in `main` with the places of the number of arguments, as 64 bits, and of their list.
const MAIN: &str = "__wf_main";

/// Makes `main` ask for its arguments.
pub(crate) fn ask_for_arguments(module: &Module) {
    let Some(main) = module.named_function("main").filter(|f| !f.is_declaration()) else {
        return;
    };
    let builder = Builder::new(module);
    let (word, pointer) = (builder.int_type(64), builder.pointer_type());
    let ask = builder.function(MAIN, builder.function_type(builder.void_type(), &[pointer, pointer]));
    let given = |index: usize, fits: fn(Value) -> bool| main.params().get(index).copied().filter(|p| fits(*p));
    let (count, list) = (given(0, |p| p.ty().is_integer()), given(1, |p| p.ty().is_pointer()));

    builder.before(main.blocks()[0].function_start());
    let (count_slot, list_slot) = (builder.alloca(word), builder.alloca(pointer));
    let call = builder.call(ask, &[count_slot, list_slot]);
    // Before the slots are filled, which is to use the parameters themselves.
    if let Some(count) = count {
        count.replace_uses(builder.resize(builder.load(word, count_slot), count.ty()));
    }
    if let Some(list) = list {
        list.replace_uses(builder.load(pointer, list_slot));
    }
    builder.before(call);
    let count = count.map_or(builder.int(64, 0), |count| builder.resize(count, word));
    builder.store(count, count_slot);
    builder.store(list.unwrap_or(builder.null(pointer)), list_slot);
}
