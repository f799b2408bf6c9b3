/* Trigonometric and hyperbolic functions and their inverses, by the means of vector_math.h: included after it, once per type.
 *
 * Angles are brought into a quarter turn by subtracting multiples of pi / 2 in several parts. Beyond FAR that would take more
 * parts: a loop that meets such an argument runs once more, element by element, with the functions called `any_`. */
#undef FAR
#undef HALF_PI
#undef HALF_PI_LOW
#define FAR ((T)1e6)
#if FLOAT32
#define HALF_PI 0x1.921fb6p0f
#define HALF_PI_LOW -0x1.777a5cp-25f
#else
#define HALF_PI 0x1.921fb54442d18p0
#define HALF_PI_LOW 0x1.1a62633145c07p-54

/* x - n pi / 2, and what it lost in `slip`; n stands in the low bits of `quarter`. */
INLINE double turned_f64(double x, double *slip, int64_t *quarter)
{
    double n = x * 0.6366197723675814 + MAGIC;
    *quarter = bits_f64(n);
    n -= MAGIC;
    double near = x - n * 0x1.921fb54400000p0, second = n * 0x1.0b4611a600000p-34;      /* 33 digits each: the products are exact */
    double r = near - second, back = r - near;
    double lost = (near - (r - back)) - (second + back);
    double third = n * 0x1.3198a2e037073p-69, s = r - third;
    back = s - r;
    *slip = ((r - (s - back)) - (third + back)) + lost;
    return s;
}

INLINE double sin_turned_f64(double r, double slip)
{
    double z = r * r, s = 1.5917988979397433e-10;
    HORNER_f64(s, z, -2.5051129896450186e-8); HORNER_f64(s, z, 2.7557316093198405e-6); HORNER_f64(s, z, -0.00019841269836740532);
    HORNER_f64(s, z, 0.0083333333333309366); HORNER_f64(s, z, -0.16666666666666665);
    return r + (r * z * s + slip * (1 - 0.5 * z));
}

INLINE double cos_turned_f64(double r, double slip)
{
    double z = r * r, half = 0.5 * z, whole = 1 - half, c = -1.138254464534925e-11;
    HORNER_f64(c, z, 2.0876145049413179e-9); HORNER_f64(c, z, -2.755731726587808e-7); HORNER_f64(c, z, 2.4801587298754401e-5);
    HORNER_f64(c, z, -0.001388888888888739); HORNER_f64(c, z, 0.041666666666666665);
    return whole + (((1 - whole) - half) + (z * z * c - r * slip));
}
#endif

#if FLOAT32 && defined(__FMA__)
/* x less so many quarter turns, of which the first part is subtracted exactly where a product and a sum are rounded once: they are few,
 * and what is left has no smaller digits than x or the part. */
#define HALF_PI_REST -0x1.ee59dap-50f

INLINE float wave_f32(float x, float quarters, uint32_t turned)
{
    float r = FMA(-quarters, HALF_PI_LOW, FMA(-quarters, HALF_PI, x)), z = r * r;
    float s = -0.00019485976164399389f, c = 2.439963773088524e-05f;
    HORNER(s, z, 0.00833193949311565); HORNER(s, z, -0.16666651027066892);
    HORNER(c, z, -0.0013887015521020158); HORNER(c, z, 0.04166663935384029); HORNER(c, z, -0.5); HORNER(c, z, 1);
    s = r + FMA(r * z, s, -quarters * HALF_PI_REST);
    return from_bits_f32((int32_t)((uint32_t)bits_f32(turned & 1 ? c : s) ^ (turned & 2) << 30));
}

INLINE float sin_f32(float x)
{
    float shifted = FMA(x, 0.63661977236758134f, MAGIC);
    return x == 0 ? x : wave_f32(x, shifted - MAGIC, (uint32_t)bits_f32(shifted));
}

INLINE float cos_f32(float x)
{
    float shifted = FMA(x, 0.63661977236758134f, MAGIC);
    return wave_f32(x, shifted - MAGIC, (uint32_t)bits_f32(shifted) + 1);
}

/* What is left of x, and tan of that, come in two numbers: of the reciprocal of one the last digit would be wrong. */
INLINE float tan_f32(float x)
{
    float shifted = FMA(x, 0.63661977236758134f, MAGIC), quarters = shifted - MAGIC, near = FMA(-quarters, HALF_PI, x);
    float second = quarters * HALF_PI_LOW, r = near - second;
    float slip = (near - r - second) - FMA(quarters, HALF_PI_REST, FMA(quarters, HALF_PI_LOW, -second));
    float z = r * r, p = 0.004895068730902553f;
    HORNER(p, z, -0.0009803533678374658); HORNER(p, z, 0.011693387445046194); HORNER(p, z, 0.02094646429299133);
    HORNER(p, z, 0.05412578563689477); HORNER(p, z, 0.13332075564405985); HORNER(p, z, 0.3333336698108983);
    float rest = FMA(r * z, p, FMA(z, slip, slip)), t = r + rest, over = -1 / t;
    over = FMA(over * over, rest - (t - r), over);
    return x == 0 ? x : bits_f32(shifted) & 1 ? over : t;
}
#elif FLOAT32
/* In double float32 has digits to spare: half turns are enough, and one polynomial. `turns` is a whole number for the sine and half a
 * one off for the cosine; the lowest bit of `even` says whether there are an odd number of them. */
INLINE float sin_of_half_turns(double x, double turns, int64_t even)
{
    double r = (x - turns * 0x1.921fb54400000p1) - turns * 0x1.0b4611a626331p-33, z = r * r, s = -2.408009508712208e-08;
    HORNER_f64(s, z, 2.753645944364609e-06); HORNER_f64(s, z, -0.0001984108650700057); HORNER_f64(s, z, 0.008333332768529359);
    HORNER_f64(s, z, -0.1666666666387985);
    return (float)from_bits_f64(bits_f64(fused_f64(r * z, s, r)) ^ (int64_t)((uint64_t)even << 63));
}

INLINE float sin_f32(float x)
{
    double shifted = x * 0.3183098861837907 + 0x1.8p52;
    return x == 0 ? x : sin_of_half_turns(x, shifted - 0x1.8p52, bits_f64(shifted));
}

INLINE float cos_f32(float x)
{
    double shifted = (x * 0.3183098861837907 + 0.5) + 0x1.8p52;
    return sin_of_half_turns(x, (shifted - 0x1.8p52) - 0.5, bits_f64(shifted));
}
#else
INLINE T F(sin)(T x)
{
    int64_t quarter;
    double slip, r = turned_f64(x, &slip, &quarter), s = sin_turned_f64(r, slip), c = cos_turned_f64(r, slip);
    double y = quarter & 1 ? c : s;
    return x == 0 ? x : (T)(quarter & 2 ? -y : y);
}

INLINE T F(cos)(T x)
{
    int64_t quarter;
    double slip, r = turned_f64(x, &slip, &quarter), s = sin_turned_f64(r, slip), c = cos_turned_f64(r, slip);
    double y = quarter & 1 ? s : c;
    return (T)((quarter + 1) & 2 ? -y : y);
}
#endif

#if !(FLOAT32 && defined(__FMA__))
INLINE T F(tan)(T x)
{
    int64_t quarter;
    double slip, r = turned_f64(x, &slip, &quarter), s = sin_turned_f64(r, slip), c = cos_turned_f64(r, slip);
    double top = quarter & 1 ? -c : s, below = quarter & 1 ? s : c;
    return x == 0 ? x : (T)(top / below);
}
#endif

INLINE int F(is_far)(T x) { return !(F(abs)(x) <= FAR); }
static inline T F(any_sin)(T x) { return F(is_far)(x) ? (FLOAT32 ? (T)sinf(x) : (T)sin(x)) : F(sin)(x); }
static inline T F(any_cos)(T x) { return F(is_far)(x) ? (FLOAT32 ? (T)cosf(x) : (T)cos(x)) : F(cos)(x); }
static inline T F(any_tan)(T x) { return F(is_far)(x) ? (FLOAT32 ? (T)tanf(x) : (T)tan(x)) : F(tan)(x); }

/* (atan(t) - t) / t for |t| <= tan(pi / 8) */
INLINE T F(atan_rest)(T t)
{
    T z = t * t;
#if FLOAT32
    T p = (T)-0.064517188693589581;
    HORNER(p, z, 0.10743668324830098); HORNER(p, z, -0.14263949753605724); HORNER(p, z, 0.19999540314957969);
    HORNER(p, z, -0.33333331760434556);
#else
    T p = (T)-0.019175404711104934;
    HORNER(p, z, 0.039230447784793095); HORNER(p, z, -0.050854078345894843); HORNER(p, z, 0.058581409048663283);
    HORNER(p, z, -0.066645105255089366); HORNER(p, z, 0.076921831253768921); HORNER(p, z, -0.090909045753064891);
    HORNER(p, z, 0.11111111015187019); HORNER(p, z, -0.14285714284665681); HORNER(p, z, 0.19999999999995517);
    HORNER(p, z, -0.3333333333333333);
#endif
    return z * p;
}

/* atan(top / below) for 0 <= top <= below, not both 0 and neither infinite */
INLINE T F(atan_within)(T top, T below)
{
    int over = top > (T)0.41421356 * below;                             /* from tan(pi / 8) on: pi / 4 and what is left */
    T t = (over ? top - below : top) / (over ? top + below : below);
    T rest = FMA(t, F(atan_rest)(t), over ? (T)0.5 * HALF_PI_LOW : 0);
    return over ? (T)0.5 * HALF_PI + (t + rest) : t + rest;
}

INLINE T F(atan)(T x)
{
    T size = F(abs)(x);
    int large = size > 1;
    T y = F(atan_within)(large ? 1 / size : size, 1);
    return F(copysign)(large ? HALF_PI - (y - HALF_PI_LOW) : y, x);
}

INLINE T F(atan2)(T y, T x)
{
    T wide = F(abs)(x), high = F(abs)(y);
    int steep = high > wide;
    T top = steep ? wide : high, below = steep ? high : wide;
    T shrink = below > T_MAX / 8 ? (T)0.125 : 1;                        /* the sum of two may not be infinite */
    T part = below == INFINITY ? 0 : top * shrink, whole = below == INFINITY ? 1 : below * shrink;
    part = top == INFINITY ? 1 : part;                                  /* a corner: both are infinite */
    whole = below == 0 ? 1 : whole;                                     /* one condition each: GCC vectorizes no `a | b ? c : d` */
    T angle = F(atan_within)(part, whole);
    angle = steep ? HALF_PI - (angle - HALF_PI_LOW) : angle;
    angle = F(signbit)(x) ? 2 * HALF_PI - (angle - 2 * HALF_PI_LOW) : angle;
    return (x != x) | (y != y) ? x + y : F(copysign)(angle, y);
}

/* (asin(s) - s) / s over z = s^2 <= 1/4 */
INLINE T F(asin_rest)(T z)
{
#if FLOAT32
    T p = (T)0.038093962148042255;
    HORNER(p, z, 0.026550662963657472); HORNER(p, z, 0.045001894088299798); HORNER(p, z, 0.074988529622620839);
    HORNER(p, z, 0.16666672427703408);
#else
    T p = (T)0.028778442612593041;
    HORNER(p, z, -0.014881409392818067); HORNER(p, z, 0.017419357964884857); HORNER(p, z, 0.0054508781877205499);
    HORNER(p, z, 0.010324318288744112); HORNER(p, z, 0.011478952690257387); HORNER(p, z, 0.013971235301124539);
    HORNER(p, z, 0.017352391265909228); HORNER(p, z, 0.022372173002005597); HORNER(p, z, 0.030381944137085214);
    HORNER(p, z, 0.044642857146373381); HORNER(p, z, 0.074999999999984243); HORNER(p, z, 0.16666666666666668);
#endif
    return z * p;
}

INLINE T F(asin)(T x)
{
    T size = F(abs)(x);
    int large = size > (T)0.5;                              /* pi / 2 - 2 asin(s), s in two parts: the first has half the digits */
    T z = large ? (1 - size) * (T)0.5 : size * size, s = large ? F(sqrt)(z) : size;
    T first = F(from_bits)(F(bits)(s) & ~(((BITS)1 << (FLOAT32 ? 12 : 27)) - 1)), second = (z - first * first) / (s + first);
    T rest = s * F(asin_rest)(z);
    T outside = (T)0.5 * HALF_PI - ((2 * rest - (HALF_PI_LOW - 2 * second)) - ((T)0.5 * HALF_PI - 2 * first));
    return F(copysign)(large ? (size == 1 ? HALF_PI : outside) : size + rest, x);
}

INLINE T F(acos)(T x)
{
    T size = F(abs)(x);
    int large = size > (T)0.5;
    T z = large ? (1 - size) * (T)0.5 : size * size, s = large ? F(sqrt)(z) : x;
    T rest = s * F(asin_rest)(z), twice = 2 * (s + rest);
    T outside = x > 0 ? twice : 2 * HALF_PI - (twice - 2 * HALF_PI_LOW);
    return large ? outside : HALF_PI - (x - (HALF_PI_LOW - rest));
}

/* exp(x) / 2 for x >= 0, which is finite a little longer than exp(x) */
INLINE T F(half_exp)(T x)
{
    x = x > (FLOAT32 ? (T)90 : (T)711) ? (FLOAT32 ? (T)90 : (T)711) : x;
    T n = FMA(x, (T)LOG2_E, MAGIC) - MAGIC;
    T r = FMA(-n, LN2_LO, FMA(-n, LN2_HI, x));
    return F(scaled)(F(exp_near)(r), n - 1);
}

INLINE T F(cosh)(T x)
{
    T y = F(half_exp)(F(abs)(x));
    return y + (T)0.25 / y;
}

INLINE T F(sinh)(T x)
{
    T z = x * x, y = F(half_exp)(F(abs)(x));
#if FLOAT32
    T p = (T)2.8062802582276946e-6;
    HORNER(p, z, 0.00019838101968683889); HORNER(p, z, 0.0083333396759170609); HORNER(p, z, 0.16666666646842134);
#else
    T p = (T)7.7461785930188275e-13;
    HORNER(p, z, 1.6057679623801638e-10); HORNER(p, z, 2.5052117695907824e-8); HORNER(p, z, 2.7557319191381817e-6);
    HORNER(p, z, 0.00019841269841324198); HORNER(p, z, 0.0083333333333332994); HORNER(p, z, 0.16666666666666667);
#endif
    return F(abs)(x) < 1 ? (x == 0 ? x : FMA(x * z, p, x)) : F(copysign)(y - (T)0.25 / y, x);
}

/* Inverse ones of float32 are those of double, whose squares are in reach; atanh has none. */
#if FLOAT32
INLINE float asinh_f32(float x)
{
    double size = abs_f32(x), square = size * size;
    double y = size < 0x1p-10 ? size - size * square * (1 / 6.0) : log_f64(size + __builtin_sqrt(1 + square));
    return copysign_f32((float)y, x);
}
INLINE float acosh_f32(float x)
{
    double beyond = (double)x - 1;
    return (float)log_f64(x + __builtin_sqrt(beyond * (beyond + 2)));
}
INLINE float atanh_f32(float x)
{
    float size = abs_f32(x), z = x * x, p = 0.1759429638789272f;
    HORNER(p, z, 0.024521529352422147); HORNER(p, z, 0.10282703821314905); HORNER(p, z, 0.10967179413390249);
    HORNER(p, z, 0.14294853261045148); HORNER(p, z, 0.1999972753048185); HORNER(p, z, 0.3333333606489757);
    float far = 0.5f * log_of_f32((1 + size) / (1 - size), 0);
    far = size < 1 ? far : size == 1 ? INFINITY : NAN;
    return size < 0.5f ? FMA(x * z, p, x) : copysign_f32(far, x);
}
INLINE float hypot_f32(float x, float y)
{
    double a = x, b = y;
    return isinf_f32(x) | isinf_f32(y) ? INFINITY : (float)__builtin_sqrt(a * a + b * b);
}
#else
INLINE double asinh_f64(double x)
{
    double size = abs_f64(x), square = size * size;
    int large = size > 0x1p500;                             /* its square is infinite, and 1 is nothing beside it */
    double y = log1p_f64(large ? size : size + square / (1 + __builtin_sqrt(1 + square)));
    return copysign_f64(large ? y + 0.6931471805599453 : y, x);
}
INLINE double acosh_f64(double x)
{
    double beyond = x - 1;
    int large = x > 0x1p500;
    double y = log1p_f64(large ? x : beyond + __builtin_sqrt(beyond * (beyond + 2)));
    return x < 1 ? NAN : large ? y + 0.6931471805599453 : y;
}
INLINE double atanh_f64(double x)
{
    double size = abs_f64(x), y = 0.5 * log1p_f64(2 * size / (1 - size));
    return size > 1 ? NAN : copysign_f64(y, x);
}
INLINE double hypot_f64(double x, double y)
{
    double a = abs_f64(x), b = abs_f64(y), larger = a > b ? a : b;
    double scale = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-500 ? 0x1p600 : 1;
    a *= scale;
    b *= scale;
    return isinf_f64(x) | isinf_f64(y) ? INFINITY : __builtin_sqrt(a * a + b * b) / scale;
}
#endif
