/* Packets with a header, a small payload and a checksum. */
// run: -- 17 250 99 4 8
// fails: memory
// class: inside a struct, off by one
// memory: out-of-bounds 4 4
// fixed: for (i = 0; i < n && i < PAYLOAD; i++)
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PAYLOAD 4

typedef struct packet {
    uint8_t kind;
    uint8_t length;
    uint8_t payload[PAYLOAD];
    uint8_t checksum;
    uint8_t end;
} packet_t;

static uint8_t sum_of(const packet_t *p)
{
    uint8_t sum = p->kind ^ p->length;
    for (int i = 0; i < p->length; i++)
        sum ^= p->payload[i];
    return sum;
}

static void fill(packet_t *p, char **bytes, int n)
{
    int i;
    p->kind = 1;
    p->end = 0x7e;
    for (i = 0; i < n && i <= PAYLOAD; i++) /* CAUSE */
        p->payload[i] = (uint8_t)atoi(bytes[i]); /* FAILS */
    p->length = (uint8_t)i;
    p->checksum = sum_of(p);
}

static int intact(const packet_t *p)
{
    return p->end == 0x7e && p->checksum == sum_of(p);
}

int main(int argc, char **argv)
{
    packet_t p; /* MADE */
    fill(&p, argv + 1, argc - 1);
    printf("%u bytes, checksum %02x\n", p.length, p.checksum);
    if (!intact(&p)) {
        printf("damaged\n");
        return 1;
    }
    return 0;
}
