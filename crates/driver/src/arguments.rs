//! Clang's arguments, as far as they say what is made of what.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What is asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Job {
    /// Objects of sources.
    Compile,
    /// An executable.
    Link,
    /// Anything else, which is clang's own affair.
    Other,
}

/// What a file among the arguments is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// C.
    Source,
    /// C, preprocessed.
    Preprocessed,
    /// Of another language.
    Foreign,
    /// An object, an archive, a library.
    Linked,
}

/// One argument with its value, if that is another word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// The words.
    pub words: Vec<String>,
    /// What it is, where it is a file.
    pub input: Option<Kind>,
}

/// A command line.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// What it asks for.
    pub job: Job,
    /// Its arguments, files of arguments put in.
    pub all: Vec<Argument>,
}

/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "--sysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xclang",
    "-Xassembler",
    "-Xpreprocessor",
    "-mllvm",
    "-target",
    "--target",
    "-T",
    "-u",
    "-z",
    "-e",
    "-B",
    "-A",
    "-b",
    "-F",
    "-arch",
    "-include-pch",
    "-ivfsoverlay",
    "-resource-dir",
    "-dumpdir",
    "-aux-info",
    "-R",
    "-framework",
    "--param",
    "-cxx-isystem",
    "-stdlib++-isystem",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-working-directory",
];

/// What makes a command line clang's own affair.
const NO_OBJECT: &[&str] = &[
    "-E",
    "-S",
    "-M",
    "-MM",
    "-###",
    "-fsyntax-only",
    "-emit-llvm",
    "-emit-ast",
    "--analyze",
    "--version",
    "--help",
    "-help",
    "-m32",
    "-mx32",
    "-nostdlib",
    "-nostartfiles",
    "-nodefaultlibs",
    "-ffreestanding",
    "-r",
    "--precompile",
];

impl Arguments {
    /// Reads a command line; nothing where it holds something that is not text.
    pub fn read(given: &[OsString]) -> Option<Arguments> {
        let words: Option<Vec<String>> = given.iter().map(|word| word.to_str().map(str::to_string)).collect();
        let mut words = expanded(words?, 0).into_iter();
        let mut all = vec![];
        let mut language: Option<String> = None;
        while let Some(word) = words.next() {
            if WITH_VALUE.contains(&word.as_str()) {
                let value = words.next();
                if word == "-x" {
                    language.clone_from(&value);
                }
                all.push(Argument { words: [Some(word), value].into_iter().flatten().collect(), input: None });
                continue;
            }
            if let Some(named) = word.strip_prefix("-x") {
                language = Some(named.to_string());
            }
            let is_input = word == "-" || !word.starts_with('-');
            let input = is_input.then(|| kind(&word, language.as_deref()));
            // Its objects are no objects: they are bitcode already.
            if !word.starts_with("-flto") {
                all.push(Argument { words: vec![word], input });
            }
        }
        let job = job(&all);
        Some(Arguments { job, all })
    }

    /// All words, as they are given to clang.
    pub fn words(&self) -> Vec<String> {
        self.all.iter().flat_map(|argument| argument.words.clone()).collect()
    }

    /// The C files, each with what it is.
    pub fn sources(&self) -> impl Iterator<Item = (&str, Kind)> {
        let source = |a: &Argument| a.input.is_some_and(|kind| matches!(kind, Kind::Source | Kind::Preprocessed));
        self.all.iter().filter(move |a| source(a)).map(|a| (a.words[0].as_str(), a.input.unwrap_or(Kind::Source)))
    }

    /// The value of an option, written in one word or in two; the last one counts.
    pub fn value(&self, option: &str) -> Option<&str> {
        self.all.iter().rev().find_map(|argument| match &argument.words[..] {
            [name, value] if name == option => Some(value.as_str()),
            [word] if argument.input.is_none() && word.len() > option.len() => word.strip_prefix(option),
            _ => None,
        })
    }

    /// Whether there is such an argument.
    pub fn has(&self, word: &str) -> bool {
        self.all.iter().any(|argument| argument.words[0] == word)
    }

    /// Whether anything is said that contains this, be it to the compiler or to the linker.
    pub fn mentions(&self, text: &str) -> bool {
        self.all.iter().any(|argument| argument.words.iter().any(|word| word.contains(text)))
    }

    /// The object that clang makes of a file.
    pub fn object_of(&self, source: &str) -> PathBuf {
        match self.value("-o") {
            Some(output) => PathBuf::from(output),
            None => Path::new(source).with_extension("o").file_name().map_or_else(PathBuf::new, PathBuf::from),
        }
    }
}

fn job(all: &[Argument]) -> Job {
    let says = |word: &str| all.iter().any(|argument| argument.words[0] == word);
    let begins =
        |with: &str| all.iter().any(|argument| argument.input.is_none() && argument.words[0].starts_with(with));
    let other = NO_OBJECT.iter().any(|word| says(word))
        || ["-dump", "-print-", "--print-", "-fsanitize=", "--target", "-target"].iter().any(|start| begins(start));
    let inputs = all.iter().filter(|argument| argument.input.is_some());
    // What is read from standard input can be read once only.
    let from_nowhere = inputs.clone().any(|argument| argument.words[0] == "-");
    if other || from_nowhere || inputs.count() == 0 {
        Job::Other
    } else if says("-c") {
        Job::Compile
    } else {
        Job::Link
    }
}

fn kind(word: &str, language: Option<&str>) -> Kind {
    match language {
        Some("c") => Kind::Source,
        Some("cpp-output") => Kind::Preprocessed,
        None | Some("none") => match Path::new(word).extension().and_then(|e| e.to_str()) {
            Some("c") => Kind::Source,
            Some("i") => Kind::Preprocessed,
            Some(
                "s" | "S" | "sx" | "asm" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "m" | "mi" | "mm"
                | "M",
            ) => Kind::Foreign,
            Some("bc" | "ll" | "h" | "hh" | "H" | "hpp" | "cu" | "f" | "F" | "f90") => Kind::Foreign,
            _ => Kind::Linked,
        },
        Some(_) => Kind::Foreign,
    }
}

/// How deep files of arguments may name each other.
const DEEPEST: usize = 16;

/// Puts the content of files of arguments (`@file`) in their place; what is no file is an argument.
fn expanded(words: Vec<String>, depth: usize) -> Vec<String> {
    let content = |word: &String| {
        let path = word.strip_prefix('@').filter(|_| depth < DEEPEST)?;
        std::fs::read_to_string(path).ok()
    };
    words
        .into_iter()
        .flat_map(|word| match content(&word) {
            Some(text) => expanded(split(&text), depth + 1),
            None => vec![word],
        })
        .collect()
}

/// Words between blanks; quotes keep blanks in, and a backslash the next character.
fn split(text: &str) -> Vec<String> {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(characters.next()),
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (_, Some(open)) if character == open => quote = None,
            (_, None) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests;
