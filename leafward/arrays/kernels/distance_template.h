/* distance_loops.c for one type and one kind of processor. */
#include "turn.h"

/* The distances of a row from four others, of which some may be the same one. */
static inline void NAME(four_distances)(const REAL *x, const REAL *const y[4], Py_ssize_t d, int norm, REAL *far)
{
    double sum[4] = {0};
    REAL most[4] = {0};
    const REAL *a = y[0], *b = y[1], *c = y[2], *e = y[3];
    EACH_BLOCK(d) {
        REAL s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#define FOUR(TERM) \
        SIMD(reduction(+ : s0, s1, s2, s3)) \
        for (Py_ssize_t k = at; k < end; k++) { \
            REAL p = x[k] - a[k], q = x[k] - b[k], r = x[k] - c[k], t = x[k] - e[k]; \
            s0 += TERM(p); s1 += TERM(q); s2 += TERM(r); s3 += TERM(t); \
        }
#define SQUARE(v) v * v
#define SIZE(v) (v < 0 ? -v : v)
        if (norm == EUCLIDEAN) { FOUR(SQUARE) }
        else { FOUR(SIZE) }
        if (norm == FARTHEST) {                              /* the sums tell whether one is no number */
            REAL m0 = 0, m1 = 0, m2 = 0, m3 = 0;
            SIMD(reduction(max : m0, m1, m2, m3))
            for (Py_ssize_t k = at; k < end; k++) {
                REAL p = x[k] - a[k], q = x[k] - b[k], r = x[k] - c[k], t = x[k] - e[k];
                p = SIZE(p); q = SIZE(q); r = SIZE(r); t = SIZE(t);
                m0 = p > m0 ? p : m0; m1 = q > m1 ? q : m1; m2 = r > m2 ? r : m2; m3 = t > m3 ? t : m3;
            }
            most[0] = m0 > most[0] ? m0 : most[0]; most[1] = m1 > most[1] ? m1 : most[1];
            most[2] = m2 > most[2] ? m2 : most[2]; most[3] = m3 > most[3] ? m3 : most[3];
        }
        sum[0] += s0; sum[1] += s1; sum[2] += s2; sum[3] += s3;
    }
    for (int k = 0; k < 4; k++)
        far[k] = (REAL)(norm == EUCLIDEAN ? sqrt(sum[k]) : norm == TAXICAB || sum[k] != sum[k] ? sum[k] : most[k]);
}

static void NAME(distances_share)(void *given, Py_ssize_t number)
{
    const distance_job *job = given;
    Py_ssize_t one = number / job->shares, first = number % job->shares * job->per_share, d = job->d;
    Py_ssize_t last = smaller(first + job->per_share, job->n);
    const REAL *x = (const REAL *)job->x + one * job->x_step, *y = (const REAL *)job->y + one * job->y_step;
    REAL *out = (REAL *)job->out + one * job->out_step;
    for (Py_ssize_t near = 0; near < job->m; near += NEAR)
        for (Py_ssize_t i = first; i < last; i++) {
            Py_ssize_t from = job->pairs ? larger(near, i + 1) : near, to = smaller(near + NEAR, job->m);
            for (Py_ssize_t j = from; j < to; j += 4) {
                const REAL *rows[4];
                REAL far[4];
                for (Py_ssize_t k = 0; k < 4; k++) rows[k] = y + smaller(j + k, to - 1) * d;
                NAME(four_distances)(x + i * d, rows, d, job->norm, far);
                for (Py_ssize_t k = 0; k < smaller(4, to - j); k++) out[distance_at(job, i, j + k)] = far[k];
            }
        }
}

#define WIDE (2 * LANES)
#define FEW 16
/* Of four rows from WIDE others, whose numbers lie turned: each lane adds up a distance of its own. */
static void NAME(tile_of_distances)(const REAL *const x[4], const REAL *turned, Py_ssize_t d, REAL far[4][WIDE])
{
    VECTOR sum[4][2] = {{{0}}};
    for (Py_ssize_t at = 0; at < d; at += FEW) {         /* a few, whose sum is added to the others' */
        VECTOR part[4][2] = {{{0}}};
        const REAL *y = turned + at * WIDE;
        for (Py_ssize_t k = at; k < smaller(at + FEW, d); k++, y += WIDE) {
            VECTOR low = *(const VECTOR *)y, high = *(const VECTOR *)(y + LANES);
#pragma GCC unroll 4
            for (int r = 0; r < 4; r++) {
                VECTOR p = x[r][k] - low, q = x[r][k] - high;
                part[r][0] += p * p;
                part[r][1] += q * q;
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) {
            sum[r][0] += part[r][0];
            sum[r][1] += part[r][1];
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < 4; r++) {
        *(VECTOR *)far[r] = sum[r][0];
        *(VECTOR *)(far[r] + LANES) = sum[r][1];
        for (int l = 0; l < WIDE; l++) far[r][l] = sizeof(REAL) == 4 ? (REAL)sqrtf((float)far[r][l]) : (REAL)sqrt(far[r][l]);
    }
}

/* As distances_share for the 2-norm of many rows: WIDE rows of y at a time are turned, for all rows of x of the share. */
static void NAME(tiles_share)(void *given, Py_ssize_t number)
{
    const distance_job *job = given;
    Py_ssize_t one = number / job->shares, first = number % job->shares * job->per_share, d = job->d;
    Py_ssize_t last = smaller(first + job->per_share, job->n);
    const REAL *x = (const REAL *)job->x + one * job->x_step, *y = (const REAL *)job->y + one * job->y_step;
    REAL *out = (REAL *)job->out + one * job->out_step, *turned = aligned_alloc(64, ((size_t)(d * WIDE) * sizeof(REAL) + 63) & ~(size_t)63);
    REAL far[4][WIDE];
    if (turned == NULL) {
        NAME(distances_share)(given, number);
        return;
    }
    for (Py_ssize_t from = job->pairs ? first + 1 : 0; from < job->m; from += WIDE) {
        Py_ssize_t count = smaller(WIDE, job->m - from);
        if (count < WIDE) memset(turned, 0, (size_t)(d * WIDE) * sizeof(REAL));
        NAME(turn_matrix)(y + from * d, d, count, d, turned, WIDE);
        for (Py_ssize_t i = first; i < last && (!job->pairs || i < from + count - 1); i += 4) {
            const REAL *rows[4];
            for (Py_ssize_t r = 0; r < 4; r++) rows[r] = x + smaller(i + r, last - 1) * d;
            NAME(tile_of_distances)(rows, turned, d, far);
            for (Py_ssize_t r = 0; r < smaller(4, last - i); r++) {
                Py_ssize_t skipped = job->pairs ? larger(0, i + r + 1 - from) : 0;
                if (skipped >= count) continue;
                REAL *to = out + distance_at(job, i + r, from + skipped);
                if (job->pairs || job->by_y == 1) memcpy(to, far[r] + skipped, (size_t)(count - skipped) * sizeof(REAL));
                else for (Py_ssize_t l = skipped; l < count; l++) to[(l - skipped) * job->by_y] = far[r][l];
            }
        }
    }
    free(turned);
}
#undef WIDE
#undef FEW

/* What the gradient of one distance is times a difference, or its sign. */
static inline REAL NAME(slope)(const distance_job *job, REAL g, REAL far, const REAL *x, const REAL *y)
{
    if (job->norm == TAXICAB) return g;
    if (job->norm == EUCLIDEAN) return far == 0 ? 0 : g / far;
    Py_ssize_t most = 0;                                     /* those that are as far share the gradient, and so does NaN */
    for (Py_ssize_t k = 0; k < job->d; k++) {
        REAL v = x[k] - y[k];
        most += SIZE(v) == far || v != v;
    }
    return g / (REAL)most;
}

/* The sums of up to TOGETHER rows' shares go into a strip of their own first: their errors grow with these alone. */
static void NAME(distance_gradients_share)(void *given, Py_ssize_t number)
{
    const distance_job *job = given;
    Py_ssize_t one = number / job->shares, first = number % job->shares * job->per_share, d = job->d;
    Py_ssize_t last = smaller(first + job->per_share, job->n);
    const REAL *x = (const REAL *)job->x + one * job->x_step, *y = (const REAL *)job->y + one * job->y_step;
    const REAL *g = (const REAL *)job->g + one * job->out_step, *far = (const REAL *)job->far + one * job->out_step;
    for (Py_ssize_t i = first; i < last; i++) {
        REAL *out = (REAL *)job->out + one * job->x_step + i * d;
        const REAL *here = x + i * d;
        memset(out, 0, (size_t)d * sizeof(REAL));
        for (Py_ssize_t from = 0; from < job->m; from += TOGETHER) {
            Py_ssize_t count = 0;
            const REAL *rows[TOGETHER];
            REAL slopes[TOGETHER], reach[TOGETHER];
            for (Py_ssize_t j = from; j < smaller(from + TOGETHER, job->m); j++) {
                if (job->pairs && j == i) continue;
                Py_ssize_t at = distance_at(job, i, j);
                rows[count] = y + j * d;
                reach[count] = far[at];
                slopes[count] = NAME(slope)(job, g[at], far[at], here, rows[count]);
                count++;
            }
            for (Py_ssize_t strip = 0; strip < d; strip += STRIP) {
                Py_ssize_t width = smaller(STRIP, d - strip), j = 0;
                REAL sum[STRIP] = {0};
                const REAL *a = here + strip;
                if (job->norm == EUCLIDEAN)
                    for (; j + 4 <= count; j += 4) {
                        const REAL *b0 = rows[j] + strip, *b1 = rows[j + 1] + strip, *b2 = rows[j + 2] + strip,
                                   *b3 = rows[j + 3] + strip;
                        REAL c0 = slopes[j], c1 = slopes[j + 1], c2 = slopes[j + 2], c3 = slopes[j + 3];
                        SIMD()
                        for (Py_ssize_t k = 0; k < width; k++)
                            sum[k] += (c0 * (a[k] - b0[k]) + c1 * (a[k] - b1[k])) + (c2 * (a[k] - b2[k]) + c3 * (a[k] - b3[k]));
                    }
                for (; j < count; j++) {
                    const REAL *b = rows[j] + strip;
                    REAL c = slopes[j], most = reach[j];
#define ADD(TERM) SIMD() for (Py_ssize_t k = 0; k < width; k++) { REAL v = a[k] - b[k]; sum[k] += TERM; }
#define SIGN (REAL)((v > 0) - (v < 0))
                    if (job->norm == EUCLIDEAN) { ADD(c * v) }
                    else if (job->norm == TAXICAB) { ADD(c * SIGN) }
                    else { ADD(SIZE(v) == most || v != v ? c * SIGN : 0) }
                }
                SIMD()
                for (Py_ssize_t k = 0; k < width; k++) out[strip + k] += sum[k];
            }
        }
    }
}
#undef FOUR
#undef SQUARE
#undef SIZE
#undef ADD
#undef SIGN
