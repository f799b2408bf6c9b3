/* Functions with a loop inside, element by element: orthogonal polynomials by their recurrences, the zeta function and the
 * incomplete gamma functions.
 *
 * The same as in leafward/arrays/polynomials.py, special.py and incomplete.py, which say where they are from. Once per type. */

/* p[n](x) from p[0] = 1 and p[1] = FIRST; NEXT makes p[k + 1] of p[k], which is `p`, and p[k - 1], `before`. */
#define BY_RECURRENCE(name, FIRST, NEXT) \
    static inline T F(name##_climbs)(T x, int64_t n) \
    { \
        T before = 1, p = FIRST; \
        if (n <= 0) return n == 0; \
        for (int64_t k = 1; k < n; k++) { \
            T next = NEXT; \
            before = p; \
            p = next; \
            if (p != p) break; \
        } \
        return p; \
    }
#define POLYNOMIAL(name, FIRST, NEXT) \
    BY_RECURRENCE(name, FIRST, NEXT) \
    static inline T F(name)(T x, T n) { return F(name##_climbs)(x, F(degree)(n)); }
/* On [-1, 1] a high degree is taken from the angle whose cosine x is; of a negative x from that of -x, by parity. */
#define CHEBYSHEV(letter, FIRST, PARTNER) \
    BY_RECURRENCE(chebyshev_polynomial_##letter, FIRST, 2 * x * p - before) \
    static inline T F(chebyshev_polynomial_##letter)(T x, T n) \
    { \
        int64_t degree = F(degree)(n); \
        if (degree <= 8 || !(F(abs)(x) <= 1)) return F(chebyshev_polynomial_##letter##_climbs)(x, degree); \
        double angle = acos(fabs((double)x)); \
        return (T)(x < 0 ? (degree & 1 ? -1 : 1) * angle_##PARTNER(angle, degree) : angle_##letter(angle, degree)); \
    } \
    static inline T F(shifted_chebyshev_polynomial_##letter)(T x, T n) { return F(chebyshev_polynomial_##letter)(2 * x - 1, n); }

#if !FLOAT32
static inline double angle_t(double angle, double n) { return cos(n * angle); }
static inline double angle_u(double angle, double n) { return angle == 0 ? n + 1 : sin((n + 1) * angle) / sin(angle); }
static inline double angle_v(double angle, double n) { return cos((n + 0.5) * angle) / cos(angle / 2); }
static inline double angle_w(double angle, double n) { return angle == 0 ? 2 * n + 1 : sin((n + 0.5) * angle) / sin(angle / 2); }
#endif

/* A degree is cut to a whole number; what is none, or beyond them, is below 0. */
static inline int64_t F(degree)(T n) { return F(abs)(n) < (T)0x1p63 ? (int64_t)n : -1; }

CHEBYSHEV(t, x, t)
CHEBYSHEV(u, 2 * x, u)
CHEBYSHEV(v, 2 * x - 1, w)
CHEBYSHEV(w, 2 * x + 1, v)
POLYNOMIAL(hermite_polynomial_h, 2 * x, 2 * x * p - 2 * k * before)
POLYNOMIAL(hermite_polynomial_he, x, x * p - k * before)
POLYNOMIAL(laguerre_polynomial_l, 1 - x, ((2 * k + 1 - x) * p - k * before) / (k + 1))
POLYNOMIAL(legendre_polynomial_p, x, ((2 * k + 1) * x * p - k * before) / (k + 1))

#if !FLOAT32
static double zeta_f64(double s, double q)
{
    static const double bernoulli[] = {1 / 12.0, -1 / 720.0, 1 / 30240.0, -1 / 1209600.0, 1 / 47900160.0, -691 / 1307674368000.0,
                                       1 / 74724249600.0};
    if (s == 1) return INFINITY;
    if (s < 1) return NAN;
    if (q <= 0 && q == floor(q)) return INFINITY;
    if (q <= 0 && s != floor(s)) return NAN;
    if (s == INFINITY) return q == 1 ? 1 : q < 1 ? INFINITY : NAN;      /* only terms of at most one in size count */
    if (q < -30 && q > -INFINITY) {             /* from above zero on, and what lies below it, mirrored */
        double near = q - floor(q);
        return zeta_f64(s, near) + (fmod(s, 2) == 0 ? 1 : -1) * (zeta_f64(s, 1 - near) - zeta_f64(s, 1 - q));
    }
    if (s != s || q != q) return NAN;
    double a = q, total = pow(a, -s);
    for (int k = 1; k < 10 || (a <= 9 && a > -INFINITY); k++) total += pow(a = q + k, -s);
    total += pow(a, 1 - s) / (s - 1) - 0.5 * pow(a, -s);
    double term = s * pow(a, -s - 1);
    for (int j = 0; j < 7; j++) {
        total += bernoulli[j] * term;
        term *= (s + 2 * j + 1) * (s + 2 * j + 2) / (a * a);
    }
    return total;
}
#else
static inline float zeta_f32(float s, float q) { return (float)zeta_f64(s, q); }
#endif

#if !FLOAT32
enum { MOST_TERMS = 400000 };                       /* all that follow are summed until the next no longer counts */

/* x^a exp(-x) / gamma(a) */
static double density_times_x(double a, double x)
{
    double t = (x - a) / a;
    int sign;
    if (a > 100 && fabs(t) < 0.5)
        return exp(a * (log1p(t) - t) + 0.5 * log(a / (2 * 3.14159265358979323846)) - (1 / (12 * a) - 1 / (360 * a * a * a)));
    return exp(a * log(x) - x - lgamma_r(a, &sign));
}

static double lower_share(double a, double x, double eps)
{
    double term = density_times_x(a, x) / a, total = term;
    for (int n = 1; n < MOST_TERMS && term > eps * total; n++) {
        term *= x / (a + n);
        total += term;
    }
    return total;
}

static double upper_share(double a, double x, double eps)
{
    double b = x + 1 - a, c = 1 / 1e-300, d = 1 / b, h = d, change = 0;
    for (int n = 1; n < MOST_TERMS && fabs(change - 1) > 4 * eps; n++) {
        double numerator = -n * (n - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        change = c * d;
        h *= change;
    }
    return density_times_x(a, x) * h;
}

/* Shapes below 0.2 where x < a + 1: 1 - lower_share would have none of its digits; as in arrays/incomplete.py. */
static double upper_share_of_small(double a, double x)
{
    static const double lgamma_of_one_and[] = {
        0.3224670334241132, -0.0673523010531981, 0.020580808427784546, -0.007385551028673986, 0.0028905103307415234,
        -0.001192753911703261, 0.0005096695247430425, -0.00022315475845357939, 9.945751278180853e-05,
        -4.492623673813314e-05, 2.050721277567069e-05, -9.439488275268397e-06, 4.374866789907488e-06};
    double series = 0, power = 1, total = 0;
    for (int k = 12; k >= 0; k--) series = series * a + lgamma_of_one_and[k];
    double log_r = a * log(x) - (a * (1 - 0.57721566490153286061) - log1p(a) + a * a * series);
    for (int k = 1; k < 25; k++) {
        power *= -x / k;
        total += power / (a + k);
    }
    return -expm1(log_r) - exp(log_r) * a * total;
}

/* Shapes from a million on, where the sums have too many terms: Temme's expansion, as in arrays/incomplete.py. */
static double share_of_large(double a, double x, int above)
{
    double m = (x - a) / a, half_square = m - log1p(m), rest = 0;
    if (fabs(m) < 0.05) {                           /* there that cancels: its series, to the last digit */
        double series = 0;
        for (int k = 13; k >= 0; k--) series = series * m + (k % 2 ? -1.0 : 1.0) / (k + 2);
        half_square = m * m * series;
        double eta = copysign(sqrt(2 * half_square), m);
        double first = -1 / 3. + eta * (1 / 12. + eta * (-2 / 135. + eta * (1 / 864. + eta * (1 / 2835. - eta * 139 / 777600))));
        rest = exp(-a * half_square) / sqrt(2 * 3.14159265358979323846 * a) * (first - 1 / (540 * a));
    }
    double z = copysign(sqrt(a * half_square), m);
    return above ? erfc(z) / 2 + rest : erfc(-z) / 2 - rest;
}

/* The share of the gamma function's integral below x, or above it. */
static double share_of_gamma(double a, double x, double eps, int above)
{
    if (x == 0 && !(a <= 0)) return above;
    if ((a == 0 && x > 0) || (a >= 0 && a < INFINITY && x == INFINITY)) return !above;
    if (a == INFINITY && x >= 0 && x < INFINITY) return above;
    if (!(a > 0 && x > 0 && a < INFINITY && x < INFINITY)) return NAN;
    if (a >= 1e6) return share_of_large(a, x, above);
    if (above && a < 0.2 && x < a + 1) return upper_share_of_small(a, x);
    if (x < a + 1) return above ? 1 - lower_share(a, x, eps) : lower_share(a, x, eps);
    return above ? upper_share(a, x, eps) : 1 - upper_share(a, x, eps);
}
#endif
static inline T F(igamma)(T a, T x) { return (T)share_of_gamma(a, x, FLOAT32 ? 0x1p-32 : 0x1p-53, 0); }
static inline T F(igammac)(T a, T x) { return (T)share_of_gamma(a, x, FLOAT32 ? 0x1p-32 : 0x1p-53, 1); }
