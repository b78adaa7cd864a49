use super::*;

fn image(address: u64, words: &[u64]) -> Image {
    let content: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    Image { address, size: content.len() as u64, content: Some(content) }
}

#[test]
fn words_that_are_addresses_are_pointers() {
    let globals = [image(0x1000, &[0x2008, 7]), image(0x2000, &[0, 0, 0x400])];
    let found = pointers(&globals, &[0x300, 0x400]);
    assert_eq!(
        found,
        [(GlobalId(0), 0, Pointer::Global(GlobalId(1), 8)), (GlobalId(1), 16, Pointer::Function(FunctionId(1))),]
    );
}

#[test]
fn an_address_behind_a_global_belongs_to_it_unless_another_starts_there() {
    let alone = [image(0x1000, &[0x1008])];
    assert_eq!(pointers(&alone, &[]), [(GlobalId(0), 0, Pointer::Global(GlobalId(0), 8))]);
    let followed = [image(0x1000, &[0x1008]), image(0x1008, &[1])];
    assert_eq!(pointers(&followed, &[]), [(GlobalId(0), 0, Pointer::Global(GlobalId(1), 0))]);
}

#[test]
fn a_global_without_content_has_no_pointers_but_may_be_pointed_to() {
    let globals = [Image { address: 0x1000, size: 8, content: None }, image(0x2000, &[0x1004])];
    assert_eq!(pointers(&globals, &[0]), [(GlobalId(1), 0, Pointer::Global(GlobalId(0), 4))]);
}
