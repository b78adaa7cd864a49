//! Which program model this is: a program that was written down under another one is not read as one of these.

/// Stands for the definition of programs, and of what a recording holds for them; another definition has another number.
pub const MODEL: u64 = {
    let texts = [include_str!("command.rs"), include_str!("ctype.rs"), include_str!("lib.rs")];
    let mut number = 0xcbf2_9ce4_8422_2325u64;
    let mut n = 0;
    while n < texts.len() {
        let bytes = texts[n].as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            number = (number ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
            at += 1;
        }
        n += 1;
    }
    number
};
