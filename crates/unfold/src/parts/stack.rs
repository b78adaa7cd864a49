//! The functions that are being executed.

use crate::state::Shape;
use std::rc::Rc;
use wherefore_program::{FunctionId, Program};

/// Functions being executed, and the shape of each.
pub(crate) struct Stack {
    shapes: Vec<Rc<Shape>>,
    /// Innermost last.
    running: Vec<FunctionId>,
}

impl Stack {
    pub fn new(program: &Program) -> Stack {
        Stack { shapes: program.functions.iter().map(|f| Rc::new(Shape::new(f))).collect(), running: vec![] }
    }

    /// A function is called; its shape.
    pub fn enter(&mut self, function: FunctionId) -> Rc<Shape> {
        self.running.push(function);
        Rc::clone(&self.shapes[function.index()])
    }

    pub fn leave(&mut self) {
        self.running.pop();
    }

    /// The shape of the function that is executed now.
    pub fn shape(&self) -> Option<Rc<Shape>> {
        self.running.last().map(|function| Rc::clone(&self.shapes[function.index()]))
    }

    /// How many calls are under way.
    pub fn len(&self) -> usize {
        self.running.len()
    }

    /// How many of a function.
    pub fn depth(&self, function: FunctionId) -> u32 {
        self.running.iter().filter(|f| **f == function).count() as u32
    }
}
