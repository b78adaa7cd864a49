//! An owned Z3 context, and the handles that live in it.

use std::ffi::{CStr, CString};

use z3_sys::*;

use crate::answer::Reason;

/// One Z3 context.
///
/// Made by `Z3_mk_context`, in which terms live as long as the context: a solver's terms are needed until its end, so
/// nothing is gained by counting references to each.
pub(super) struct Context {
    raw: Z3_context,
}

// A context has no tie to a thread; `&mut` access through its owner keeps two threads from using it at once. The one
// exception, `Z3_interrupt`, is made for other threads.
unsafe impl Send for Context {}

/// The context as seen by an interrupter.
#[derive(Copy, Clone)]
pub(super) struct InterruptHandle(Z3_context);

// `Z3_interrupt` may be called from any thread.
unsafe impl Send for InterruptHandle {}

impl InterruptHandle {
    /// Stops what the context is computing, if anything.
    ///
    /// # Safety
    /// The context must still exist.
    pub(super) unsafe fn interrupt(self) {
        unsafe { Z3_interrupt(self.0) };
    }
}

/// Calls a function of the C API that gives a handle, or an error in its place.
macro_rules! call {
    ($context:expr, $function:ident $(, $argument:expr)* $(,)?) => {
        // SAFETY: all handles passed come from this very context, which is alive.
        unsafe { $function($context.raw() $(, $argument)*) }.ok_or_else(|| $context.error())
    };
}
pub(super) use call;

impl Context {
    pub(super) fn new() -> Result<Context, Reason> {
        // SAFETY: the configuration is deleted exactly once, after its use.
        let raw = unsafe {
            let config = Z3_mk_config().ok_or(Reason::Memory)?;
            let raw = Z3_mk_context(config);
            Z3_del_config(config);
            raw.ok_or(Reason::Memory)?
        };
        // Without a handler of its own Z3 ends the process on an error; here errors are looked at after each call.
        unsafe { Z3_set_error_handler(raw, None) };
        Ok(Context { raw })
    }

    pub(super) fn raw(&self) -> Z3_context {
        self.raw
    }

    pub(super) fn interrupt_handle(&self) -> InterruptHandle {
        InterruptHandle(self.raw)
    }

    /// Why the last call failed.
    pub(super) fn error(&self) -> Reason {
        // SAFETY: the message is copied before another call can overwrite it.
        let (code, message) = unsafe {
            let code = Z3_get_error_code(self.raw);
            (code, Z3_get_error_msg(self.raw, code))
        };
        let text = self.text(message);
        match is_about_memory(&text) {
            true => Reason::Memory,
            false => Reason::Other(format!("Z3: {text} ({code:?})")),
        }
    }

    /// Whether any call since the last look has failed, for calls that give nothing back.
    pub(super) fn check_error(&self) -> Result<(), Reason> {
        match unsafe { Z3_get_error_code(self.raw) } {
            ErrorCode::Ok => Ok(()),
            _ => Err(self.error()),
        }
    }

    /// A copy of a string that Z3 owns.
    pub(super) fn text(&self, string: Z3_string) -> String {
        if string.is_null() {
            return String::new();
        }
        // SAFETY: Z3's strings end with a zero and live until the next call.
        unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
    }

    pub(super) fn symbol(&self, name: &str) -> Result<Z3_symbol, Reason> {
        let name = CString::new(name).map_err(|error| Reason::Other(error.to_string()))?;
        call!(self, Z3_mk_string_symbol, name.as_ptr())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        unsafe { Z3_del_context(self.raw) };
    }
}

pub(super) fn is_about_memory(text: &str) -> bool {
    text.contains("memory") || text.contains("memout")
}
