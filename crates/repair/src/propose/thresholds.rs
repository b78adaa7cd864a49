//! Numbers that a constant could be so that the failing tests come to stand on its other side.

/// How many numbers of each test are passed over, at most: some may have nothing to do with the constant.
const PASSED_OVER: usize = 4;

/// Smaller constants are counts and flags rather than thresholds.
const LEAST: i64 = 10;

/// Other values for a constant: from it on, upwards or downwards, the first that has passed a number of every test, the
/// second of every test, and so on, with those beside it, since a number may lie on either side of a comparison.
/// `numbers`: those that each failing test is given.
pub(super) fn thresholds(constant: i64, numbers: &[Vec<i64>]) -> Vec<i64> {
    if constant < LEAST || numbers.is_empty() {
        return vec![];
    }
    let near = |n: i64| n >= constant / 2 && n / 2 <= constant;
    let mut found = vec![];
    for upwards in [true, false] {
        let beyond = |test: &Vec<i64>| {
            let mut some: Vec<i64> =
                test.iter().copied().filter(|n| near(*n) && *n != constant && (*n > constant) == upwards).collect();
            some.sort_by_key(|n| n.abs_diff(constant));
            some.dedup();
            some
        };
        let all: Vec<Vec<i64>> = numbers.iter().map(beyond).collect();
        for place in 0..PASSED_OVER {
            let passed = all.iter().map(|test| test.get(place).copied()).collect::<Option<Vec<i64>>>();
            let farthest = passed.into_iter().flatten().max_by_key(|n| n.abs_diff(constant));
            found.extend(farthest.into_iter().flat_map(|n| [n, n.saturating_add(1), n.saturating_sub(1)]));
        }
    }
    found.retain(|n| *n != constant);
    found
}

#[cfg(test)]
mod tests {
    use super::thresholds;

    #[test]
    fn all_failing_tests_are_passed() {
        // Both fail with `x > 700` since x is between 700 and what it should be.
        assert_eq!(thresholds(700, &[vec![1, 731, 12], vec![716, 0]]), [731, 732, 730]);
        // Which number matters is not known.
        assert_eq!(thresholds(700, &[vec![710, 731]]), [710, 711, 709, 731, 732, 730]);
        assert_eq!(thresholds(700, &[vec![640, 3000], vec![690, 3000]]), [640, 641, 639]);
        assert_eq!(thresholds(700, &[vec![731], vec![3000]]), [0; 0], "nothing is near in the other test");
        assert_eq!(thresholds(1, &[vec![2, 3]]), [0; 0]);
    }
}
