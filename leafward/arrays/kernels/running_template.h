/* Logarithms of running sums of exponentials, for one type and one kind of processor.
 *
 * A sum is kept as its largest summand so far, `most`, and what the sum of the powers beside that comes to: nothing overflows. */

/* One more summand; and the logarithm of the sum. A sum that is no number stays none. */
static inline __attribute__((always_inline)) double NAME(add_power)(double v, double *most, double *sum)
{
    double before = *most, s = *sum, more = v > before ? v : before;
    double gap = v > before ? before - v : v - before, e = WIDE(power)(v == before ? 0 : gap);       /* of two infinities, too */
    s = v > before ? s * e + 1 : s + e;
    s = v != v ? v : s;
    *most = more;
    *sum = s;
    double y = more + WIDE(logarithm)(s);
    return s != s ? s : y;
}

static void NAME(logarithms)(const running_job *job, const REAL *x, REAL *out, Py_ssize_t width, Py_ssize_t step)
{
    double most[COLUMNS], sum[COLUMNS];
    for (Py_ssize_t j = 0; j < width; j++) most[j] = -INFINITY, sum[j] = 0;
    for (Py_ssize_t i = 0; i < job->n; i++, x += step, out += step) {
        SIMD()
        for (Py_ssize_t j = 0; j < width; j++) out[j] = (REAL)NAME(add_power)(x[j], most + j, sum + j);
    }
}

/* In a row. Where the largest of the next few is near what there is already, all of them are taken beside that one. */
static void NAME(logarithms_of_row)(const running_job *job, const REAL *x, REAL *out)
{
    enum { FEW = 64 };
    const double near = 16;
    double most = -INFINITY, sum = 0, powers[FEW];
    for (Py_ssize_t at = 0; at < job->n; at += FEW, x += FEW, out += FEW) {
        Py_ssize_t few = smaller(FEW, job->n - at);
        REAL largest = x[0];
        int strange = sum != sum;
        SIMD(reduction(max : largest) reduction(| : strange))
        for (Py_ssize_t i = 0; i < few; i++) {
            largest = x[i] > largest ? x[i] : largest;
            strange |= x[i] != x[i];
        }
        double top = most > (double)largest ? most : (double)largest, reached = most > (double)x[0] ? most : (double)x[0];
        if (strange || !(top - reached <= near)) {
            for (Py_ssize_t i = 0; i < few; i++) out[i] = (REAL)NAME(add_power)(x[i], &most, &sum);
            continue;
        }
        SIMD()
        for (Py_ssize_t i = 0; i < few; i++) powers[i] = WIDE(power)((double)x[i] - top);
        sum *= WIDE(power)(most - top);
        for (Py_ssize_t i = 0; i < few; i++) powers[i] = sum += powers[i];
        SIMD()
        for (Py_ssize_t i = 0; i < few; i++) out[i] = (REAL)(top + WIDE(logarithm)(powers[i]));
        if (at == 0) out[0] = x[0];                                         /* beside a larger one it would lose digits */
        most = top;
    }
}

static void NAME(logarithms_share)(void *given, Py_ssize_t number)
{
    const running_job *job = given;
    Py_ssize_t first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    Py_ssize_t wide = shares_of(job->inner, COLUMNS);
    for (Py_ssize_t piece = first; piece < last; piece++) {
        Py_ssize_t column = piece % wide * COLUMNS, at = piece / wide * job->n * job->inner + column;
        const REAL *x = (const REAL *)job->x + at;
        REAL *out = (REAL *)job->out + at;
        if (job->inner == 1) NAME(logarithms_of_row)(job, x, out);
        else NAME(logarithms)(job, x, out, smaller(COLUMNS, job->inner - column), job->inner);
    }
}
