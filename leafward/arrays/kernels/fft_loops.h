/* What fft_loops.c offers to fft_entry.pyx. */
#ifndef LEAFWARD_FFT_LOOPS_H
#define LEAFWARD_FFT_LOOPS_H
#include <stddef.h>
#include <stdint.h>

/* A line is made of `points` complex numbers, or of reals: TO_HALF makes the first half of their spectrum, TO_WHOLE all of it,
 * and FROM_HALF takes the half back. */
enum fft_kind { COMPLEX, TO_HALF, TO_WHOLE, FROM_HALF };

/* The longest prime that a length may have as a factor. */
enum { LONGEST_PRIME = 31 };

/* The transforms along one dim of a dense array: each of `lines` has `size` numbers of the signal, which are `inner` apart.
 * An even number of reals is transformed as half as many pairs, `points`; otherwise these are as many as `size`. */
typedef struct {
    ptrdiff_t size, points, lines, inner;
    enum fft_kind kind;
    int wide, backward, failed;
    double scale;
    const void *x;
    void *out;
    const void *turns;              /* of each pass, as fft.py's tables say */
    const void *halves;             /* of k = 0 .. points: exp(-pi i k / points) */
    ptrdiff_t groups_each;          /* of lines, in a share */
} fft;

/* The number of parts that the next pass takes n points apart into. fft.py's tables have the same order. */
static inline ptrdiff_t next_radix(ptrdiff_t n)
{
    if (n % 4 == 0) return 4;
    for (ptrdiff_t p = 3; p <= LONGEST_PRIME; p += 2)
        if (n % p == 0) return p;
    return 2;
}

/* Why these kernels serve nobody here, or NULL. */
extern const char *fft_obstacle;
int fft_start(void);

/* 0, or -1 where memory is short. */
int fft_run(fft *f);

/* Whether `count` numbers, of float64 or float32, have neither infinities nor NaNs among them. */
static inline int are_finite(const void *x, ptrdiff_t count, int wide)
{
    uint64_t wide_limit = 0x7ff0000000000000u, found = 0;
    uint32_t limit = 0x7f800000u, found_short = 0;
    if (wide)
        for (ptrdiff_t j = 0; j < count; j++) found |= (((const uint64_t *)x)[j] & wide_limit) == wide_limit;
    else
        for (ptrdiff_t j = 0; j < count; j++) found_short |= (((const uint32_t *)x)[j] & limit) == limit;
    return !(found || found_short);
}
#endif
