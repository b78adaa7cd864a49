//! `<math.h>`: functions of values alone. One row stands for all widths.

use crate::function::{Access, Extent, Function, Gives};

const fn of_values(name: &'static str, arguments: usize, widths: &'static [&'static str]) -> Function {
    Function::new(name, arguments).like(widths).gives(Gives::OfValues)
}

/// One for which clang has an operation of a name.
const fn operation(
    name: &'static str,
    arguments: usize,
    widths: &'static [&'static str],
    operation: &'static str,
) -> Function {
    of_values(name, arguments, widths).builtin().intrinsic(operation)
}

pub(super) const ROWS: &[Function] = &[
    of_values("fabs", 1, &["fabsf", "fabsl"]).builtin(),
    of_values("sqrt", 1, &["sqrtf", "sqrtl"]).builtin(),
    of_values("fmod", 2, &["fmodf", "fmodl"]).builtin(),
    operation("floor", 1, &["floorf", "floorl"], "floor"),
    operation("ceil", 1, &["ceilf", "ceill"], "ceil"),
    operation("trunc", 1, &["truncf", "truncl"], "trunc"),
    operation("rint", 1, &["rintf", "rintl"], "rint"),
    operation("nearbyint", 1, &["nearbyintf", "nearbyintl"], "nearbyint"),
    operation("round", 1, &["roundf", "roundl"], "round"),
    operation("roundeven", 1, &["roundevenf", "roundevenl"], "roundeven"),
    operation("copysign", 2, &["copysignf", "copysignl"], "copysign"),
    operation("fmin", 2, &["fminf", "fminl"], "minnum"),
    operation("fmax", 2, &["fmaxf", "fmaxl"], "maxnum"),
    operation("fma", 3, &["fmaf", "fmal"], "fma"),
    operation("pow", 2, &["powf", "powl"], "pow"),
    operation("exp", 1, &["expf", "expl"], "exp"),
    operation("exp2", 1, &["exp2f", "exp2l"], "exp2"),
    operation("exp10", 1, &["exp10f", "exp10l"], "exp10"),
    operation("log", 1, &["logf", "logl"], "log"),
    operation("log2", 1, &["log2f", "log2l"], "log2"),
    operation("log10", 1, &["log10f", "log10l"], "log10"),
    operation("sin", 1, &["sinf", "sinl"], "sin"),
    operation("cos", 1, &["cosf", "cosl"], "cos"),
    operation("tan", 1, &["tanf", "tanl"], "tan"),
    operation("ldexp", 2, &["ldexpf", "ldexpl"], "ldexp"),
    operation("lrint", 1, &["lrintf", "lrintl"], "lrint"),
    operation("llrint", 1, &["llrintf", "llrintl"], "llrint"),
    operation("lround", 1, &["lroundf", "lroundl"], "lround"),
    operation("llround", 1, &["llroundf", "llroundl"], "llround"),
    of_values("asin", 1, &["asinf", "asinl"]),
    of_values("acos", 1, &["acosf", "acosl"]),
    of_values("atan", 1, &["atanf", "atanl"]),
    of_values("atan2", 2, &["atan2f", "atan2l"]),
    of_values("sinh", 1, &["sinhf", "sinhl"]),
    of_values("cosh", 1, &["coshf", "coshl"]),
    of_values("tanh", 1, &["tanhf", "tanhl"]),
    of_values("cbrt", 1, &["cbrtf", "cbrtl"]),
    of_values("hypot", 2, &["hypotf", "hypotl"]),
    of_values("fdim", 2, &["fdimf", "fdiml"]),
    of_values("log1p", 1, &["log1pf", "log1pl"]),
    of_values("expm1", 1, &["expm1f", "expm1l"]),
    of_values("asinh", 1, &["asinhf", "asinhl"]),
    of_values("acosh", 1, &["acoshf", "acoshl"]),
    of_values("atanh", 1, &["atanhf", "atanhl"]),
    of_values("erf", 1, &["erff", "erfl"]),
    of_values("erfc", 1, &["erfcf", "erfcl"]),
    of_values("tgamma", 1, &["tgammaf", "tgammal"]),
    of_values("remainder", 2, &["remainderf", "remainderl", "drem"]),
    of_values("nextafter", 2, &["nextafterf", "nextafterl"]),
    of_values("scalbn", 2, &["scalbnf", "scalbnl"]),
    of_values("scalbln", 2, &["scalblnf", "scalblnl"]),
    of_values("ilogb", 1, &["ilogbf", "ilogbl"]),
    of_values("logb", 1, &["logbf", "logbl"]),
    // They set a variable of the library.
    Function::new("lgamma", 1).like(&["lgammaf", "lgammal"]),
    // What macros of the header call.
    of_values("__fpclassify", 1, &["__fpclassifyf", "__fpclassifyl"]),
    of_values("__isnan", 1, &["__isnanf", "__isnanl"]),
    of_values("__isinf", 1, &["__isinff", "__isinfl"]),
    of_values("__finite", 1, &["__finitef", "__finitel"]),
    of_values("__signbit", 1, &["__signbitf", "__signbitl"]),
    Function::new("modf", 2).accesses(&[Access::Writes(1, Extent::Fixed(8))]),
    Function::new("frexp", 2).accesses(&[Access::Writes(1, Extent::Fixed(4))]),
];
