//! Which lines use what a declaration declares: a wrong type or length shows there.

use crate::unit::declared_name;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::{SourceText, syntax};

/// The declarations of a file with the lines that use them.
#[derive(Default)]
pub struct Users {
    declared: Vec<(Range<usize>, Vec<u32>)>,
}

impl Users {
    /// Looks for them.
    pub fn new(source: &SourceText) -> Users {
        let Some(tree) = source.tree() else { return Users::default() };
        let text = source.as_str();
        let mut named: Vec<(&str, usize)> = vec![];
        let mut declarations = vec![];
        let mut work = vec![(tree.root_node(), tree.root_node().byte_range())];
        while let Some((node, function)) = work.pop() {
            let function = if node.kind() == "function_definition" { node.byte_range() } else { function };
            match node.kind() {
                "identifier" | "field_identifier" => named.push((&text[node.byte_range()], node.start_byte())),
                "declaration" | "field_declaration" => declarations.push((node, function.clone())),
                _ => {}
            }
            work.extend(syntax::named_children(node).into_iter().map(|child| (child, function.clone())));
        }
        let of = |(node, function): (Node, Range<usize>)| {
            let mut cursor = node.walk();
            let declarators = node.children_by_field_name("declarator", &mut cursor);
            let names: Vec<&str> = declarators.filter_map(declared_name).map(|n| &text[n.byte_range()]).collect();
            let is_use = |at: usize| function.contains(&at) && !node.byte_range().contains(&at);
            let uses = named.iter().filter(|(name, at)| names.contains(name) && is_use(*at));
            (node.byte_range(), uses.map(|(_, at)| source.extent(*at..*at + 1).line).collect())
        };
        Users { declared: declarations.into_iter().map(of).collect() }
    }

    /// The lines that use what the declaration around a byte declares; none where there is no declaration.
    pub fn of(&self, at: usize) -> &[u32] {
        let around = self.declared.iter().filter(|(range, _)| range.contains(&at));
        around.min_by_key(|(range, _)| range.len()).map_or(&[], |(_, lines)| lines)
    }
}

#[cfg(test)]
mod tests {
    use super::Users;
    use wherefore_source::SourceText;

    #[test]
    fn a_declaration_is_used_in_its_function_or_anywhere() {
        let text = "struct s {\n    int total;\n};\nint f(struct s *s) {\n    char n[2];\n    return s->total + n[0];\n}\nint g(int n) {\n    return n;\n}\n";
        let users = Users::new(&SourceText::new("p.c".into(), text.into()));
        let of = |what: &str| users.of(text.find(what).expect("it is there")).to_vec();
        assert_eq!(of("int total"), [6]);
        assert_eq!(of("2];"), [6], "not what has the same name in another function");
        assert_eq!(of("return n"), [0; 0]);
    }
}
