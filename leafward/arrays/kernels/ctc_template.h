/* ctc_loops.c for one type and one kind of processor: each share is a sequence.
 *
 * A path visits the states  blank l1 blank l2 ... blank  in order. What stands in a row of states are logarithms. */
#include "exponentials.h"

static inline REAL NAME(exp_any)(REAL x)
{
    REAL e = NAME(exp_below)(x > 0 ? -x : x);
    return x > 0 ? 1 / e : e;
}

/* The sequence that a share looks at. */
#define SEQUENCE \
    ctc_job *job = given; \
    Py_ssize_t length = (Py_ssize_t)job->lengths[number], steps = (Py_ssize_t)job->steps[number], states = 2 * length + 1; \
    const int64_t *target = job->targets + number * job->longest; \
    const REAL *x = (const REAL *)job->x + number * job->classes; \
    const Py_ssize_t row = job->n * job->classes; \
    const REAL never = -(REAL)INFINITY

/* Beside each state its label, and whether a path may come there from two states before, over a blank: 0, or else -inf. */
static void NAME(label_states)(const ctc_job *job, const int64_t *target, Py_ssize_t states, int64_t *label, REAL *skip)
{
    for (Py_ssize_t s = 0; s < states; s++) {
        label[s] = s % 2 ? target[s / 2] : job->blank;
        skip[s] = s % 2 && s > 1 && target[s / 2] != target[s / 2 - 1] ? 0 : -(REAL)INFINITY;
    }
}

/* out[s] = log(exp(a[s]) + exp(b[s]) + exp(c[s] + skip[s])), -inf where all are. */
static inline void NAME(log_add)(REAL *out, const REAL *a, const REAL *b, const REAL *c, const REAL *skip, Py_ssize_t n)
{
    SIMD()
    for (Py_ssize_t s = 0; s < n; s++) {
        REAL p = a[s], q = b[s], r = c[s] + skip[s];
        REAL high = p > q ? p : q;
        high = r > high ? r : high;
        REAL from = high == -(REAL)INFINITY ? 0 : high, total = NAME(exp_below)(p - from) + NAME(exp_below)(q - from);
        total += NAME(exp_below)(r - from);
        out[s] = high != high || total != total ? (REAL)NAN : total;
    }
    for (Py_ssize_t s = 0; s < n; s++) {
        REAL p = a[s], q = b[s], r = c[s] + skip[s], high = p > q ? p : q;
        high = r > high ? r : high;
        out[s] = high == -(REAL)INFINITY && out[s] == 0 ? high : (sizeof(REAL) == 4 ? (REAL)logf((float)out[s]) : (REAL)log(out[s])) + high;
    }
}

/* The logarithm of all ways to be in each state at time `at`, of those at the time before; two states of -inf stand before each row. */
static void NAME(step)(REAL *ways, const REAL *before, const REAL *x, const int64_t *label, const REAL *skip, Py_ssize_t states)
{
    NAME(log_add)(ways, before, before - 1, before - 2, skip, states);
    for (Py_ssize_t s = 0; s < states; s++) ways[s] += x[label[s]];
}

static void NAME(first_step)(REAL *ways, const REAL *x, const int64_t *label, Py_ssize_t states)
{
    for (Py_ssize_t s = 0; s < states; s++) ways[s] = s < 2 ? x[label[s]] : -(REAL)INFINITY;
}

/* Take the largest of a row from all of them, and say what it was: what is left has few digits before the point. */
static double NAME(settle)(REAL *ways, Py_ssize_t states)
{
    REAL high = ways[0];
    for (Py_ssize_t s = 1; s < states; s++) high = ways[s] > high ? ways[s] : high;
    if (!(high > -(REAL)INFINITY && high < (REAL)INFINITY)) return 0;
    for (Py_ssize_t s = 0; s < states; s++) ways[s] -= high;
    return high;
}

/* log(exp(a) + exp(b)) of the two states in which a path may end, of the first alone where there is one. */
static double NAME(at_end)(const REAL *last, Py_ssize_t states)
{
    double a = last[states - 1], b = states > 1 ? last[states - 2] : -INFINITY, high = a > b || a != a ? a : b;
    return high == -INFINITY ? high : high + log(exp(a - high) + exp(b - high));
}

static void NAME(ctc_loss)(void *given, Py_ssize_t number)
{
    SEQUENCE;
    REAL *out = (REAL *)job->out + number;
    if (steps == 0) {
        *out = length ? -never : 0;
        return;
    }
    Py_ssize_t wide = states + 2;
    int64_t *label = malloc((size_t)states * sizeof(int64_t) + (size_t)(states + 2 * wide) * sizeof(REAL));
    if (label == NULL) {
        tell_failed(job);
        return;
    }
    REAL *skip = (REAL *)(label + states), *rows[2] = {skip + states + 2, skip + states + wide + 2};
    NAME(label_states)(job, target, states, label, skip);
    for (int k = 0; k < 2; k++) rows[k][-1] = rows[k][-2] = never;
    NAME(first_step)(rows[0], x, label, states);
    double settled = NAME(settle)(rows[0], states);
    for (Py_ssize_t t = 1; t < steps; t++) {
        NAME(step)(rows[t % 2], rows[(t - 1) % 2], x + t * row, label, skip, states);
        settled += NAME(settle)(rows[t % 2], states);
    }
    *out = (REAL)-(settled + NAME(at_end)(rows[(steps - 1) % 2], states));
    free(label);
}

static void NAME(ctc_gradient)(void *given, Py_ssize_t number)
{
    SEQUENCE;
    const REAL g = ((const REAL *)job->g)[number];
    REAL *dx = (REAL *)job->out + number * job->classes;
    for (Py_ssize_t t = steps; t < job->t; t++) memset(dx + t * row, 0, (size_t)job->classes * sizeof(REAL));
    if (steps == 0) return;
    Py_ssize_t wide = states + 2;
    int64_t *label = malloc((size_t)states * sizeof(int64_t) + (size_t)steps * sizeof(double)
                            + ((size_t)steps * wide + (size_t)(5 * states + 8) + (size_t)job->classes) * sizeof(REAL));
    if (label == NULL) {
        tell_failed(job);
        return;
    }
    double *settled = (double *)(label + states), settled_on = 0;        /* what was taken from each row of `ways`, and from `to` */
    REAL *skip = (REAL *)(settled + steps), *onward = skip + states, *ahead = onward + states, *next = ahead + states + 2;
    REAL *shares = next + states + 2, *to = shares + job->classes, *ways = to + states + 2 + 2;
    NAME(label_states)(job, target, states, label, skip);
    for (Py_ssize_t s = 0; s < states; s++) onward[s] = s + 2 < states ? skip[s + 2] : never;
    for (Py_ssize_t t = 0; t < steps; t++) {
        REAL *here = ways + t * wide;
        here[-1] = here[-2] = never;
        if (t == 0) NAME(first_step)(here, x, label, states);
        else NAME(step)(here, here - wide, x + t * row, label, skip, states);
        settled[t] = NAME(settle)(here, states) + (t ? settled[t - 1] : 0);
    }
    /* `to`: of all ways on from each state after a time. The total is that of all paths. */
    for (Py_ssize_t s = 0; s < states; s++) to[s] = s >= states - 2 ? 0 : never;
    double total = settled[steps - 1] + NAME(at_end)(ways + (steps - 1) * wide, states);
    int impossible = total == -INFINITY, unknown = total != total;
    for (Py_ssize_t t = steps - 1; t >= 0; t--) {
        REAL *out = dx + t * row;
        const REAL *here = ways + t * wide, *now = x + t * row;
        if (impossible || unknown) {
            for (Py_ssize_t c = 0; c < job->classes; c++) out[c] = impossible && job->zero_infinity ? 0 : (REAL)NAN;
            continue;
        }
        REAL apart = (REAL)(settled[t] + settled_on - total);
        memset(shares, 0, (size_t)job->classes * sizeof(REAL));
        SIMD()
        for (Py_ssize_t s = 0; s < states; s++) next[s] = NAME(exp_any)(here[s] + to[s] + apart);
        for (Py_ssize_t s = 0; s < states; s++) shares[label[s]] += next[s];
        SIMD()
        for (Py_ssize_t c = 0; c < job->classes; c++)              /* NaN at -inf: as PyTorch, which divides by exp(x) */
            out[c] = now[c] == never ? (REAL)NAN : g * (NAME(exp_any)(now[c]) - shares[c]);
        if (t > 0) {
            for (Py_ssize_t s = 0; s < states; s++) ahead[s] = to[s] + now[label[s]];
            ahead[states] = ahead[states + 1] = never;
            NAME(log_add)(to, ahead, ahead + 1, ahead + 2, onward, states);
            settled_on += NAME(settle)(to, states);
        }
    }
    free(label);
}
#undef SEQUENCE
