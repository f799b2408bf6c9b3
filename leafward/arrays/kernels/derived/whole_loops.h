/* The derived loops for one type of whole numbers T, and what NumPy has for these: everything wraps around (-fwrapv). */

INLINE T F(abs)(T x) { return (T)(x < 0 ? -x : x); }
INLINE T F(sign)(T x) { return (T)((x > 0) - (x < 0)); }
INLINE T F(sgn)(T x) { return F(sign)(x); }
INLINE T F(maximum)(T x, T y) { return x > y ? x : y; }
INLINE T F(minimum)(T x, T y) { return x < y ? x : y; }
INLINE T F(fmax)(T x, T y) { return F(maximum)(x, y); }
INLINE T F(fmin)(T x, T y) { return F(minimum)(x, y); }

/* By as many bits as there are, or by fewer than none, all are shifted out. */
#define BITS_OF_T ((int)(8 * sizeof(T)))
INLINE int F(is_within)(T y) { return (y >= 0) & (y < BITS_OF_T); }
INLINE T F(bitwise_left_shift)(T x, T y) { return F(is_within)(y) ? (T)(x << (y & (BITS_OF_T - 1))) : 0; }
INLINE T F(bitwise_right_shift)(T x, T y) { return F(is_within)(y) ? (T)(x >> (y & (BITS_OF_T - 1))) : x < 0 ? (T)-1 : 0; }

/* Without a sign: the smallest of integers has no positive one. */
#if KIND == 7
#define UNSIGNED uint64_t
#else
#define UNSIGNED uint32_t
#endif
INLINE UNSIGNED F(size)(T x) { return x < 0 ? -(UNSIGNED)x : (UNSIGNED)x; }
INLINE UNSIGNED F(common)(UNSIGNED x, UNSIGNED y)
{
    while (y != 0) {
        UNSIGNED rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}
INLINE T F(gcd)(T x, T y) { return (T)F(common)(F(size)(x), F(size)(y)); }
INLINE T F(lcm)(T x, T y)
{
    UNSIGNED common = F(common)(F(size)(x), F(size)(y));
    return common == 0 ? 0 : (T)(F(size)(x) / common * F(size)(y));
}
#include "loops.inc"
#undef BITS_OF_T
#undef UNSIGNED
#undef T
#undef F
#undef KIND
