/* Stands in for libcuda.so.1: says of some ranges that they are memory of a GPU. */
#include <stddef.h>
#include <stdint.h>

enum { RANGES = 8, HOST = 1, DEVICE = 2, MEMORY_TYPE = 2, IS_MANAGED = 8, INVALID_VALUE = 1, INVALID_CONTEXT = 201 };

static struct { uintptr_t start; size_t length; int kind; } ranges[RANGES];
static int number, asked, broken;

/* 'd': on the device, 'm': managed, 'h': pinned memory of the host, which the driver knows too. */
void standin_mark(void *start, size_t length, int kind)
{
    ranges[number].start = (uintptr_t)start;
    ranges[number].length = length;
    ranges[number++].kind = kind;
}

void standin_forget(void) { number = 0; }
void standin_breaks(int now) { broken = now; }
/* How often any function of the driver was called. */
int standin_asked(void) { return asked; }

static int find(uint64_t at)
{
    for (int i = 0; i < number; i++)
        if (at >= ranges[i].start && at < ranges[i].start + ranges[i].length)
            return i;
    return -1;
}

int cuPointerGetAttribute(void *data, int attribute, uint64_t at)
{
    int found = find(at);
    asked++;
    if (broken)
        return INVALID_CONTEXT;
    if (found < 0)
        return INVALID_VALUE;
    if (attribute == MEMORY_TYPE)
        *(unsigned *)data = ranges[found].kind == 'd' ? DEVICE : HOST;
    else if (attribute == IS_MANAGED)
        *(unsigned char *)data = ranges[found].kind == 'm';
    else
        return INVALID_VALUE;
    return 0;
}

int cuMemGetAddressRange_v2(uint64_t *start, size_t *length, uint64_t at)
{
    int found = find(at);
    asked++;
    if (found < 0)
        return INVALID_VALUE;
    *start = ranges[found].start;
    *length = ranges[found].length;
    return 0;
}
