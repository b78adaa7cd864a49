use super::*;

fn read(line: &str) -> Arguments {
    let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    Arguments::read(&words).unwrap()
}

#[test]
fn what_is_asked_for() {
    for line in
        ["--version", "-v", "", "-E a.c", "a.c -S", "-print-search-dirs", "-c -emit-llvm a.c", "-c -x c -", "-M a.c"]
    {
        assert_eq!(read(line).job, Job::Other, "{line}");
    }
    for line in ["-c a.c", "-MD -MF a.d -MT a.o -c -o a.o a.c", "-c -x c a.txt"] {
        assert_eq!(read(line).job, Job::Compile, "{line}");
    }
    for line in ["a.c", "-o a a.o -lm", "a.o -L. -l x"] {
        assert_eq!(read(line).job, Job::Link, "{line}");
    }
}

#[test]
fn inputs_and_their_languages() {
    let arguments = read("-I include -DX=a.c b.c c.i d.S -x c e.txt -xnone f.o -Wl,-z,now -o g.c");
    let sources: Vec<_> = arguments.sources().collect();
    assert_eq!(sources, [("b.c", Kind::Source), ("c.i", Kind::Preprocessed), ("e.txt", Kind::Source)]);
    let linked: Vec<_> = arguments.all.iter().filter(|a| a.input == Some(Kind::Linked)).collect();
    assert_eq!(linked.len(), 1);
    assert_eq!(arguments.value("-o"), Some("g.c"));
    assert_eq!(read("-ofoo.o -c dir/foo.c").object_of("dir/foo.c"), PathBuf::from("foo.o"));
    assert_eq!(read("-c dir/foo.c").object_of("dir/foo.c"), PathBuf::from("foo.o"));
}

#[test]
fn files_of_arguments() {
    let directory = tempfile::tempdir().unwrap();
    let (inner, outer) = (directory.path().join("inner"), directory.path().join("outer"));
    std::fs::write(&inner, "-DNAME=\"a b\" 'x y.c'\n\\\"z\\\".c").unwrap();
    std::fs::write(&outer, format!("-c\n@{}", inner.display())).unwrap();
    let arguments = Arguments::read(&[format!("@{}", outer.display()).into()]).unwrap();
    assert_eq!(arguments.words(), ["-c", "-DNAME=a b", "x y.c", "\"z\".c"]);
    assert_eq!(arguments.job, Job::Compile);
}
