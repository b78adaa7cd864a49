//! A row of the table.

/// A function of the library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name in C; models of it go by this name.
    pub name: &'static str,
    /// Functions that do the same with the same arguments, or the same for another width of them.
    pub synonyms: &'static [&'static str],
    /// Symbols that stand for it in compiled programs although nobody writes them.
    pub symbols: &'static [Symbol],
    /// LLVM's name for it where clang makes an operation of a call.
    pub intrinsic: Option<&'static str>,
    /// How many arguments it has, those of `...` apart.
    pub arguments: usize,
    /// Whether more may follow.
    pub variadic: bool,
    /// How it ends the program, if it never comes back.
    pub ends: Option<Ending>,
    /// Whether it never comes back to its caller although the program goes on.
    pub jumps: bool,
    /// What it does with a condition, its first argument.
    pub judges: Option<Judge>,
    /// The object that it makes.
    pub allocates: Option<Allocation>,
    /// The argument that points to an object which is gone after the call.
    pub frees: Option<usize>,
    /// What it reads and writes through its arguments, those of a format apart.
    pub accesses: &'static [Access],
    /// Whether what it writes must not overlap with what it reads.
    pub apart: bool,
    /// Pointers of these that may be null: nothing is accessed then.
    pub optional: &'static [usize],
    /// The argument that points to an object which only the library knows, where nothing else says that it is used.
    pub handle: Option<usize>,
    /// Whether it writes memory of the program that it was not given in this call.
    pub writes_elsewhere: bool,
    /// The argument that says what further arguments are.
    pub format: Option<Format>,
    /// Where it reads from.
    pub reads_input: Option<Channel>,
    /// Where it writes to.
    pub writes_output: Option<Channel>,
    /// Functions of the program that it calls.
    pub calls_back: Option<Callback>,
    /// What it puts elsewhere, takes back to before its end or replaces, so that more can be read.
    pub moves: Option<Channel>,
    /// Whether something else may end or change the program after it: a signal, a limit, another thread or process.
    pub unsettles: bool,
    /// Whether its result is another in every run.
    pub nondeterministic: bool,
    /// What its result depends on.
    pub gives: Gives,
    /// Whether the compiler has code of its own for it, or knows that it does not return in the usual way.
    pub builtin: bool,
}

/// A symbol for a function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The symbol.
    pub name: &'static str,
    /// Arguments that it has in addition, by their numbers in a call of it.
    pub extra: &'static [usize],
}

/// How a function ends the program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With the exit status that an argument has.
    Status(usize),
    /// Because an assertion does not hold.
    Assertion,
    /// By a signal that it sends itself.
    Abort,
    /// It stands for the failure that a verifier is to find.
    Error,
}

impl Ending {
    /// Whether a run that ends so has failed, whatever its status is.
    pub fn is_failure(self) -> bool {
        !matches!(self, Ending::Status(_))
    }
}

/// What becomes of a run in which a condition does not hold.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Judge {
    /// It has failed.
    Asserts,
    /// It does not count.
    Assumes,
}

/// An object that a function makes, and returns the address of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// Its size.
    pub size: Extent,
    /// Whether it is filled with zeros.
    pub zeroed: bool,
    /// Whether it is gone with the function that asked for it.
    pub on_stack: bool,
}

/// A number of bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// So many.
    Fixed(u64),
    /// As many as an argument says.
    Argument(usize),
    /// The product of two arguments.
    Product(usize, usize),
    /// A string, with its zero byte.
    String,
    /// As many as the string that an argument points to has, with its zero byte.
    StringOf(usize),
    /// A string, or the part of it that an argument gives room for.
    StringUpTo(usize),
    /// The text that a format and its arguments make, with its zero byte.
    Formatted(usize),
    /// What the function finds to read.
    Open,
}

/// An access through an argument.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Access {
    /// Memory is read.
    Reads(usize, Extent),
    /// Memory is written.
    Writes(usize, Extent),
}

impl Access {
    /// The argument that is the pointer.
    pub fn through(self) -> usize {
        match self {
            Access::Reads(argument, _) | Access::Writes(argument, _) => argument,
        }
    }

    /// How much is accessed.
    pub fn extent(self) -> Extent {
        match self {
            Access::Reads(_, extent) | Access::Writes(_, extent) => extent,
        }
    }
}

/// An argument that is a format for the arguments after the last that has a name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// See [`crate::print`].
    Print(usize),
    /// See [`crate::scan`]: all are written through.
    Scan(usize),
}

/// Where input comes from and output goes to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Channel {
    /// Standard input or output.
    Standard,
    /// The standard error output.
    Error,
    /// The stream that an argument points to.
    Stream(usize),
    /// The file descriptor that an argument is.
    Descriptor(usize),
}

/// When a function of the program is called, and the argument that points to it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Callback {
    /// Before the call returns.
    Now(usize),
    /// Some time after it.
    Later(usize),
    /// At the same time as what comes after it.
    Thread(usize),
}

/// What a result depends on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Gives {
    /// Anything.
    Anything,
    /// Nothing that another input could change, or that anybody looks at.
    Indifferent,
    /// The values of the arguments alone.
    OfValues,
    /// The value of one argument that has few.
    OfACharacter,
    /// The arguments and what they point to.
    OfMemory,
    /// The integer that stands in the text which the first argument points to.
    Number,
    /// A table about characters, the same in every run.
    Table,
}

impl Function {
    /// Whether it writes no memory of the program, lets nothing of the program run and makes or frees no object; `%n`
    /// apart, which writes.
    pub fn only_reads(&self) -> bool {
        let writes = self.accesses.iter().any(|access| matches!(access, Access::Writes(..)));
        let scans = matches!(self.format, Some(Format::Scan(_)));
        !writes
            && !scans
            && !self.writes_elsewhere
            && self.calls_back.is_none()
            && self.allocates.is_none()
            && self.frees.is_none()
    }

    /// Whether it may write what an argument points to, or end its life.
    pub fn may_change(&self, argument: usize) -> bool {
        let mut known = self.accesses.iter().filter(|a| a.through() == argument).peekable();
        let only_reads = known.peek().is_some() && known.all(|a| matches!(a, Access::Reads(..)));
        !only_reads || self.frees == Some(argument) || self.writes_elsewhere || self.calls_back.is_some()
    }

    /// Whether nothing happens but that its result is found.
    pub fn is_pure(&self) -> bool {
        let finds = matches!(
            self.gives,
            Gives::OfValues | Gives::OfACharacter | Gives::OfMemory | Gives::Number | Gives::Table
        );
        finds && self.only_reads() && self.writes_output.is_none() && self.reads_input.is_none()
    }

    /// What it writes through its arguments comes from outside the program: where that is. The arguments of a format
    /// are written through in addition.
    pub fn input_places(&self) -> impl Iterator<Item = (usize, Extent)> + use<> {
        let from_outside = self.reads_input.is_some() || self.nondeterministic;
        self.accesses.iter().filter_map(move |access| match access {
            Access::Writes(argument, extent) if from_outside => Some((*argument, *extent)),
            _ => None,
        })
    }

    /// The first of the arguments that a format tells how to write through with input.
    pub fn scanned_from(&self) -> Option<usize> {
        let scans = matches!(self.format, Some(Format::Scan(_)));
        (scans && self.reads_input.is_some()).then_some(self.arguments)
    }

    /// Whether it writes what it is given to where standard output may be.
    pub fn prints(&self) -> bool {
        match self.writes_output {
            Some(Channel::Standard) => true,
            // `fflush` is given nothing else.
            Some(Channel::Stream(_) | Channel::Descriptor(_)) => self.arguments > 1,
            Some(Channel::Error) | None => false,
        }
    }

    /// The arguments that point to streams and other objects of the library, which it uses.
    pub fn handles(&self) -> impl Iterator<Item = usize> + use<> {
        let stream = |channel: Option<Channel>| match channel {
            Some(Channel::Stream(argument)) => Some(argument),
            _ => None,
        };
        let optional = self.optional;
        let all = [self.handle, stream(self.reads_input), stream(self.writes_output)];
        all.into_iter().flatten().filter(move |argument| !optional.contains(argument))
    }

    /// Whether it does nothing but to read and write what its arguments point to.
    pub fn works_on_memory(&self) -> bool {
        let outside = self.reads_input.is_some() || self.writes_output.is_some() || self.handle.is_some();
        !outside
            && !self.writes_elsewhere
            && self.calls_back.is_none()
            && self.allocates.is_none()
            && self.frees.is_none()
    }

    /// The argument that is the stream which it writes to.
    pub fn output_stream(&self) -> Option<usize> {
        match self.writes_output? {
            Channel::Stream(argument) => Some(argument),
            Channel::Standard | Channel::Error | Channel::Descriptor(_) => None,
        }
    }
}

/// How rows are written.
impl Function {
    pub(crate) const fn new(name: &'static str, arguments: usize) -> Function {
        Function {
            name,
            synonyms: &[],
            symbols: &[],
            intrinsic: None,
            arguments,
            variadic: false,
            ends: None,
            judges: None,
            allocates: None,
            frees: None,
            accesses: &[],
            apart: false,
            optional: &[],
            handle: None,
            jumps: false,
            writes_elsewhere: false,
            format: None,
            reads_input: None,
            writes_output: None,
            calls_back: None,
            moves: None,
            unsettles: false,
            nondeterministic: false,
            gives: Gives::Anything,
            builtin: false,
        }
    }

    pub(crate) const fn like(mut self, synonyms: &'static [&'static str]) -> Function {
        self.synonyms = synonyms;
        self
    }

    pub(crate) const fn symbols(mut self, symbols: &'static [Symbol]) -> Function {
        self.symbols = symbols;
        self
    }

    pub(crate) const fn intrinsic(mut self, name: &'static str) -> Function {
        self.intrinsic = Some(name);
        self
    }

    pub(crate) const fn ends(mut self, how: Ending) -> Function {
        self.ends = Some(how);
        self.gives = Gives::Indifferent;
        self
    }

    pub(crate) const fn judges(mut self, how: Judge) -> Function {
        self.judges = Some(how);
        self.gives = Gives::Indifferent;
        self
    }

    pub(crate) const fn allocates(mut self, size: Extent) -> Function {
        self.allocates = Some(Allocation { size, zeroed: false, on_stack: false });
        self.gives = Gives::Indifferent;
        self
    }

    pub(crate) const fn allocates_zeros(mut self, size: Extent) -> Function {
        self.allocates = Some(Allocation { size, zeroed: true, on_stack: false });
        self.gives = Gives::Indifferent;
        self
    }

    pub(crate) const fn allocates_on_stack(mut self, size: Extent) -> Function {
        self.allocates = Some(Allocation { size, zeroed: false, on_stack: true });
        self.gives = Gives::Indifferent;
        self
    }

    pub(crate) const fn frees(mut self, argument: usize) -> Function {
        self.frees = Some(argument);
        self.gives = Gives::Indifferent;
        self
    }

    pub(crate) const fn accesses(mut self, accesses: &'static [Access]) -> Function {
        self.accesses = accesses;
        self
    }

    pub(crate) const fn apart(mut self) -> Function {
        self.apart = true;
        self
    }

    pub(crate) const fn optional(mut self, arguments: &'static [usize]) -> Function {
        self.optional = arguments;
        self
    }

    pub(crate) const fn handle(mut self, argument: usize) -> Function {
        self.handle = Some(argument);
        self
    }

    pub(crate) const fn jumps(mut self) -> Function {
        self.jumps = true;
        self
    }

    pub(crate) const fn writes_elsewhere(mut self) -> Function {
        self.writes_elsewhere = true;
        self
    }

    pub(crate) const fn prints_by(mut self, argument: usize) -> Function {
        self.format = Some(Format::Print(argument));
        self.variadic = true;
        self
    }

    pub(crate) const fn scans_by(mut self, argument: usize) -> Function {
        self.format = Some(Format::Scan(argument));
        self.variadic = true;
        self
    }

    pub(crate) const fn variadic(mut self) -> Function {
        self.variadic = true;
        self
    }

    pub(crate) const fn input(mut self, from: Channel) -> Function {
        self.reads_input = Some(from);
        self
    }

    pub(crate) const fn output(mut self, to: Channel) -> Function {
        self.writes_output = Some(to);
        self.gives = Gives::Indifferent;
        self
    }

    pub(crate) const fn calls_back(mut self, when: Callback) -> Function {
        self.calls_back = Some(when);
        self
    }

    pub(crate) const fn moves(mut self, what: Channel) -> Function {
        self.moves = Some(what);
        self
    }

    pub(crate) const fn unsettles(mut self) -> Function {
        self.unsettles = true;
        self
    }

    pub(crate) const fn nondeterministic(mut self) -> Function {
        self.nondeterministic = true;
        self
    }

    pub(crate) const fn gives(mut self, gives: Gives) -> Function {
        self.gives = gives;
        self
    }

    pub(crate) const fn builtin(mut self) -> Function {
        self.builtin = true;
        self
    }
}

/// A symbol with the same arguments.
pub(crate) const fn symbol(name: &'static str) -> Symbol {
    Symbol { name, extra: &[] }
}

/// A symbol that has arguments in addition: those that fortified functions check sizes with.
pub(crate) const fn checked(name: &'static str, extra: &'static [usize]) -> Symbol {
    Symbol { name, extra }
}
