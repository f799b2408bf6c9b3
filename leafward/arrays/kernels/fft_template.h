/* Fourier transforms for one target and float type. Number j of the line in lane l has its real part in lanes[2 * j * LANES + l],
 * and the imaginary one LANES further on. A backward transform is a forward one of numbers whose parts have changed places. */
#include "turn.h"

/* Radix 4: each point of y is made of four of x, which are m * s apart (Stockham's order, which needs no reversal of bits). */
static void NAME(pass_of_four)(const VECTOR *x, VECTOR *y, ptrdiff_t m, ptrdiff_t s, const REAL *turn, int re, int im)
{
    ptrdiff_t apart = 2 * m * s, step = 2 * s;
    for (ptrdiff_t p = 0; p < m; p++, turn += 6)
        for (ptrdiff_t k = 0; k < step; k += 2) {
            const VECTOR *v = x + p * step + k;
            VECTOR *to = y + 4 * p * step + k;
            VECTOR ar = v[re], br = v[apart + re], cr = v[2 * apart + re], dr = v[3 * apart + re];
            VECTOR ai = v[im], bi = v[apart + im], ci = v[2 * apart + im], di = v[3 * apart + im];
            VECTOR even_r = ar + cr, even_i = ai + ci, odd_r = br + dr, odd_i = bi + di;
            VECTOR left_r = ar - cr, left_i = ai - ci, right_r = br - dr, right_i = bi - di;
            VECTOR r1 = left_r + right_i, i1 = left_i - right_r, r2 = even_r - odd_r, i2 = even_i - odd_i;
            VECTOR r3 = left_r - right_i, i3 = left_i + right_r;
            to[re] = even_r + odd_r;
            to[im] = even_i + odd_i;
            to[step + re] = r1 * turn[0] - i1 * turn[1];
            to[step + im] = r1 * turn[1] + i1 * turn[0];
            to[2 * step + re] = r2 * turn[2] - i2 * turn[3];
            to[2 * step + im] = r2 * turn[3] + i2 * turn[2];
            to[3 * step + re] = r3 * turn[4] - i3 * turn[5];
            to[3 * step + im] = r3 * turn[5] + i3 * turn[4];
        }
}

/* An odd prime radix: points of equal distance from both ends share their cosines, and their sines but for the sign. */
static inline __attribute__((always_inline)) void NAME(pass_of)(int prime, const VECTOR *x, VECTOR *y, ptrdiff_t m, ptrdiff_t s,
                                                                const REAL *turn, int re, int im)
{
    ptrdiff_t apart = 2 * m * s, step = 2 * s;
    const REAL *root = turn;
    turn += 2 * prime;
    for (ptrdiff_t p = 0; p < m; p++, turn += 2 * (prime - 1))
        for (ptrdiff_t k = 0; k < step; k += 2) {
            const VECTOR *v = x + p * step + k;
            VECTOR *to = y + prime * p * step + k;
            VECTOR sum_r[LONGEST_PRIME / 2], sum_i[LONGEST_PRIME / 2], gap_r[LONGEST_PRIME / 2], gap_i[LONGEST_PRIME / 2];
            VECTOR ar = v[re], ai = v[im], all_r = ar, all_i = ai;
            for (int j = 0; j < prime / 2; j++) {
                const VECTOR *b = v + (j + 1) * apart, *c = v + (prime - 1 - j) * apart;
                sum_r[j] = b[re] + c[re], gap_r[j] = b[re] - c[re];
                sum_i[j] = b[im] + c[im], gap_i[j] = b[im] - c[im];
                all_r += sum_r[j];
                all_i += sum_i[j];
            }
            to[re] = all_r;
            to[im] = all_i;
            for (int q = 1; q <= prime / 2; q++) {
                VECTOR even_r = ar, even_i = ai, odd_r = ar - ar, odd_i = odd_r;
                for (int j = 0, at = q; j < prime / 2; j++, at = at + q < prime ? at + q : at + q - prime) {
                    even_r += sum_r[j] * root[2 * at];
                    even_i += sum_i[j] * root[2 * at];
                    odd_r += gap_i[j] * root[2 * at + 1];
                    odd_i -= gap_r[j] * root[2 * at + 1];
                }
                VECTOR r = even_r + odd_r, i = even_i + odd_i;
                const REAL *t = turn + 2 * (q - 1);
                to[q * step + re] = r * t[0] - i * t[1];
                to[q * step + im] = r * t[1] + i * t[0];
                r = even_r - odd_r, i = even_i - odd_i;
                t = turn + 2 * (prime - q - 1);
                to[(prime - q) * step + re] = r * t[0] - i * t[1];
                to[(prime - q) * step + im] = r * t[1] + i * t[0];
            }
        }
}

static void NAME(pass_of_three)(const VECTOR *x, VECTOR *y, ptrdiff_t m, ptrdiff_t s, const REAL *turn, int re, int im)
{
    NAME(pass_of)(3, x, y, m, s, turn, re, im);
}

static void NAME(pass_of_five)(const VECTOR *x, VECTOR *y, ptrdiff_t m, ptrdiff_t s, const REAL *turn, int re, int im)
{
    NAME(pass_of)(5, x, y, m, s, turn, re, im);
}

static void NAME(pass_of_prime)(int prime, const VECTOR *x, VECTOR *y, ptrdiff_t m, ptrdiff_t s, const REAL *turn, int re, int im)
{
    NAME(pass_of)(prime, x, y, m, s, turn, re, im);
}

/* The last pass of a length that has one factor of two left. */
static void NAME(pass_of_two)(const VECTOR *x, VECTOR *y, ptrdiff_t s)
{
    for (ptrdiff_t k = 0; k < 2 * s; k++) {
        VECTOR a = x[k], b = x[k + 2 * s];
        y[k] = a + b;
        y[k + 2 * s] = a - b;
    }
}

/* Transforms the numbers in `a`; the result is in whichever of the two is returned. */
static REAL *NAME(transformed)(REAL *a, REAL *b, ptrdiff_t points, int backward, const REAL *turn)
{
    int re = backward, im = !backward;
    for (ptrdiff_t n = points, s = 1; n > 1;) {
        ptrdiff_t radix = next_radix(n), m = n / radix;
        const VECTOR *x = (const VECTOR *)a;
        VECTOR *y = (VECTOR *)b;
        if (radix == 4) NAME(pass_of_four)(x, y, m, s, turn, re, im);
        else if (radix == 2) NAME(pass_of_two)(x, y, s);
        else if (radix == 3) NAME(pass_of_three)(x, y, m, s, turn, re, im);
        else if (radix == 5) NAME(pass_of_five)(x, y, m, s, turn, re, im);
        else NAME(pass_of_prime)((int)radix, x, y, m, s, turn, re, im);
        turn += radix == 2 ? 0 : 2 * (radix - 1) * m + (radix == 4 ? 0 : 2 * radix);
        s *= radix;
        n = m;
        REAL *swapped = a;
        a = b;
        b = swapped;
    }
    return a;
}

/* Up to LANES lines of an array: the first at `data`, those that do not follow each other found one by one. */
typedef struct {
    ptrdiff_t first, count, inner, size, width;     /* size: numbers in a line; width: REALs in a number */
    int beside;                                     /* whether they lie side by side, so that one stretch has a number of each */
} NAME(lines);

static inline ptrdiff_t NAME(start)(const NAME(lines) *g, ptrdiff_t l)
{
    ptrdiff_t line = g->first + l;
    return (line / g->inner * g->inner * g->size + line % g->inner) * g->width;
}

static NAME(lines) NAME(group)(const fft *f, ptrdiff_t first, ptrdiff_t size, ptrdiff_t width)
{
    NAME(lines) g = {first, f->lines - first < LANES ? f->lines - first : LANES, f->inner, size, width, 0};
    g.beside = g.count == LANES && first % f->inner + LANES <= f->inner;
    return g;
}

/* `count` reals of each line to lanes, `step` REALs apart. */
static void NAME(bring_reals)(const NAME(lines) *g, const REAL *x, ptrdiff_t count, REAL *lanes, ptrdiff_t step)
{
    if (g->inner == 1) NAME(turn_matrix)(x + g->first * g->size, g->size, g->count, count, lanes, step);
    else if (g->beside)
        for (ptrdiff_t j = 0; j < count; j++) memcpy(lanes + j * step, x + NAME(start)(g, 0) + j * g->inner, sizeof(VECTOR));
    else
        for (ptrdiff_t l = 0; l < g->count; l++)
            for (ptrdiff_t j = 0; j < count; j++) lanes[j * step + l] = x[NAME(start)(g, l) + j * g->inner];
}

static void NAME(give_reals)(const NAME(lines) *g, REAL *x, ptrdiff_t count, const REAL *lanes, ptrdiff_t step)
{
    if (g->inner == 1) NAME(turn_matrix)(lanes, step, count, g->count, x + g->first * g->size, g->size);
    else if (g->beside)
        for (ptrdiff_t j = 0; j < count; j++) memcpy(x + NAME(start)(g, 0) + j * g->inner, lanes + j * step, sizeof(VECTOR));
    else
        for (ptrdiff_t l = 0; l < g->count; l++)
            for (ptrdiff_t j = 0; j < count; j++) x[NAME(start)(g, l) + j * g->inner] = lanes[j * step + l];
}

/* `count` complex numbers of each line to lanes. */
static void NAME(bring)(const NAME(lines) *g, const REAL *x, ptrdiff_t count, REAL *lanes)
{
    if (g->inner == 1) NAME(turn_matrix)(x + 2 * g->first * g->size, 2 * g->size, g->count, 2 * count, lanes, LANES);
    else if (g->beside)
        for (ptrdiff_t j = 0; j < count; j++) {
            const REAL *from = x + NAME(start)(g, 0) + 2 * j * g->inner;
            REAL *to = lanes + 2 * j * LANES;
            for (ptrdiff_t l = 0; l < LANES; l++) to[l] = from[2 * l], to[LANES + l] = from[2 * l + 1];
        }
    else
        for (ptrdiff_t l = 0; l < g->count; l++)
            for (ptrdiff_t j = 0; j < count; j++) {
                const REAL *from = x + NAME(start)(g, l) + 2 * j * g->inner;
                lanes[2 * j * LANES + l] = from[0], lanes[(2 * j + 1) * LANES + l] = from[1];
            }
}

static void NAME(give)(const NAME(lines) *g, REAL *x, ptrdiff_t count, const REAL *lanes)
{
    if (g->inner == 1) NAME(turn_matrix)(lanes, LANES, 2 * count, g->count, x + 2 * g->first * g->size, 2 * g->size);
    else if (g->beside)
        for (ptrdiff_t j = 0; j < count; j++) {
            REAL *to = x + NAME(start)(g, 0) + 2 * j * g->inner;
            const REAL *from = lanes + 2 * j * LANES;
            for (ptrdiff_t l = 0; l < LANES; l++) to[2 * l] = from[l], to[2 * l + 1] = from[LANES + l];
        }
    else
        for (ptrdiff_t l = 0; l < g->count; l++)
            for (ptrdiff_t j = 0; j < count; j++) {
                REAL *to = x + NAME(start)(g, l) + 2 * j * g->inner;
                to[0] = lanes[2 * j * LANES + l], to[1] = lanes[(2 * j + 1) * LANES + l];
            }
}

/* Of z[j] = x[2 j] + i x[2 j + 1], transformed, the spectrum of x: from `points` numbers in `a` to one more in `b`. */
static void NAME(untangle)(const REAL *a, REAL *b, ptrdiff_t points, const REAL *half)
{
    for (ptrdiff_t k = 0; k <= points; k++) {
        const VECTOR *z = (const VECTOR *)a + 2 * (k % points), *w = (const VECTOR *)a + 2 * ((points - k) % points);
        VECTOR even_r = z[0] + w[0], even_i = z[1] - w[1], odd_r = z[1] + w[1], odd_i = w[0] - z[0];
        REAL c = half[2 * k] * (REAL)0.5, d = half[2 * k + 1] * (REAL)0.5;
        VECTOR *to = (VECTOR *)b + 2 * k;
        to[0] = even_r * (REAL)0.5 + odd_r * c - odd_i * d;
        to[1] = even_i * (REAL)0.5 + odd_r * d + odd_i * c;
    }
}

/* What a real signal's spectrum cannot have, the imaginary parts of the first number, and of the one in the middle, is left out. */
static void NAME(make_real)(REAL *number)
{
    for (ptrdiff_t l = 0; l < LANES; l++) number[LANES + l] = 0;
}

/* The reverse, without the halving. */
static void NAME(tangle)(REAL *a, REAL *b, ptrdiff_t points, const REAL *half)
{
    NAME(make_real)(a);
    NAME(make_real)(a + 2 * points * LANES);
    for (ptrdiff_t k = 0; k < points; k++) {
        const VECTOR *x = (const VECTOR *)a + 2 * k, *y = (const VECTOR *)a + 2 * (points - k);
        VECTOR odd_r = x[0] - y[0], odd_i = x[1] + y[1], *to = (VECTOR *)b + 2 * k;
        REAL c = half[2 * k], d = -half[2 * k + 1];
        to[0] = x[0] + y[0] - (odd_r * d + odd_i * c);
        to[1] = x[1] - y[1] + (odd_r * c - odd_i * d);
    }
}

/* The numbers that mirror those from 1 to `last`, behind: number size - k is the conjugate of number k. */
static void NAME(mirror)(REAL *a, ptrdiff_t size, ptrdiff_t last)
{
    VECTOR *v = (VECTOR *)a;
    for (ptrdiff_t k = 1; k <= last; k++) {
        v[2 * (size - k)] = v[2 * k];
        v[2 * (size - k) + 1] = -v[2 * k + 1];
    }
}

static ptrdiff_t NAME(lanes)(void) { return LANES; }

/* One group of lines, in the memory of `a` and `b`. */
static void NAME(transform_group)(const fft *f, ptrdiff_t first, REAL *a, REAL *b)
{
    ptrdiff_t n = f->points, size = f->size, half = size / 2 + 1;
    int paired = n != size;
    REAL *made;
    if (f->kind == COMPLEX) {
        NAME(lines) from = NAME(group)(f, first, size, 2);
        NAME(bring)(&from, f->x, n, a);
    } else if (f->kind == FROM_HALF) {
        NAME(lines) from = NAME(group)(f, first, half, 2);
        NAME(bring)(&from, f->x, half, paired ? b : a);
        if (paired) NAME(tangle)(b, a, n, f->halves);
        else {
            NAME(make_real)(a);
            NAME(mirror)(a, size, size / 2);
        }
    } else {
        NAME(lines) from = NAME(group)(f, first, size, 1);
        NAME(bring_reals)(&from, f->x, size, a, paired ? LANES : 2 * LANES);
        if (!paired)
            for (ptrdiff_t j = 0; j < n; j++) NAME(make_real)(a + 2 * j * LANES);
    }
    made = NAME(transformed)(a, b, n, f->backward, f->turns);
    ptrdiff_t count = f->kind == COMPLEX || f->kind == TO_WHOLE ? size : half;
    if (paired && f->kind != FROM_HALF) {
        REAL *spectrum = made == a ? b : a;
        NAME(untangle)(made, spectrum, n, f->halves);
        if (f->kind == TO_WHOLE) NAME(mirror)(spectrum, size, n - 1);
        made = spectrum;
    }
    ptrdiff_t vectors = f->kind == FROM_HALF && paired ? 2 * n : 2 * (f->kind == FROM_HALF ? n : count);
    if (f->scale != 1)
        for (ptrdiff_t k = 0; k < vectors; k++) ((VECTOR *)made)[k] *= (REAL)f->scale;
    if (f->kind == FROM_HALF) {
        NAME(lines) to = NAME(group)(f, first, size, 1);
        NAME(give_reals)(&to, f->out, size, made, paired ? LANES : 2 * LANES);
    } else {
        NAME(lines) to = NAME(group)(f, first, count, 2);
        NAME(give)(&to, f->out, count, made);
    }
}

/* Some groups of lines. */
static void NAME(lines_share)(void *given, Py_ssize_t number)
{
    fft *f = given;
    ptrdiff_t first = number * f->groups_each * LANES, end = first + f->groups_each * LANES;
    /* A whole spectrum, or half of one and a number more, on both sides of a pass; lanes without a line hold zeros. */
    size_t room = 2 * (size_t)(f->size + 2) * LANES * sizeof(REAL);
    char *memory = malloc(2 * room + sizeof(VECTOR));
    if (memory == NULL) {
        f->failed = -1;
        return;
    }
    REAL *a = (REAL *)(((uintptr_t)memory + sizeof(VECTOR) - 1) / sizeof(VECTOR) * sizeof(VECTOR)), *b = a + room / sizeof(REAL);
    if (f->lines - first < LANES || f->lines < end) memset(a, 0, 2 * room);
    for (; first < end && first < f->lines; first += LANES) NAME(transform_group)(f, first, a, b);
    free(memory);
}
