/* What fft_loops.c offers to fft_entry.pyx. */
#ifndef LEAFWARD_FFT_LOOPS_H
#define LEAFWARD_FFT_LOOPS_H
#include <stddef.h>

enum fft_kind { COMPLEX, TO_HALF, FROM_HALF };

/* The transforms along one dim of a dense array: each of `lines` has `points` complex numbers, which are `inner` numbers apart.
 * TO_HALF makes of 2 * points real numbers the first points + 1 of their spectrum, FROM_HALF takes these back. */
typedef struct {
    ptrdiff_t points, lines, inner;
    enum fft_kind kind;
    int wide, backward, failed;
    double scale;
    const void *x;
    void *out;
    const void *turns;              /* of each pass, for p = 0, 1, ...: w^p, w^2p, w^3p as real and imaginary parts */
    const void *halves;             /* of k = 0 .. points: exp(-pi i k / points) */
    ptrdiff_t groups_each;          /* of lines, in a share */
} fft;

/* Why these kernels serve nobody here, or NULL. */
extern const char *fft_obstacle;
int fft_start(void);

/* 0, or -1 where memory is short. */
int fft_run(fft *f);
#endif
