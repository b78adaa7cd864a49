use super::*;

/// The smallest file with sections: none, and the names.
fn smallest() -> Vec<u8> {
    let names = b"\0.names\0";
    let mut file = vec![0; HEADER];
    file[..6].copy_from_slice(b"\x7fELF\x02\x01");
    put(&mut file, SHOFF, 8, (HEADER + 16) as u64);
    put(&mut file, SHENTSIZE, 2, 64);
    put(&mut file, SHNUM, 2, 2);
    put(&mut file, SHSTRNDX, 2, 1);
    file.extend(names);
    pad(&mut file, 16);
    file.extend([0; SECTION_HEADER]);
    let mut header = vec![0; SECTION_HEADER];
    put(&mut header, 0, 4, 1);
    put(&mut header, KIND, 4, 3);
    put(&mut header, OFFSET, 8, HEADER as u64);
    put(&mut header, SIZE, 8, names.len() as u64);
    file.extend(header);
    file
}

#[test]
fn what_is_added_is_found_and_the_rest_stays() {
    let mut file = smallest();
    append(&mut file, ".one", b"first").unwrap();
    append(&mut file, ".two", b"").unwrap();
    append(&mut file, ".one", b"later").unwrap();
    assert_eq!(section(&file, ".one"), Ok(Some(&b"first"[..])));
    assert_eq!(section(&file, ".two"), Ok(Some(&b""[..])));
    assert_eq!(section(&file, ".three"), Ok(None));
    assert!(section(&file, ".names").unwrap().unwrap().starts_with(b"\0.names\0"));
}

#[test]
fn other_files_are_refused() {
    assert!(section(b"#!/bin/sh\n", ".one").is_err());
    assert!(append(&mut vec![], ".one", b"").is_err());
}

#[test]
fn a_damaged_file_never_panics() {
    let mut whole = smallest();
    append(&mut whole, ".one", b"first").unwrap();
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut file = whole.clone();
            file[at] = value;
            // Whatever comes of it.
            let _ = section(&file, ".one");
            let _ = append(&mut file, ".two", b"second");
        }
        let mut cut = whole[..at].to_vec();
        assert!(section(&cut, ".one").is_err());
        assert!(append(&mut cut, ".two", b"second").is_err());
    }
}
