use super::*;
use wherefore_fixtures::Fixture;

#[test]
fn classes_are_those_of_the_library() {
    let source = "#include <ctype.h>\n#include <stdio.h>\nint main(void) {\n  for (int c = 0; c < 256; c++)\n    printf(\"%d%d%d%d%d%d%d%d%d%d%d%d\\n\", !!isupper(c), !!islower(c), !!isalpha(c), !!isdigit(c), !!isxdigit(c),\n           !!isspace(c), !!isprint(c), !!isgraph(c), !!isblank(c), !!iscntrl(c), !!ispunct(c), !!isalnum(c));\n  return 0;\n}\n";
    let stdout = Fixture::new(source).run(&[]).stdout;
    let lines: Vec<&str> = std::str::from_utf8(&stdout).expect("digits").lines().collect();
    assert_eq!(lines.len(), 256);
    let bits = [0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000, 0x1, 0x2, 0x4, 0x8];
    for (c, line) in lines.iter().enumerate() {
        let ours: String = bits.iter().map(|bit| if class(c as u8) & bit != 0 { '1' } else { '0' }).collect();
        assert_eq!(ours, *line, "character {c}");
    }
}
