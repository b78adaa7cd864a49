/* Withdrawals from an account. */
#include <stdio.h>

int main(void)
{
    int balance = 100, amount;
    while (scanf("%d", &amount) == 1) {
        if (amount > balance) {
            printf("not enough\n"); /* CAUSE */
        }
        balance -= amount;
        printf("left %d\n", balance);
    }
    return 0;
}
