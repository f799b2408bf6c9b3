/* Exponentials for one float type, in a template: 2**n times a polynomial of what is left of x. */

/* Of x <= 0 what exp(x) is made of: `power`, which is 2**n, times 1 more than what is returned. */
static inline __attribute__((always_inline)) REAL NAME(split)(REAL x, REAL *power)
{
    if (sizeof(REAL) == 4) {
        float y = x > -87.33654f ? (float)x : -87.33654f, n = __builtin_rintf(y * 1.44269504f);
        float r = y - n * 0.693359375f + n * 2.12194440e-4f, p = 1.9875691500e-4f;
        p = p * r + 1.3981999507e-3f;
        p = p * r + 8.3334519073e-3f;
        p = p * r + 4.1665795894e-2f;
        p = p * r + 1.6666665459e-1f;
        p = p * r + 5.0000001201e-1f;
        union { int32_t i; float f; } two = {((int32_t)n + 127) << 23};
        *power = (REAL)two.f;
        return (REAL)(p * r * r + r);
    }
    static const double inverse_factorials[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                                1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5};
    double y = x > -708 ? (double)x : -708, n = __builtin_rint(y * 1.4426950408889634);
    double r = y - n * 6.93147180369123816490e-1 - n * 1.90821492927058770002e-10, p = 1.0 / 6227020800;
#pragma GCC unroll 16
    for (int i = 0; i < 11; i++) p = p * r + inverse_factorials[i];
    union { int64_t i; double f; } two = {((int64_t)n + 1023) << 52};
    *power = (REAL)two.f;
    return (REAL)(p * r * r + r);
}

/* exp(x) for x <= 0; below the smallest normal number 0. */
static inline __attribute__((always_inline, unused)) REAL NAME(exp_below)(REAL x)
{
    if (sizeof(REAL) == 4) {
        float y = x < -87.33654f ? -87.33654f : (float)x, shifted = y * 1.44269504f + 0x1.8p23f, n = shifted - 0x1.8p23f;
        float r = y - n * 0.693359375f + n * 2.12194440e-4f, p = 0.0013814336029142353f;
        p = p * r + 0.008368851313334064f;
        p = p * r + 0.0416684007778781f;
        p = p * r + 0.16666519521387058f;
        p = p * r + 0.4999999337456111f;
        p = p * r + 1;
        p = p * r + 1;
        union { float f; uint32_t i; } two = {shifted + 127};
        two.i <<= 23;
        return x < -87.33654f ? 0 : (REAL)(p * two.f);
    }
    REAL power, rest = NAME(split)(x, &power);
    return x != x ? x : x < -708 ? 0 : power + power * rest;
}

static inline __attribute__((always_inline, unused)) REAL NAME(tanh)(REAL x)
{
    REAL power, twice = x < 0 ? 2 * x : -2 * x, rest = NAME(split)(twice, &power);
    REAL less = power * rest + (power - 1), t = -less / (2 + less);              /* exp(-2 |x|) - 1, exact near 0 */
    t = x < 0 ? -t : t;
    return x != x || x == 0 ? x : t;
}

static inline __attribute__((always_inline, unused)) REAL NAME(sigmoid)(REAL x)
{
    REAL power, rest = NAME(split)(x < 0 ? x : -x, &power), e = power + power * rest;
    REAL s = (x < 0 ? e : (REAL)1) / (1 + e);
    return x != x ? x : s;
}
