/* Powers, remainders and neighbours, by the means of vector_math.h: included after it, once per type. */

#if FLOAT32
/* As 2^24 is beyond the odd numbers of float32, so are the double that come of its logarithm exact enough for it. */
INLINE float power_f32(float x, float y)
{
    double size = abs_f32(x), power = exp_f64((double)y * log_f64(size));
    float half = y * 0.5f;
    int whole = rint_f32(y) == y, odd = whole & (rint_f32(half) != half);
    float z = (float)((size == 1) | (y == 0) ? 1 : power);
    z = (signbit_f32(x) & odd) ? -z : z;
    return (x < 0) & !whole & (size < INFINITY) ? NAN : (x == 1) | (y == 0) ? 1 : z;
}
#endif

/* x - n y is exact where the quotient has no more digits than n: of float32 in double, of double where the processor has fused
 * products. Beyond, and where there is nothing to divide by, a loop runs element by element. */
#if FLOAT32
#define MOST_QUOTIENT 0x1p28
#elif defined(__FMA__)
#undef MOST_QUOTIENT
#define MOST_QUOTIENT 0x1p52
#else
#define MOST_QUOTIENT (-1)
#endif
INLINE int F(is_far_from)(T x, T y)
{
    return !(__builtin_fabs((double)x / (double)y) <= MOST_QUOTIENT) | (F(abs)(y) == INFINITY);
}

INLINE T F(fmod)(T x, T y)
{
    double size = __builtin_fabs((double)x), by = __builtin_fabs((double)y), n = __builtin_trunc(size / by);
#ifdef __FMA__
    double r = __builtin_fma(-n, by, size);
#else
    double r = size - n * by;
#endif
    r = r < 0 ? r + by : r;                         /* the quotient was rounded up to a whole number */
    return F(copysign)((T)r, x);
}

/* The sign of the divisor, or (C's) that of the dividend. */
INLINE T F(turned_towards)(T r, T y)
{
    return r == 0 ? F(copysign)(r, y) : F(signbit)(r) != F(signbit)(y) ? r + y : r;
}

INLINE T F(quotient_below)(T x, T y, T r)
{
    T q = (x - r) / y - (T)((r != 0) & (F(signbit)(r) != F(signbit)(y)));
    T below = F(floor)(q), quotient = x / y;
    below += (T)(q - below > (T)0.5);
    return y == 0 ? quotient : q == 0 ? F(copysign)(0, quotient) : below;
}

INLINE T F(remainder)(T x, T y) { return F(turned_towards)(F(fmod)(x, y), y); }
INLINE T F(floor_divide)(T x, T y) { return F(quotient_below)(x, y, F(fmod)(x, y)); }
static inline T F(any_fmod)(T x, T y) { return FLOAT32 ? (T)fmodf(x, y) : (T)fmod(x, y); }
static inline T F(any_remainder)(T x, T y) { return F(turned_towards)(F(any_fmod)(x, y), y); }
static inline T F(any_floor_divide)(T x, T y) { return F(quotient_below)(x, y, F(any_fmod)(x, y)); }

/* Numbers of one sign are in the order of their bits. */
INLINE T F(nextafter)(T x, T y)
{
    BITS away = (y > x) == (x > 0) ? 1 : -1;
    T next = x == 0 ? F(copysign)(F(from_bits)(1), y) : F(from_bits)(F(bits)(x) + away);
    return (x != x) | (y != y) ? x + y : x == y ? y : next;
}
