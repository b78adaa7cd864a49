static int hidden = 10;
extern int shared_value;
static int help(int x) { return x * hidden; }
int from_b(int x) { shared_value++; return help(x) + 1; }
