// Merges overlapping opening hours and checks that the result is disjoint.
// run:
// fails: assertion
// class: assertion
// fixed: if (all[i].end > merged[n - 1].end) merged[n - 1].end = all[i].end;
#include <assert.h>
#include <stdio.h>

struct span {
    int begin;
    int end;
};

static void sort_spans(struct span *s, int n)
{
    for (int i = 1; i < n; i++) {
        struct span key = s[i];
        int j = i - 1;
        while (j >= 0 && s[j].begin > key.begin) {
            s[j + 1] = s[j];
            j--;
        }
        s[j + 1] = key;
    }
}

static int merge(struct span *all, int count, struct span *merged)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (n > 0 && all[i].begin <= merged[n - 1].end) {
            merged[n - 1].end = all[i].end; /* CAUSE */
        } else {
            merged[n++] = all[i];
        }
    }
    return n;
}

static int covered(const struct span *s, int n)
{
    int minutes = 0;
    for (int i = 0; i < n; i++)
        minutes += s[i].end - s[i].begin;
    return minutes;
}

int main(void)
{
    struct span hours[] = {{14, 18}, {8, 13}, {9, 11}, {17, 19}};
    struct span merged[4];
    int n;

    sort_spans(hours, 4);
    n = merge(hours, 4, merged);
    for (int i = 0; i < n; i++)
        printf("%d-%d\n", merged[i].begin, merged[i].end);
    assert(covered(merged, n) == 10); /* FAILS */
    return 0;
}
