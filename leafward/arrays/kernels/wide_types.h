/* The template for float32 and float64, with the exponential and the logarithm of float64 for both. */
#define WIDE(function) GLUE(function, TARGET, double)

/* exp(x) for x <= 0, to 1 ulp: 0 for what is below the smallest normal number, or no number. */
static inline __attribute__((always_inline, unused)) double WIDE(power)(double x)
{
    const double magic = 0x1.8p52;                  /* beside it the last bits of a sum are an integer */
    double y = x > -708 ? x : -708, shifted = y * 1.4426950408889634 + magic, n = shifted - magic;
    double r = y - n * 0x1.62e42feep-1;
    r = r - n * 0x1.a39ef35793c76p-33;
    double q = 2.0914679376583935e-9;
    q = q * r + 2.5105206373957011e-8; q = q * r + 2.7557273661348636e-7; q = q * r + 2.7557255425746434e-6;
    q = q * r + 2.4801587325533364e-5; q = q * r + 0.00019841269874800492; q = q * r + 0.0013888888888883752;
    q = q * r + 0.0083333333333261409; q = q * r + 0.04166666666666667; q = q * r + 0.16666666666666671; q = q * r + 0.5;
    union { double value; int64_t bits; } two = {shifted + 1023};
    two.bits = (int64_t)((uint64_t)two.bits << 52);
    return x > -708 ? two.value * (1 + (r * r * q + r)) : 0;
}

/* log(x) of a finite normal x > 0, to 1 ulp. */
static inline __attribute__((always_inline, unused)) double WIDE(logarithm)(double x)
{
    union { double value; uint64_t bits; } u = {x}, m, k;
    uint64_t biased = (u.bits - 0x3fe6a09e667f3bcd + ((uint64_t)1 << 63)) >> 52;        /* its exponent beside sqrt(1/2), and 2048 */
    k.bits = biased | 0x4330000000000000;
    m.bits = u.bits - ((biased - 2048) << 52);
    double n = k.value - (0x1p52 + 2048), f = m.value - 1, s = f / (2 + f), z = s * s, half_square = 0.5 * f * f;
    double r = 0.13086767009948174;
    r = r * z + 0.13268759668560613; r = r * z + 0.15386240205813478; r = r * z + 0.18181795630884753;
    r = r * z + 0.22222222391800469; r = r * z + 0.2857142857080323; r = r * z + 0.40000000000000878;
    r = r * z + 0.66666666666666666;
    return n * 0x1.62e42feep-1 - ((half_square - (s * (z * r + half_square) + n * 0x1.a39ef35793c76p-33)) - f);
}

#include "for_both_types.h"
#undef WIDE
