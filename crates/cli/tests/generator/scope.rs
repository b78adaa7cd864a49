//! What is visible at a place of a program.

use super::scalar::Scalar;

/// The type of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Scalar(Scalar),
    Array(Scalar, usize),
    Struct(usize),
    Pointer(Scalar),
    StructPointer(usize),
    /// A pointer to so many scalars.
    Block(Scalar, usize),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub kind: Type,
    /// Whether the program may change it and take its address; counters of loops are left alone.
    pub free: bool,
}

/// A scalar that can be read: a variable, a member, an element, the target of a pointer.
#[derive(Clone, Debug)]
pub struct Cell {
    /// C text of it.
    pub text: String,
    pub scalar: Scalar,
    /// C text of its address, if it may be taken.
    pub address: Option<String>,
    /// Depth of the scope that the storage certainly lives in; pointers' targets live outside of the function.
    pub depth: usize,
    /// Whether the text names it without a pointer.
    pub direct: bool,
}

/// The scopes around a place, file scope first.
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    pub levels: Vec<Vec<Variable>>,
    /// Types of the members of each struct.
    pub structs: Vec<Vec<Scalar>>,
}

impl Scopes {
    /// Makes a variable visible.
    pub fn declare(&mut self, name: &str, kind: Type, free: bool) {
        let variable = Variable { name: name.to_string(), kind, free };
        self.levels.last_mut().expect("file scope is never left").push(variable);
    }

    /// The variables that names stand for, latest first, with the depth of their scopes.
    pub fn variables(&self) -> Vec<(usize, &Variable)> {
        let mut seen = std::collections::HashSet::new();
        let levels = self.levels.iter().enumerate().rev();
        levels
            .flat_map(|(depth, level)| level.iter().rev().map(move |v| (depth, v)))
            .filter(|(_, v)| seen.insert(v.name.clone()))
            .collect()
    }

    /// Every scalar that can be read.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![];
        for (depth, variable) in self.variables() {
            let name = &variable.name;
            let mut add = |text: String, scalar: Scalar, direct: bool| {
                let address = variable.free.then(|| format!("&{text}"));
                cells.push(Cell { text, scalar, address, depth, direct });
            };
            match &variable.kind {
                Type::Scalar(scalar) => add(name.clone(), *scalar, true),
                Type::Array(scalar, count) => {
                    (0..*count).for_each(|index| add(format!("{name}[{index}]"), *scalar, true));
                }
                Type::Block(scalar, count) => {
                    (0..*count).for_each(|index| add(format!("{name}[{index}]"), *scalar, false));
                }
                Type::Struct(number) => {
                    let members = self.structs[*number].iter().enumerate();
                    members.for_each(|(m, scalar)| add(format!("{name}.m{m}"), *scalar, true));
                }
                Type::Pointer(scalar) => add(format!("*{name}"), *scalar, false),
                Type::StructPointer(number) => {
                    let members = self.structs[*number].iter().enumerate();
                    members.for_each(|(m, scalar)| add(format!("{name}->m{m}"), *scalar, false));
                }
            }
        }
        cells
    }

    /// Every scalar that can be written.
    pub fn writable(&self) -> Vec<Cell> {
        self.cells().into_iter().filter(|c| c.address.is_some()).collect()
    }

    /// Whether a name can be used.
    pub fn sees(&self, name: &str) -> bool {
        self.levels.iter().flatten().any(|v| v.name == name)
    }
}
