//! `<stdio.h>`, and what reads and writes by descriptors.

use crate::function::Access::{Reads, Writes};
use crate::function::Channel::{Descriptor, Error, Standard, Stream};
use crate::function::Extent::{Argument, Fixed, Formatted, Open, Product, String, StringUpTo};
use crate::function::{Function, Gives, checked, symbol};

pub(super) const ROWS: &[Function] = &[
    // ---- writing ----
    Function::new("printf", 1)
        .symbols(&[checked("__printf_chk", &[0])])
        .prints_by(0)
        .accesses(&[Reads(0, String)])
        .output(Standard),
    Function::new("fprintf", 2)
        .symbols(&[checked("__fprintf_chk", &[1])])
        .prints_by(1)
        .accesses(&[Reads(1, String)])
        .output(Stream(0)),
    Function::new("dprintf", 2)
        .symbols(&[checked("__dprintf_chk", &[1])])
        .prints_by(1)
        .accesses(&[Reads(1, String)])
        .output(Descriptor(0)),
    Function::new("vprintf", 2).accesses(&[Reads(0, String), Reads(1, Open)]).output(Standard),
    Function::new("vfprintf", 3).accesses(&[Reads(1, String), Reads(2, Open)]).output(Stream(0)),
    Function::new("sprintf", 2)
        .symbols(&[checked("__sprintf_chk", &[1, 2])])
        .prints_by(1)
        .accesses(&[Writes(0, Formatted(1)), Reads(1, String)])
        .apart(),
    Function::new("snprintf", 3)
        .symbols(&[checked("__snprintf_chk", &[2, 3])])
        .prints_by(2)
        .accesses(&[Writes(0, Argument(1)), Reads(2, String)])
        .apart(),
    // ---- by lists of arguments ----
    Function::new("vsprintf", 3).symbols(&[checked("__vsprintf_chk", &[1, 2])]).accesses(&[
        Writes(0, String),
        Reads(1, String),
        Reads(2, Open),
    ]),
    Function::new("vsnprintf", 4).symbols(&[checked("__vsnprintf_chk", &[2, 3])]).accesses(&[
        Writes(0, StringUpTo(1)),
        Reads(2, String),
        Reads(3, Open),
    ]),
    // The text is an object that they make; where it is they store.
    Function::new("asprintf", 2)
        .symbols(&[checked("__asprintf_chk", &[1])])
        .prints_by(1)
        .accesses(&[Writes(0, Fixed(8)), Reads(1, String)])
        .writes_elsewhere(),
    Function::new("vasprintf", 3)
        .symbols(&[checked("__vasprintf_chk", &[1])])
        .accesses(&[Writes(0, Fixed(8)), Reads(1, String), Reads(2, Open)])
        .writes_elsewhere(),
    Function::new("vdprintf", 3).accesses(&[Reads(1, String), Reads(2, Open)]).output(Descriptor(0)),
    Function::new("vfscanf", 3)
        .symbols(&[symbol("__isoc99_vfscanf"), symbol("__isoc23_vfscanf")])
        .accesses(&[Reads(1, String)])
        .writes_elsewhere()
        .input(Stream(0)),
    Function::new("vsscanf", 3)
        .symbols(&[symbol("__isoc99_vsscanf"), symbol("__isoc23_vsscanf")])
        .accesses(&[Reads(0, String), Reads(1, String)])
        .writes_elsewhere(),
    Function::new("puts", 1).accesses(&[Reads(0, String)]).output(Standard),
    Function::new("putchar", 1).like(&["putchar_unlocked"]).output(Standard),
    Function::new("putc", 2)
        .like(&["fputc", "putc_unlocked", "fputc_unlocked"])
        .symbols(&[symbol("_IO_putc")])
        .output(Stream(1)),
    Function::new("fputs", 2).like(&["fputs_unlocked"]).accesses(&[Reads(0, String)]).output(Stream(1)),
    Function::new("fwrite", 4).like(&["fwrite_unlocked"]).accesses(&[Reads(0, Product(1, 2))]).output(Stream(3)),
    Function::new("write", 3).accesses(&[Reads(1, Argument(2))]).output(Descriptor(0)),
    Function::new("perror", 1).accesses(&[Reads(0, String)]).output(Error).optional(&[0]),
    Function::new("fflush", 1).like(&["fflush_unlocked"]).output(Stream(0)).optional(&[0]),
    // ---- reading ----
    Function::new("scanf", 1)
        .symbols(&[symbol("__isoc99_scanf"), symbol("__isoc23_scanf")])
        .scans_by(0)
        .accesses(&[Reads(0, String)])
        .input(Standard),
    Function::new("fscanf", 2)
        .symbols(&[symbol("__isoc99_fscanf"), symbol("__isoc23_fscanf")])
        .scans_by(1)
        .accesses(&[Reads(1, String)])
        .input(Stream(0)),
    Function::new("sscanf", 2)
        .symbols(&[symbol("__isoc99_sscanf"), symbol("__isoc23_sscanf")])
        .scans_by(1)
        .accesses(&[Reads(0, String), Reads(1, String)]),
    Function::new("vscanf", 2)
        .symbols(&[symbol("__isoc99_vscanf"), symbol("__isoc23_vscanf")])
        .accesses(&[Reads(0, String)])
        .writes_elsewhere()
        .input(Standard),
    // The buffer that a pointer is given for may be another afterwards.
    Function::new("getline", 3)
        .accesses(&[Writes(0, Fixed(8)), Writes(1, Fixed(8))])
        .writes_elsewhere()
        .input(Stream(2)),
    Function::new("getdelim", 4)
        .symbols(&[symbol("__getdelim")])
        .accesses(&[Writes(0, Fixed(8)), Writes(1, Fixed(8))])
        .writes_elsewhere()
        .input(Stream(3)),
    Function::new("getchar", 0).like(&["getchar_unlocked"]).input(Standard),
    Function::new("getc", 1)
        .like(&["fgetc", "getc_unlocked", "fgetc_unlocked"])
        .symbols(&[symbol("_IO_getc")])
        .input(Stream(0)),
    Function::new("fgets", 3)
        .like(&["fgets_unlocked"])
        .symbols(&[checked("__fgets_chk", &[1])])
        .accesses(&[Writes(0, StringUpTo(1))])
        .input(Stream(2)),
    Function::new("gets", 1).symbols(&[checked("__gets_chk", &[1])]).accesses(&[Writes(0, Open)]).input(Standard),
    Function::new("fread", 4)
        .like(&["fread_unlocked"])
        .symbols(&[checked("__fread_chk", &[1])])
        .accesses(&[Writes(0, Product(1, 2))])
        .input(Stream(3)),
    Function::new("read", 3)
        .symbols(&[checked("__read_chk", &[3])])
        .accesses(&[Writes(1, Argument(2))])
        .input(Descriptor(0)),
    // ---- streams and files ----
    // A buffer that is handed over is written later.
    Function::new("setbuf", 2)
        .accesses(&[Writes(1, Open)])
        .writes_elsewhere()
        .gives(Gives::Indifferent)
        .optional(&[1])
        .handle(0),
    Function::new("setvbuf", 4)
        .accesses(&[Writes(1, Argument(3))])
        .writes_elsewhere()
        .gives(Gives::Indifferent)
        .optional(&[1])
        .handle(0),
    Function::new("fopen", 2).symbols(&[symbol("fopen64")]).accesses(&[Reads(0, String), Reads(1, String)]),
    Function::new("freopen", 3)
        .symbols(&[symbol("freopen64")])
        .accesses(&[Reads(0, String), Reads(1, String)])
        .optional(&[0])
        .handle(2)
        .moves(Stream(2)),
    Function::new("fclose", 1).accesses(&[Writes(0, Open)]).handle(0).moves(Stream(0)),
    Function::new("open", 2).symbols(&[symbol("open64")]).variadic().accesses(&[Reads(0, String)]),
    Function::new("access", 2).accesses(&[Reads(0, String)]),
    Function::new("unlink", 1).accesses(&[Reads(0, String)]),
    Function::new("remove", 1).accesses(&[Reads(0, String)]),
    Function::new("rename", 2).accesses(&[Reads(0, String), Reads(1, String)]),
    Function::new("isatty", 1),
    Function::new("ungetc", 2).handle(1).moves(Stream(1)),
    Function::new("feof", 1).like(&["ferror", "fileno", "feof_unlocked", "ferror_unlocked"]).handle(0),
    Function::new("__freading", 1).like(&["__fwriting", "__fpending"]).handle(0),
    Function::new("clearerr", 1)
        .like(&["rewind", "clearerr_unlocked"])
        .gives(Gives::Indifferent)
        .handle(0)
        .moves(Stream(0)),
    Function::new("setlinebuf", 1).gives(Gives::Indifferent).handle(0),
    Function::new("fseek", 3).like(&["fseeko"]).handle(0).moves(Stream(0)),
    Function::new("ftell", 1).like(&["ftello"]).handle(0),
    Function::new("fdopen", 2).accesses(&[Reads(1, String)]),
    Function::new("popen", 2).accesses(&[Reads(0, String), Reads(1, String)]).unsettles(),
    Function::new("pclose", 1).handle(0),
    Function::new("tmpfile", 0),
];
