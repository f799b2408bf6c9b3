/* step_loops.c for one type and one kind of processor. */

#define ROOT(x) (sizeof(REAL) == 4 ? (REAL)__builtin_sqrtf((float)(x)) : (REAL)__builtin_sqrt(x))

/* A share of the update `name`: `d` is the gradient, with weight decay; k0 ... are the job's numbers. */
#define UPDATE(name, ...) \
    static void NAME(name)(void *given, Py_ssize_t number) \
    { \
        const step_job *job = given; \
        Py_ssize_t from = number * SHARE, count = smaller(SHARE, job->n - from); \
        REAL *p = (REAL *)job->p + from, *a = (REAL *)job->a + from, *b = (REAL *)job->b + from, *c = (REAL *)job->c + from; \
        const REAL *g = (const REAL *)job->g + from; \
        const REAL k0 = (REAL)job->k[0], k1 = (REAL)job->k[1], k2 = (REAL)job->k[2], k3 = (REAL)job->k[3], \
                   k4 = (REAL)job->k[4], k5 = (REAL)job->k[5], k6 = (REAL)job->k[6], k7 = (REAL)job->k[7], \
                   decay = (REAL)job->decay, shrink = (REAL)job->shrink; \
        const int has_b = job->b != NULL, has_c = job->c != NULL, flag = job->flag, descends = job->descends; \
        SIMD() \
        for (Py_ssize_t i = 0; i < count; i++) { \
            REAL q = p[i] * shrink, d = descends ? g[i] : -g[i]; \
            if (decay != 0) d = d + q * decay; \
            __VA_ARGS__ \
            p[i] = q; \
        } \
    }

/* mean += (d - mean) * weight, from the side that is nearer: `weight` is 1 - beta, `rest` is 1 - weight */
#define AVERAGE(mean, weight, rest) mean = (weight) < (REAL)0.5 ? mean + (d - mean) * (weight) : d - (d - mean) * (rest);
/* square = beta * square + (1 - beta) * d * d */
#define AVERAGE_SQUARE(square, beta, weight) square = square * (beta) + d * (weight) * d;
/* Both, of Adam and its kin: m and v are what they become. */
#define MOMENTS(m, v) \
    REAL m = a[i], v = b[i]; \
    AVERAGE(m, k1, k2) \
    AVERAGE_SQUARE(v, k3, k4) \
    a[i] = m; \
    b[i] = v;

/* k: lr, momentum, 1 - dampening. flag: 1, the buffer is new; 2, Nesterov */
UPDATE(sgd_plain, q = q - d * k0;)
UPDATE(sgd_momentum,
    REAL m = flag & 1 ? d : a[i] * k1 + d * k2;
    a[i] = m;
    d = flag & 2 ? d + m * k1 : m;
    q = q - d * k0;)
/* k: size, 1 - beta1, 1 - that, beta2, 1 - beta2, root2, eps */
UPDATE(adam_plain,
    MOMENTS(m, v)
    q = q - k0 * m / (ROOT(v) / k5 + k6);)
UPDATE(adam_largest,
    MOMENTS(m, v)
    REAL most = c[i];
    most = v > most || v != v ? v : most;
    c[i] = most;
    q = q - k0 * m / (ROOT(most) / k5 + k6);)
/* k: size, 1 - beta1, 1 - that, beta2, eps */
UPDATE(adamax_share,
    REAL m = a[i], most = b[i] * k3, size = (d < 0 ? -d : d) + k4;
    AVERAGE(m, k1, k2)
    a[i] = m;
    most = most > size || most != most ? most : size;
    b[i] = most;
    q = q - k0 * m / most;)
/* k: of the gradient, 1 - beta1, 1 - that, beta2, 1 - beta2, 1 - beta2 ** t, eps, of the mean */
UPDATE(nadam_share,
    MOMENTS(m, v)
    REAL root = ROOT(v / k5) + k6;
    q = q - k0 * d / root;
    q = q - k7 * m / root;)
/* k: lr, 1 - beta1, 1 - that, beta2, 1 - beta2, 1 - beta1 ** t, eps, the correction's root. flag: rectified */
UPDATE(radam_plain,
    MOMENTS(m, v)
    q = q - m / k5 * k0;)
UPDATE(radam_rectified,
    const REAL rectified = (REAL)job->rectified;
    MOMENTS(m, v)
    q = q - m / k5 * k0 * (k7 / (ROOT(v) + k6)) * rectified;)
/* k: lr, 1 - alpha, 1 - that, alpha, eps, momentum */
UPDATE(rmsprop_plain,
    REAL v = a[i];
    AVERAGE_SQUARE(v, k3, k1)
    a[i] = v;
    q = q - k0 * d / (ROOT(v) + k4);)
UPDATE(rmsprop_whole,
    REAL v = a[i], m = 0;
    AVERAGE_SQUARE(v, k3, k1)
    a[i] = v;
    if (has_b) {
        m = b[i];
        AVERAGE(m, k1, k2)
        b[i] = m;
        v = v - m * m;
    }
    REAL root = ROOT(v) + k4;
    if (has_c) {
        REAL moved = c[i] * k5 + d / root;
        c[i] = moved;
        q = q - moved * k0;
    } else q = q - k0 * d / root;)
/* k: rate, eps */
UPDATE(adagrad_share,
    REAL v = a[i] + d * d;
    a[i] = v;
    q = q - k0 * d / (ROOT(v) + k1);)
/* k: lr, rho, 1 - rho, eps */
UPDATE(adadelta_share,
    REAL v = a[i], u = b[i];
    AVERAGE_SQUARE(v, k1, k2)
    a[i] = v;
    d = ROOT(u + k3) / ROOT(v + k3) * d;
    AVERAGE_SQUARE(u, k1, k2)
    b[i] = u;
    q = q - d * k0;)
/* k: 1 - lambd * rate, rate, mu. flag: the mean begins */
UPDATE(asgd_share,
    q = q * k0;
    q = q - d * k1;
    a[i] = flag ? q : a[i] + (q - a[i]) * k2;)
/* k: smallest, largest, down, up */
UPDATE(rprop_share,
    REAL agreement = d * a[i], size = b[i];
    size = agreement > 0 ? size * k3 : agreement < 0 ? size * k2 : size;
    size = size < k0 ? k0 : size;
    size = size > k1 ? k1 : size;
    b[i] = size;
    d = agreement < 0 ? 0 : d;
    a[i] = d;
    REAL side = d > 0 ? 1 : d < 0 ? -1 : d == 0 ? 0 : d;
    q = q - side * size;)

static void NAME(sgd_share)(void *given, Py_ssize_t number)
{
    if (((step_job *)given)->a == NULL) NAME(sgd_plain)(given, number);
    else NAME(sgd_momentum)(given, number);
}

static void NAME(adam_share)(void *given, Py_ssize_t number)
{
    if (((step_job *)given)->c == NULL) NAME(adam_plain)(given, number);
    else NAME(adam_largest)(given, number);
}

static void NAME(radam_share)(void *given, Py_ssize_t number)
{
    if (((step_job *)given)->flag) NAME(radam_rectified)(given, number);
    else NAME(radam_plain)(given, number);
}

static void NAME(rmsprop_share)(void *given, Py_ssize_t number)
{
    if (((step_job *)given)->b == NULL && ((step_job *)given)->c == NULL) NAME(rmsprop_plain)(given, number);
    else NAME(rmsprop_whole)(given, number);
}

#undef UPDATE
#undef AVERAGE
#undef AVERAGE_SQUARE
#undef ROOT

/* p = a k0 + g k1, the product with k0 and the sum rounded once. flag: as bfloat16 would hold it */
static void NAME(combined_share)(void *given, Py_ssize_t number)
{
    const step_job *job = given;
    Py_ssize_t from = number * SHARE, count = smaller(SHARE, job->n - from);
    const REAL *a = (const REAL *)job->a + from, *g = (const REAL *)job->g + from, k0 = (REAL)job->k[0], k1 = (REAL)job->k[1];
    REAL *p = (REAL *)job->p + from;
    SIMD()
    for (Py_ssize_t i = 0; i < count; i++) {
        REAL scaled = g[i] * k1;
        p[i] = sizeof(REAL) == 4 ? (REAL)__builtin_fmaf((float)a[i], (float)k0, (float)scaled) : (REAL)__builtin_fma(a[i], k0, scaled);
    }
    if (!job->flag || sizeof(REAL) != 4) return;
    SIMD()
    for (Py_ssize_t i = 0; i < count; i++) {
        union { float value; uint32_t bits; } x = {(float)p[i]};
        uint32_t kept = (x.bits + 0x7fff + (x.bits >> 16 & 1)) & 0xffff0000;
        x.bits = x.value != x.value ? 0x7fc00000 : kept;
        p[i] = (REAL)x.value;
    }
}
