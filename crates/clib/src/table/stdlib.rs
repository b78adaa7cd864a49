//! `<stdlib.h>`, `<setjmp.h>`, `<time.h>` and threads.

use crate::function::Access::{Reads, Writes};
use crate::function::Extent::{Argument, Fixed, Open, Product, String, StringOf};
use crate::function::{Callback, Ending, Function, Gives, symbol};

const fn of_values(name: &'static str, arguments: usize) -> Function {
    Function::new(name, arguments).gives(Gives::OfValues)
}

const fn number(name: &'static str, arguments: usize) -> Function {
    Function::new(name, arguments).gives(Gives::Number)
}

pub(super) const ROWS: &[Function] = &[
    // ---- endings ----
    Function::new("exit", 1).like(&["_exit", "_Exit", "quick_exit"]).ends(Ending::Status(0)).builtin(),
    Function::new("abort", 0).ends(Ending::Abort).builtin(),
    Function::new("__assert_fail", 4)
        .accesses(&[Reads(0, String), Reads(1, String), Reads(3, String)])
        .ends(Ending::Assertion),
    Function::new("__assert_perror_fail", 4).accesses(&[Reads(1, String), Reads(3, String)]).ends(Ending::Assertion),
    Function::new("__assert", 3).accesses(&[Reads(0, String), Reads(1, String)]).ends(Ending::Assertion),
    // ---- memory ----
    Function::new("malloc", 1).like(&["valloc"]).allocates(Argument(0)),
    Function::new("calloc", 2).allocates_zeros(Product(0, 1)),
    Function::new("realloc", 2).allocates(Argument(1)).frees(0),
    Function::new("aligned_alloc", 2).like(&["memalign"]).allocates(Argument(1)),
    Function::new("alloca", 1).allocates_on_stack(Argument(0)).builtin(),
    Function::new("strdup", 1).symbols(&[symbol("__strdup")]).accesses(&[Reads(0, String)]).allocates(StringOf(0)),
    Function::new("strndup", 2).symbols(&[symbol("__strndup")]).accesses(&[Reads(0, String)]).allocates(StringOf(0)),
    Function::new("free", 1).frees(0),
    // ---- numbers ----
    of_values("abs", 1).builtin(),
    of_values("labs", 1).builtin(),
    of_values("llabs", 1).builtin(),
    of_values("ffs", 1).builtin(),
    of_values("ffsl", 1).builtin(),
    of_values("ffsll", 1).builtin(),
    of_values("div", 2).like(&["ldiv", "lldiv"]),
    Function::new("reallocarray", 3).allocates(Product(1, 2)).frees(0),
    Function::new("posix_memalign", 3).accesses(&[Writes(0, Fixed(8))]).writes_elsewhere(),
    Function::new("rand_r", 1).accesses(&[Writes(0, Fixed(4))]).nondeterministic(),
    Function::new("drand48", 0).like(&["lrand48", "mrand48", "arc4random"]).nondeterministic(),
    Function::new("srand48", 1),
    Function::new("secure_getenv", 1).accesses(&[Reads(0, String)]),
    Function::new("setenv", 3).accesses(&[Reads(0, String), Reads(1, String)]),
    Function::new("unsetenv", 1).like(&["putenv"]).accesses(&[Reads(0, String)]),
    Function::new("realpath", 2).accesses(&[Reads(0, String), Writes(1, String)]).optional(&[1]),
    Function::new("mkstemp", 1).like(&["mkstemp64"]).accesses(&[Writes(0, String)]),
    Function::new("at_quick_exit", 1).calls_back(Callback::Later(0)),
    number("atoi", 1).accesses(&[Reads(0, String)]),
    number("atol", 1).like(&["atoll"]).accesses(&[Reads(0, String)]),
    Function::new("atof", 1).accesses(&[Reads(0, String)]).gives(Gives::OfMemory),
    number("strtol", 3)
        .like(&["strtoll"])
        .symbols(&[symbol("__isoc23_strtol"), symbol("__isoc23_strtoll")])
        .accesses(&[Reads(0, String), Writes(1, Fixed(8))])
        .optional(&[1]),
    number("strtoul", 3)
        .like(&["strtoull"])
        .symbols(&[symbol("__isoc23_strtoul"), symbol("__isoc23_strtoull")])
        .accesses(&[Reads(0, String), Writes(1, Fixed(8))])
        .optional(&[1]),
    Function::new("strtod", 2)
        .like(&["strtof", "strtold"])
        .accesses(&[Reads(0, String), Writes(1, Fixed(8))])
        .optional(&[1]),
    // ---- what comes from elsewhere ----
    Function::new("rand", 0).like(&["random"]).nondeterministic(),
    Function::new("srand", 1).like(&["srandom"]),
    Function::new("time", 1).accesses(&[Writes(0, Fixed(8))]).nondeterministic().optional(&[0]),
    Function::new("clock", 0).nondeterministic(),
    Function::new("getpid", 0).nondeterministic(),
    Function::new("getenv", 1).accesses(&[Reads(0, String)]),
    Function::new("system", 1).accesses(&[Reads(0, String)]).optional(&[0]).unsettles(),
    // ---- functions of the program called from outside ----
    Function::new("qsort", 4)
        .accesses(&[Reads(0, Product(1, 2)), Writes(0, Product(1, 2))])
        .calls_back(Callback::Now(3)),
    Function::new("bsearch", 5)
        .accesses(&[Reads(0, Argument(3)), Reads(1, Product(2, 3))])
        .calls_back(Callback::Now(4)),
    Function::new("atexit", 1).calls_back(Callback::Later(0)),
    Function::new("signal", 2).calls_back(Callback::Later(1)).unsettles(),
    Function::new("pthread_create", 4)
        .accesses(&[Writes(0, Fixed(8)), Reads(1, Open)])
        .calls_back(Callback::Thread(2))
        .optional(&[1])
        .unsettles(),
    Function::new("thrd_create", 3).accesses(&[Writes(0, Fixed(8))]).calls_back(Callback::Thread(1)).unsettles(),
    // ---- jumps ----
    Function::new("setjmp", 1)
        .like(&["_setjmp", "sigsetjmp"])
        .symbols(&[symbol("__sigsetjmp")])
        .accesses(&[Writes(0, Open)])
        .builtin(),
    Function::new("longjmp", 2)
        .like(&["_longjmp", "siglongjmp"])
        .accesses(&[Reads(0, Open)])
        .jumps()
        .writes_elsewhere()
        .builtin(),
    Function::new("pthread_exit", 1).jumps(),
];
