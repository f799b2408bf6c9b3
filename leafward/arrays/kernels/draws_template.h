/* What is made of the generator's words, many at a time, in loops that the compiler vectorises. */

/* The logarithm of x in (0, 1]: of what is left of x beside a power of two a polynomial (Cephes, S. Moshier). */
static inline float NAME(logarithm)(float x)
{
    union { float f; int32_t i; } bits = {x};
    int32_t above = bits.i - 0x3f3504f3 & ~0x7fffff;        /* so that what is left lies between the roots of 1/2 and of 2 */
    bits.i -= above;
    float n = (float)(above >> 23), r = bits.f - 1, z = r * r, p = 7.0376836292e-2f;
    p = p * r - 1.1514610310e-1f;
    p = p * r + 1.1676998740e-1f;
    p = p * r - 1.2420140846e-1f;
    p = p * r + 1.4249322787e-1f;
    p = p * r - 1.6668057665e-1f;
    p = p * r + 2.0000714765e-1f;
    p = p * r - 2.4999993993e-1f;
    p = p * r + 3.3333331174e-1f;
    return (p * r * z - n * 2.12194440e-4f - 0.5f * z) + r + n * 0.693359375f;
}

/* Box and Muller by sixteens: 8 cosines from the first 8 radii and the last 8 angles, then 8 sines. In place. */
static void NAME(normals)(float *values, Py_ssize_t n)
{
    for (Py_ssize_t start = 0; start < n; start += 16) {
        float *u = values + start;
        for (int i = 0; i < 8; i++) {
            float radius = sqrtf(-2 * NAME(logarithm)(1 - u[i]));
            float angle = 6.2831853071795864f * u[i + 8], quarters = (float)(int32_t)(angle * 0.63661977236758134f + 0.5f);
            float r = angle - quarters * 1.5703125f - quarters * 4.837512969970703125e-4f - quarters * 7.54978995489188216e-8f;
            float z = r * r, sine = -1.9515295891e-4f, cosine = 2.443315711809948e-5f;
            sine = sine * z + 8.3321608736e-3f;
            sine = sine * z - 1.6666654611e-1f;
            sine = sine * z * r + r;
            cosine = cosine * z - 1.388731625493765e-3f;
            cosine = cosine * z + 4.166664568298827e-2f;
            cosine = cosine * z * z - 0.5f * z + 1;
            int32_t turn = (int32_t)quarters;
            float first = turn & 1 ? sine : cosine, second = turn & 1 ? cosine : sine;
            u[i] = radius * (turn + 1 & 2 ? -first : first);
            u[i + 8] = radius * (turn & 2 ? -second : second);
        }
    }
}

/* Words to `low + word % count`. What a quotient in float64 is wrong by, it is wrong by one. */
static void NAME(remainders)(const uint32_t *words, Py_ssize_t n, uint32_t count, int64_t low, int64_t *to)
{
    double inverse = 1.0 / count, whole = count;
    for (Py_ssize_t i = 0; i < n; i++) {
        double word = words[i], rest = word - (double)(int32_t)(word * inverse) * whole;
        rest = rest < 0 ? rest + whole : rest >= whole ? rest - whole : rest;
        to[i] = low + (int32_t)rest;
    }
}

/* Uniform numbers to such between two bounds: rounded once, and the lower where that is the upper. */
#define BETWEEN(TYPE, FMA) \
static void NAME(TYPE##s)(TYPE *u, Py_ssize_t n, TYPE low, TYPE high) \
{ \
    TYPE width = high - low; \
    for (Py_ssize_t i = 0; i < n; i++) { \
        TYPE value = FMA(u[i], width, low); \
        u[i] = value == high ? low : value; \
    } \
}
BETWEEN(float, fmaf)
BETWEEN(double, fma)
#undef BETWEEN
