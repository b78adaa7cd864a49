use super::*;

#[test]
fn a_program_is_the_same_in_all_years() {
    for (name, file) in [
        ("underapprox1", "underapprox_false-unreach-call1_true-termination.i"),
        ("underapprox1", "underapprox_false_1.c"),
        ("s3_srvr_1", "s3_srvr_1_false-unreach-call.cil.c"),
        ("cdaudio_simpl1", "cdaudio_simpl1_false-unreach-call_true-valid-memsafety_true-termination.cil.c"),
        ("token_ring.01", "token_ring.01_false.cil.c"),
    ] {
        assert_eq!(plain(name), plain(file));
    }
    assert_ne!(plain("s3_srvr_1"), plain("s3_srvr_11_false-unreach-call.cil.c"));
}

#[test]
fn the_tables_are_whole() {
    let mut names: Vec<String> = TABLES.iter().map(|row| plain(row.1)).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 41);
    assert!(TABLES.iter().all(|row| row.2[0] < row.2[1] && row.3[0] < row.3[1]));
}
