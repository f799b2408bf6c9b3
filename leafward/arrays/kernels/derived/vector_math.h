/* Elementary functions without branches or calls, so that a loop around them becomes vector code. float and double.
 *
 * Included once per element type: T is the type, F(name) a name with the suffix of the type. The polynomials are made by
 * tools/coefficients.py, and tests/ops/test_derived_kernels.py measures every function. */
#ifndef LEAFWARD_VECTOR_MATH
#define LEAFWARD_VECTOR_MATH
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __FMA__
#define FMA(a, b, c) _Generic((a), float: __builtin_fmaf, double: __builtin_fma)(a, b, c)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif
#define HORNER(r, x, c) r = FMA(r, x, (T)(c))
/* Two steps of it at once, z being x * x: which wait half as long for one another. */
#define HORNER_PAIR(r, x, z, c, d) r = FMA(r, z, FMA(x, (T)(c), (T)(d)))
#define HORNER_f64(r, x, c) r = FMA(r, x, c)

/* Always: a call in a loop is no vector code. */
#define INLINE static inline __attribute__((always_inline))
INLINE double fused_f64(double a, double b, double c) { return FMA(a, b, c); }         /* a macro inside itself grows without end */

#define LOG2_E 1.4426950408889634
#define LOG10_E 0.4342944819032518
#endif

#undef T
#undef F
#undef BITS
#undef MAGIC
#undef SHIFT
#undef BIAS
#undef LN2_HI
#undef LN2_LO
#undef T_MAX
#undef T_MIN
#if FLOAT32
#define T float
#define F(name) name##_f32
#define BITS int32_t
#define MAGIC 0x1.8p23f                 /* x + MAGIC: x rounded to a whole number, which is in the low bits */
#define SHIFT 23
#define BIAS 127
#define LN2_HI 0x1.62e4p-1f             /* few digits: times n it is exact */
#define LN2_LO 0x1.7f7d1cp-20f
#define T_MAX 0x1.fffffep127f
#else
#define T double
#define F(name) name##_f64
#define BITS int64_t
#define MAGIC 0x1.8p52
#define SHIFT 52
#define BIAS 1023
#define LN2_HI 0x1.62e42feep-1
#define LN2_LO 0x1.a39ef35793c76p-33
#define T_MAX 0x1.fffffffffffffp1023
#endif

#define T_MIN (-T_MAX)

INLINE BITS F(bits)(T x) { BITS b; memcpy(&b, &x, sizeof b); return b; }
INLINE T F(from_bits)(BITS b) { T x; memcpy(&x, &b, sizeof x); return x; }
/* Shifts of the unsigned form: AVX2 has no others. */
#if FLOAT32
INLINE T F(two_to)(T whole_plus_magic) { return F(from_bits)((int32_t)((uint32_t)(F(bits)(whole_plus_magic) + BIAS) << SHIFT)); }
#else
INLINE T F(two_to)(T whole_plus_magic) { return F(from_bits)((int64_t)((uint64_t)(F(bits)(whole_plus_magic) + BIAS) << SHIFT)); }
#endif

INLINE T F(abs)(T x) { return FLOAT32 ? __builtin_fabsf(x) : __builtin_fabs(x); }
INLINE T F(sqrt)(T x) { return FLOAT32 ? __builtin_sqrtf(x) : __builtin_sqrt(x); }
INLINE T F(floor)(T x) { return FLOAT32 ? __builtin_floorf(x) : __builtin_floor(x); }
INLINE T F(ceil)(T x) { return FLOAT32 ? __builtin_ceilf(x) : __builtin_ceil(x); }
INLINE T F(trunc)(T x) { return FLOAT32 ? __builtin_truncf(x) : __builtin_trunc(x); }
INLINE T F(rint)(T x) { return FLOAT32 ? __builtin_rintf(x) : __builtin_rint(x); }
INLINE T F(copysign)(T x, T y) { return FLOAT32 ? __builtin_copysignf(x, y) : __builtin_copysign(x, y); }
INLINE int F(isnan)(T x) { return x != x; }
INLINE int F(isinf)(T x) { return F(abs)(x) == INFINITY; }
INLINE int F(isfinite)(T x) { return F(abs)(x) < INFINITY; }
INLINE int F(signbit)(T x) { return F(bits)(x) < 0; }
INLINE T F(maximum)(T x, T y) { T m = x > y ? x : y; return x != x ? x : m; }      /* NaN wins */
INLINE T F(minimum)(T x, T y) { T m = x < y ? x : y; return x != x ? x : m; }
INLINE T F(fmax)(T x, T y) { T m = x > y ? x : y; return y != y ? x : m; }         /* NaN loses */
INLINE T F(fmin)(T x, T y) { T m = x < y ? x : y; return y != y ? x : m; }
INLINE T F(sgn)(T x) { return (T)(x > 0 ? 1 : 0) - (T)(x < 0 ? 1 : 0); }        /* NaN is on neither side */
INLINE T F(sign)(T x) { return x != x ? x : F(sgn)(x); }
/* NaN stays where it is: the comparison fails. */
INLINE T F(bounded)(T x, T low, T high) { x = x < low ? low : x; return x > high ? high : x; }

/* exp(r) - 1 for |r| <= log(2) / 2 */
INLINE T F(expm1_near)(T r)
{
#if FLOAT32
    T q = (T)0.00019890980869750326;
    HORNER(q, r, 0.0013933641031986701); HORNER(q, r, 0.0083333109344488685); HORNER(q, r, 0.041666465006040049);
    HORNER(q, r, 0.16666666681614256); HORNER(q, r, 0.50000000134577272);
#else
    T q = (T)2.0914679376583935e-9;
    HORNER(q, r, 2.5105206373957011e-8); HORNER(q, r, 2.7557273661348636e-7); HORNER(q, r, 2.7557255425746434e-6);
    HORNER(q, r, 2.4801587325533364e-5); HORNER(q, r, 0.00019841269874800492); HORNER(q, r, 0.0013888888888883752);
    HORNER(q, r, 0.0083333333333261409); HORNER(q, r, 0.04166666666666667); HORNER(q, r, 0.16666666666666671);
    HORNER(q, r, 0.5);
#endif
    return FMA(r * r, q, r);
}

/* 2^n y, where 2^n itself may be too large or too small: in two steps */
INLINE T F(scaled)(T y, T n)
{
    T half = FMA(n, (T)0.5, MAGIC), rest = n - (half - MAGIC);
    return y * F(two_to)(half) * F(two_to)(rest + MAGIC);
}

#if FLOAT32
/* exp(r) for |r| <= log(2) / 2: near 1, where its last digits are those of 1, one term less than expm1_near */
INLINE float exp_near_f32(float r)
{
    float q = 0.0013814336029142353f;
    HORNER(q, r, 0.008368851313334064); HORNER(q, r, 0.0416684007778781); HORNER(q, r, 0.16666519521387058);
    HORNER(q, r, 0.4999999337456111); HORNER(q, r, 1); HORNER(q, r, 1);
    return q;
}

/* Where 2^n is no normal number, 2^(n + 64) is one; beyond the last finite result and for NaN x itself is made infinite. */
INLINE float exp_f32(float x)
{
    float y = x < -104.5f ? -104.5f : x, shifted = FMA(y, (float)LOG2_E, MAGIC), n = shifted - MAGIC;
    int small = x < -86;
    uint32_t up = small ? 64 : 0;
    float e = exp_near_f32(FMA(-n, LN2_LO, FMA(-n, LN2_HI, y)));
    e = from_bits_f32((int32_t)((uint32_t)bits_f32(e) + (((uint32_t)bits_f32(shifted) + up) << SHIFT)));
    e = small ? e * 0x1p-64f : e;
    return x <= 0x1.62e42ep6f ? e : x * T_MAX;
}
#else
INLINE T F(exp_near)(T r) { return 1 + F(expm1_near)(r); }

INLINE T F(exp)(T x)
{
    x = F(bounded)(x, -746, 710);
    T n = FMA(x, (T)LOG2_E, MAGIC) - MAGIC;
    T r = FMA(-n, LN2_LO, FMA(-n, LN2_HI, x));
    return F(scaled)(F(exp_near)(r), n);
}
#endif

/* exp(x) where neither it nor its parts leave the normal numbers: |x| <= 80 */
INLINE T F(exp_within)(T x)
{
    T shifted = FMA(x, (T)LOG2_E, MAGIC), n = shifted - MAGIC;
    T r = FMA(-n, LN2_LO, FMA(-n, LN2_HI, x));
    return F(exp_near)(r) * F(two_to)(shifted);
}

INLINE T F(exp2)(T x)
{
    x = F(bounded)(x, FLOAT32 ? (T)-151 : (T)-1076, FLOAT32 ? (T)129 : (T)1025);
    T n = (x + MAGIC) - MAGIC, d = x - n;
#if FLOAT32
    T q = (T)0.0001545316294512069;                                     /* (2^d - 1) / d for |d| <= 1 / 2 */
    HORNER(q, d, 0.0013390863364671234); HORNER(q, d, 0.009618082557277852); HORNER(q, d, 0.05550357114219078);
    HORNER(q, d, 0.24022650760568126); HORNER(q, d, 0.6931471880262288);
    return F(scaled)(FMA(d, q, (T)1), n);
#else
    T r = d * (T)0.6931471805599453;
    T slip = FMA(d, (T)0.6931471805599453, -r) + d * (T)(0.6931471805599453094 - (double)(T)0.6931471805599453);
    return F(scaled)(1 + (F(expm1_near)(r) + slip), n);
#endif
}

INLINE T F(expm1)(T x)
{
    T y = F(bounded)(x, FLOAT32 ? (T)-20 : (T)-42, FLOAT32 ? (T)89 : (T)710);
    T n = FMA(y, (T)LOG2_E, MAGIC) - MAGIC;
    T p = F(expm1_near)(FMA(-n, LN2_LO, FMA(-n, LN2_HI, y)));
    T half = F(two_to)(n - 1 + MAGIC);
    T far = FMA(half, p, half - (T)0.5) * 2;
    return x == 0 ? x : n == 0 ? p : far;
}

#if FLOAT32
/* u = m 2^k with sqrt(1/2) <= m < sqrt(2): m - 1, and k */
INLINE float fraction_f32(float u, float *k)
{
    int32_t above = (int32_t)((uint32_t)bits_f32(u) - 0x3f3504f3);
    *k = (float)(above >> SHIFT);
    return from_bits_f32((above & 0x7fffff) + 0x3f3504f3) - 1;
}

/* log(1 + f) + k log(2) + slip */
INLINE float log_of_parts_f32(float f, float k, float slip)
{
    float q = -0.07621769805797343f;
    HORNER(q, f, 0.12904427092519066); HORNER(q, f, -0.13242988183637122); HORNER(q, f, 0.1418182627468659);
    HORNER(q, f, -0.16609082685274854); HORNER(q, f, 0.20001973868172443); HORNER(q, f, -0.2500158295301833);
    HORNER(q, f, 0.333333256930128); HORNER(q, f, -0.4999998834648571);
    return FMA(k, LN2_HI, FMA(f * f, q, FMA(k, LN2_LO, slip)) + f);
}

/* log(u + slip) */
INLINE float log_of_f32(float u, float slip)
{
    float k, f = fraction_f32(u, &k);
    return log_of_parts_f32(f, k, __builtin_constant_p(slip) ? slip : slip / u);         /* a constant is 0: no division */
}
#else
/* log(u + slip): u = m 2^k with sqrt(1/2) <= m < sqrt(2) */
INLINE T F(log_of)(T u, T slip)
{
    const BITS middle = 0x3fe6a09e667f3bcd;      /* sqrt(1/2) */
    uint64_t biased = ((uint64_t)(F(bits)(u) - middle) + ((uint64_t)1 << 63)) >> SHIFT;         /* e + 2048 */
    T k = F(from_bits)((int64_t)(biased | 0x4330000000000000)) - (0x1p52 + 2048);
    T m = F(from_bits)(F(bits)(u) - (int64_t)((biased - 2048) << SHIFT));
    T shrink = F(from_bits)((int64_t)((uint64_t)(BIAS + 2048 - (biased > 3070 ? 3070 : biased)) << SHIFT));
    T f = m - 1, s = f / (2 + f), z = s * s, half_square = (T)0.5 * f * f;
    T r = (T)0.13086767009948174;
    HORNER(r, z, 0.13268759668560613); HORNER(r, z, 0.15386240205813478); HORNER(r, z, 0.18181795630884753);
    HORNER(r, z, 0.22222222391800469); HORNER(r, z, 0.2857142857080323); HORNER(r, z, 0.40000000000000878);
    HORNER(r, z, 0.66666666666666666);
    slip = __builtin_constant_p(slip) ? slip : slip * shrink / m;       /* a constant is 0: no division */
    return k * LN2_HI - ((half_square - FMA(s, FMA(z, r, half_square), FMA(k, LN2_LO, slip))) - f);
}
#endif

INLINE T F(log_ends)(T x, T inside) { return x > 0 ? (x < INFINITY ? inside : x) : x == 0 ? -INFINITY : NAN; }

INLINE T F(log_normal)(T x, T up)                    /* with numbers too small for 24 digits made larger */
{
    int small = x < (FLOAT32 ? (T)0x1p-126 : (T)0x1p-1022);
    return F(log_of)(small ? x * (FLOAT32 ? (T)0x1p24 : (T)0x1p54) : x, 0) - (small ? up : 0);
}

INLINE T F(log)(T x) { return F(log_ends)(x, F(log_normal)(x, FLOAT32 ? (T)16.635532333438686 : (T)37.429947750237048)); }
INLINE T F(log2)(T x)
{
    int small = x < (FLOAT32 ? (T)0x1p-126 : (T)0x1p-1022);
    T u = small ? x * (FLOAT32 ? (T)0x1p24 : (T)0x1p54) : x;
#if FLOAT32
    float k, f = fraction_f32(u, &k), q = -0.10995889501621066f;
    HORNER(q, f, 0.18617152971890444); HORNER(q, f, -0.19105593379084415); HORNER(q, f, 0.20460050437239147);
    HORNER(q, f, -0.2396184122376078); HORNER(q, f, 0.2885674850760302); HORNER(q, f, -0.36069659740693594);
    HORNER(q, f, 0.4808982367364623); HORNER(q, f, -0.721347352319809);
    float y = FMA(f, (float)LOG2_E, f * FMA(q, f, (float)(LOG2_E - (double)(float)LOG2_E)));
    return log_ends_f32(x, (k - (small ? 24 : 0)) + y);
#else
    uint64_t biased = ((uint64_t)(F(bits)(u) - 0x3fe6a09e667f3bcd) + ((uint64_t)1 << 63)) >> SHIFT;
    T k = F(from_bits)((int64_t)(biased | 0x4330000000000000)) - (0x1p52 + 2048);
    T m = F(from_bits)(F(bits)(u) - (int64_t)((biased - 2048) << SHIFT));
    T y = F(log_of)(m, 0), product = y * (T)LOG2_E;
    T slip = FMA(y, (T)LOG2_E, -product) + y * (T)(1.44269504088896340736 - (double)(T)LOG2_E);
    return F(log_ends)(x, (k - (small ? 54 : 0)) + (product + slip));
#endif
}
INLINE T F(log10)(T x)
{
#if FLOAT32
    int small = x < 0x1p-126f;
    float k, f = fraction_f32(small ? x * 0x1p24f : x, &k), q = -0.033100925689946055f;
    HORNER(q, f, 0.05604321478403854); HORNER(q, f, -0.057513566920635695); HORNER(q, f, 0.061590888944069375);
    HORNER(q, f, -0.07213232959689714); HORNER(q, f, 0.08686746878120333); HORNER(q, f, -0.10858049515342269);
    HORNER(q, f, 0.14476479411959345); HORNER(q, f, -0.2171471903410564);
    float y = FMA(f, (float)LOG10_E, f * FMA(q, f, (float)(LOG10_E - (double)(float)LOG10_E)));
    k -= small ? 24 : 0;
    return log_ends_f32(x, FMA(k, 0x1.344p-2f, FMA(k, 4.6050389812e-06f, y)));
#else
    T y = F(log)(x), product = y * (T)LOG10_E;
    T slip = FMA(y, (T)LOG10_E, -product) + y * (T)(0.43429448190325182765 - (double)(T)LOG10_E);
    return F(isfinite)(y) ? product + slip : y;
#endif
}

INLINE T F(log1p)(T x)
{
    T u = 1 + x;
    T slip = x > 1 ? 1 - (u - x) : x - (u - 1);
    T inside = F(log_of)(u, slip);
    return x == 0 ? x : x > -1 ? (x < INFINITY ? inside : x) : x == -1 ? -INFINITY : NAN;
}

/* 1 / (1 + exp(-x)), all halved: beyond the last bound 2^n is infinite, and the result 0 */
INLINE T F(sigmoid)(T x)
{
    T y = F(bounded)(-x, FLOAT32 ? (T)-86 : (T)-707, FLOAT32 ? (T)89.5 : (T)710.5);
    T shifted = FMA(y, (T)LOG2_E, MAGIC), n = shifted - MAGIC;
    T half = F(two_to)(shifted - 1);
    return (T)0.5 / ((T)0.5 + half * F(exp_near)(FMA(-n, LN2_LO, FMA(-n, LN2_HI, y))));
}

INLINE T F(tanh)(T x)
{
    T size = F(abs)(x), z = x * x;
    size = size > 22 ? (T)22 : size;
#if FLOAT32
    T near = (T)0.0022943048642769502;
    HORNER(near, z, -0.0083453211411533365); HORNER(near, z, 0.021769338398296937); HORNER(near, z, -0.05395931111474189);
    HORNER(near, z, 0.13333303774370639); HORNER(near, z, -0.33333333173573006);
#else
    T near = (T)6.4939918632189349e-6;
    HORNER(near, z, -3.1219223628509663e-5); HORNER(near, z, 9.2587191291096562e-5); HORNER(near, z, -0.0002375986439279231);
    HORNER(near, z, 0.00058966312701239005); HORNER(near, z, -0.0014557759005870326); HORNER(near, z, 0.0035921218130319975);
    HORNER(near, z, -0.0088632351081093133); HORNER(near, z, 0.021869488519230868); HORNER(near, z, -0.053968253967902186);
    HORNER(near, z, 0.13333333333333046); HORNER(near, z, -0.33333333333333333);
#endif
    T far = 1 - 2 / (F(exp_within)(2 * size) + 1);
    return x == 0 ? x : size < (T)0.62 ? FMA(x * z, near, x) : F(copysign)(far, x);
}

INLINE T F(logaddexp)(T x, T y)
{
    T larger = F(maximum)(x, y);
    return x == y ? x + (T)0.6931471805599453 : larger + F(log1p)(F(exp)(-F(abs)(x - y)));
}

#if FLOAT32
INLINE T F(erf)(T x)
{
    T size = F(abs)(x), z = size * size;
    T near = (T)7.8758750626854883e-5;
    HORNER(near, z, -0.00080168642871658695); HORNER(near, z, 0.005189087423433974); HORNER(near, z, -0.026854212010626412);
    HORNER(near, z, 0.11283594715160218); HORNER(near, z, -0.37612626666720331); HORNER(near, z, 0.12837916584835095);
    T far_at = size > 4 ? (T)4 : size, far = (T)1.6371514145936436e-6;
    HORNER(far, far_at, -4.6058042689189779e-5); HORNER(far, far_at, 0.00059680562566077971);
    HORNER(far, far_at, -0.0047595962932662646); HORNER(far, far_at, 0.026421136005663897);
    HORNER(far, far_at, -0.11008008294882025); HORNER(far, far_at, 0.36817394844083699);
    HORNER(far, far_at, -1.130233434841994); HORNER(far, far_at, 0.00032013804967769884);
    T tail = F(exp_within)(FMA(-far_at, far_at, far));
    return size < 1 ? FMA(x, near, x) : F(copysign)(1 - tail, x);
}

/* erfc(|x|) = exp(P(|x|) - x^2): right to its last digits however near -1 erf comes, which 1 + erf(x) is not. P interpolates
 * log(erfc(s)) + s^2 at Chebyshev's points of 0 to 5; beyond, where that is below 1e-12, -1 is near enough. */
INLINE T F(one_plus_erf)(T x)
{
    T size = F(abs)(x), at = size > 5 ? (T)5 : size, z = at * at, far = (T)-6.17937948410532e-09;
    HORNER_PAIR(far, at, z, 2.1592050597070447e-07, -3.3833938048921434e-06);
    HORNER_PAIR(far, at, z, 3.1294632593507866e-05, -0.00018802978733613415);
    HORNER_PAIR(far, at, z, 0.0007455626091709485, -0.0017325330913926028);
    HORNER_PAIR(far, at, z, 0.00010474602431842376, 0.01926726084981943);
    HORNER_PAIR(far, at, z, -0.10284957906603145, 0.3634000030642705);
    HORNER_PAIR(far, at, z, -1.128381061827439, 2.9262277490005317e-08);
    T tail = F(exp_within)(FMA(-at, at, far));
    tail = size > 5 ? 0 : tail;
    return x < 0 ? tail : 2 - tail;
}
#else
/* The two polynomials of leafward/arrays/special.py. */
INLINE double erf_near_f64(double x)
{
    double w = 2 * x * x - 1, p = 1.454817075960679e-14;
    HORNER(p, w, -3.8078827395263415e-13); HORNER(p, w, 9.167606746069445e-12); HORNER(p, w, -2.035228404899467e-10);
    HORNER(p, w, 4.11580059766496e-09); HORNER(p, w, -7.51156928660089e-08); HORNER(p, w, 1.223382738352401e-06);
    HORNER(p, w, -1.75371694411248e-05); HORNER(p, w, 0.00021751715604160108); HORNER(p, w, -0.0022854855611441132);
    HORNER(p, w, 0.019852496688983708); HORNER(p, w, -0.1405360890227171); HORNER(p, w, 0.9654687386698673);
    return x * p;
}

/* exp(z^2) erfc(z) / t for z >= 0, where t = 2 / (2 + z) */
INLINE double erfc_tail_f64(double t)
{
    double v = 2 * t - 1, p = -3.3888695546308687e-10;
    HORNER(p, v, 1.2051665995883637e-09); HORNER(p, v, 1.2284536350186566e-09); HORNER(p, v, -9.744756625932259e-09);
    HORNER(p, v, 6.353864669505139e-09); HORNER(p, v, 2.9041985444209086e-08); HORNER(p, v, -5.760146697175624e-08);
    HORNER(p, v, -1.6982724012935667e-09); HORNER(p, v, 1.6491163111184633e-07); HORNER(p, v, -2.855481823834117e-07);
    HORNER(p, v, -3.0587196456747096e-09); HORNER(p, v, 1.00091858626541e-06); HORNER(p, v, -1.8208078384029821e-06);
    HORNER(p, v, -5.628166935192924e-07); HORNER(p, v, 8.060040491028146e-06); HORNER(p, v, -1.0848057268891096e-05);
    HORNER(p, v, -1.7074336530735702e-05); HORNER(p, v, 7.223535061438543e-05); HORNER(p, v, -1.7185737594548938e-05);
    HORNER(p, v, -0.00033153674761946043); HORNER(p, v, 0.0004186480332964868); HORNER(p, v, 0.0015453060290576436);
    HORNER(p, v, -0.0032395925339865133); HORNER(p, v, -0.010755330944716365); HORNER(p, v, 0.018221115753442495);
    HORNER(p, v, 0.13973604627802688); HORNER(p, v, 0.34358034220690525); HORNER(p, v, 0.5107913526210115);
    return p;
}

INLINE double erf_f64(double x)
{
    double size = abs_f64(x), z = size > 6 ? 6 : size, t = 2 / (2 + z);
    return size < 1 ? erf_near_f64(x) : copysign_f64(1 - t * erfc_tail_f64(t) * exp_within_f64(-z * z), x);
}

INLINE double one_plus_erf_f64(double x) { return 1 + erf_f64(x); }

INLINE double erfc_f64(double x)
{
    /* exp(-z^2) of 26 digits of z, whose square is exact, and of the others */
    double size = abs_f64(x), z = size > 28 ? 28 : size, t = 2 / (2 + z);
    double first = from_bits_f64(bits_f64(z) & ~(int64_t)0x7ffffff), second = (z - first) * (z + first);
    double small = 1 - second * (1 - second * (0.5 - second * (1 / 6.0)));         /* exp(-second), of at most 3e-5 */
    double rest = t * erfc_tail_f64(t) * exp_f64(-first * first) * small;
    return size < 0.5 ? 1 - erf_near_f64(x) : x < 0 ? 2 - rest : rest;
}
#endif

#if FLOAT32
/* The same in double, with as many digits as float32 needs. */
INLINE float erfc_f32(float x)
{
    double size = abs_f32(x), z = size > 11 ? 11 : size, t = 2 / (2 + z), v = 2 * t - 1, p = -8.121255169990927e-06;
    HORNER_f64(p, v, 2.0723070957778818e-05); HORNER_f64(p, v, 4.179589658624269e-05); HORNER_f64(p, v, -0.00015463379082966594);
    HORNER_f64(p, v, -7.119731281770681e-05); HORNER_f64(p, v, 0.0006579538477710235); HORNER_f64(p, v, -0.00015613427318947993);
    HORNER_f64(p, v, -0.002339277724052592); HORNER_f64(p, v, 0.0017613393646453846); HORNER_f64(p, v, 0.00882355817764504);
    HORNER_f64(p, v, -0.009872980459293995); HORNER_f64(p, v, -0.046895482160995); HORNER_f64(p, v, 0.04734332036738016);
    HORNER_f64(p, v, 0.6726432205460084); HORNER_f64(p, v, -0.6717940841603572);
    double rest = t * exp_within_f64(p - z * z);
    return (float)(x < 0 ? 2 - rest : rest);
}
#endif

INLINE T F(logaddexp2)(T x, T y)
{
    T larger = F(maximum)(x, y);
    return x == y ? x + 1 : larger + F(log1p)(F(exp2)(-F(abs)(x - y))) * (T)LOG2_E;
}
