#define CAPACITY 4
struct stack { int items[CAPACITY]; int top; };
void push(struct stack *s, int item);
int pop(struct stack *s);
