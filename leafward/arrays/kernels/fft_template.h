/* Fourier transforms for one target and float type: number j of the line in lane l is lanes[j * LANES + l], real parts before
 * imaginary ones. A backward transform is a forward one of numbers whose parts have changed places. */

/* The two parts are not powers of two apart, or they would fall on the same places of a cache. */
#define APART(points) ((ptrdiff_t)(points) * LANES + 272)

/* Radix 4: each point of y is made of four of x, which are m * s apart (Stockham's order, which needs no reversal of bits). */
static void NAME(pass_of_four)(const REAL *xr, const REAL *xi, REAL *yr, REAL *yi, ptrdiff_t m, ptrdiff_t s, const REAL *turn)
{
    ptrdiff_t block = s * LANES, apart = m * block;
    for (ptrdiff_t p = 0; p < m; p++, turn += 6)
        for (ptrdiff_t k = 0; k < block; k += LANES) {
            const VECTOR *r = (const VECTOR *)(xr + p * block + k), *i = (const VECTOR *)(xi + p * block + k);
            VECTOR *to_r = (VECTOR *)(yr + 4 * p * block + k), *to_i = (VECTOR *)(yi + 4 * p * block + k);
            VECTOR ar = r[0], br = r[m * s], cr = r[2 * m * s], dr = r[3 * m * s];
            VECTOR ai = i[0], bi = i[m * s], ci = i[2 * m * s], di = i[3 * m * s];
            VECTOR even_r = ar + cr, even_i = ai + ci, odd_r = br + dr, odd_i = bi + di;
            VECTOR left_r = ar - cr, left_i = ai - ci, right_r = br - dr, right_i = bi - di;
            VECTOR r1 = left_r + right_i, i1 = left_i - right_r, r2 = even_r - odd_r, i2 = even_i - odd_i;
            VECTOR r3 = left_r - right_i, i3 = left_i + right_r;
            to_r[0] = even_r + odd_r;
            to_i[0] = even_i + odd_i;
            to_r[s] = r1 * turn[0] - i1 * turn[1];
            to_i[s] = r1 * turn[1] + i1 * turn[0];
            to_r[2 * s] = r2 * turn[2] - i2 * turn[3];
            to_i[2 * s] = r2 * turn[3] + i2 * turn[2];
            to_r[3 * s] = r3 * turn[4] - i3 * turn[5];
            to_i[3 * s] = r3 * turn[5] + i3 * turn[4];
        }
}

/* The last of an odd number of halvings. */
static void NAME(pass_of_two)(const REAL *x, REAL *y, ptrdiff_t s)
{
    const VECTOR *from = (const VECTOR *)x;
    VECTOR *to = (VECTOR *)y;
    for (ptrdiff_t k = 0; k < s; k++) {
        VECTOR a = from[k], b = from[k + s];
        to[k] = a + b;
        to[k + s] = a - b;
    }
}

/* Transforms the numbers in `a`; the result is in whichever of the two is returned. */
static REAL *NAME(transformed)(REAL *a, REAL *b, ptrdiff_t points, int backward, const REAL *turn)
{
    ptrdiff_t n = points, s = 1, r = backward ? APART(points) : 0, i = backward ? 0 : APART(points);
    for (; n >= 4; n /= 4, s *= 4) {
        NAME(pass_of_four)(a + r, a + i, b + r, b + i, n / 4, s, turn);
        turn += 6 * (n / 4);
        REAL *swapped = a;
        a = b;
        b = swapped;
    }
    if (n == 1) return a;
    NAME(pass_of_two)(a + r, b + r, s);
    NAME(pass_of_two)(a + i, b + i, s);
    return b;
}

/* Numbers of LANES lines that are `each` apart, to lanes. Lines that lie beside each other, `between` apart, go in one stretch. */
static void NAME(bring)(const REAL *const *lines, ptrdiff_t each, ptrdiff_t between, ptrdiff_t points, REAL *lanes)
{
    if (between)
        for (ptrdiff_t j = 0; j < points; j++)
            for (ptrdiff_t l = 0; l < LANES; l++) lanes[j * LANES + l] = lines[0][j * each + l * between];
    else
        for (ptrdiff_t start = 0; start < points; start += PIECE)
            for (ptrdiff_t l = 0; l < LANES; l++)
                for (ptrdiff_t j = start; j < points && j < start + PIECE; j++) lanes[j * LANES + l] = lines[l][j * each];
}

static void NAME(give)(const REAL *lanes, ptrdiff_t points, REAL scale, REAL *const *lines, ptrdiff_t each, ptrdiff_t between,
                       ptrdiff_t count)
{
    if (between)
        for (ptrdiff_t j = 0; j < points; j++)
            for (ptrdiff_t l = 0; l < LANES; l++) lines[0][j * each + l * between] = lanes[j * LANES + l] * scale;
    else
        for (ptrdiff_t start = 0; start < points; start += PIECE)
            for (ptrdiff_t l = 0; l < count; l++)
                for (ptrdiff_t j = start; j < points && j < start + PIECE; j++) lines[l][j * each] = lanes[j * LANES + l] * scale;
}

/* Of z[j] = x[2 j] + i x[2 j + 1], transformed, the spectrum of x: from `points` numbers in `a` to one more in `b`. */
static void NAME(untangle)(const REAL *a, REAL *b, ptrdiff_t points, const REAL *half)
{
    for (ptrdiff_t k = 0; k <= points; k++) {
        const VECTOR *z = (const VECTOR *)(a + k % points * LANES), *w = (const VECTOR *)(a + (points - k) % points * LANES);
        VECTOR zr = *z, wr = *w, zi = *(const VECTOR *)((const REAL *)z + APART(points)), wi = *(const VECTOR *)((const REAL *)w + APART(points));
        VECTOR even_r = zr + wr, even_i = zi - wi, odd_r = zi + wi, odd_i = wr - zr;
        REAL c = half[2 * k] * (REAL)0.5, d = half[2 * k + 1] * (REAL)0.5;
        *(VECTOR *)(b + k * LANES) = even_r * (REAL)0.5 + odd_r * c - odd_i * d;
        *(VECTOR *)(b + APART(points + 1) + k * LANES) = even_i * (REAL)0.5 + odd_r * d + odd_i * c;
    }
}

/* The reverse, without the halving; what a real signal cannot have, the imaginary parts of both ends, is left out. */
static void NAME(tangle)(REAL *a, REAL *b, ptrdiff_t points, const REAL *half)
{
    REAL *imaginary = a + APART(points + 1);
    for (ptrdiff_t l = 0; l < LANES; l++) imaginary[l] = imaginary[points * LANES + l] = 0;
    for (ptrdiff_t k = 0; k < points; k++) {
        VECTOR xr = *(const VECTOR *)(a + k * LANES), xi = *(const VECTOR *)(imaginary + k * LANES);
        VECTOR yr = *(const VECTOR *)(a + (points - k) * LANES), yi = *(const VECTOR *)(imaginary + (points - k) * LANES);
        VECTOR odd_r = xr - yr, odd_i = xi + yi;
        REAL c = half[2 * k], d = -half[2 * k + 1];
        *(VECTOR *)(b + k * LANES) = xr + yr - (odd_r * d + odd_i * c);
        *(VECTOR *)(b + APART(points) + k * LANES) = xi - yi + (odd_r * c - odd_i * d);
    }
}

static ptrdiff_t NAME(lanes)(void) { return LANES; }

/* Some groups of lines. */
static void NAME(lines_share)(void *given, Py_ssize_t number)
{
    fft *f = given;
    ptrdiff_t n = f->points, first = number * f->groups_each * LANES, end = first + f->groups_each * LANES;
    int from_real = f->kind == TO_HALF, to_real = f->kind == FROM_HALF;
    /* Numbers of a line in x and out, and REALs from one complex number, or pair of real ones, to the next, and to its second. */
    ptrdiff_t in_points = f->kind == COMPLEX ? n : from_real ? 2 * n : n + 1, out_points = f->kind == COMPLEX ? n : to_real ? 2 * n : n + 1;
    ptrdiff_t each = 2 * f->inner, in_second = from_real ? f->inner : 1, out_second = to_real ? f->inner : 1;
    ptrdiff_t in_width = from_real ? 1 : 2, out_width = to_real ? 1 : 2;
    REAL *a = malloc(2 * (size_t)APART(n + 1) * sizeof(REAL)), *b = malloc(2 * (size_t)APART(n + 1) * sizeof(REAL));
    if (a == NULL || b == NULL) f->failed = -1;
    else
        for (; first < end && first < f->lines; first += LANES) {
            const REAL *from[LANES], *second_from[LANES];
            REAL *to[LANES], *second_to[LANES];
            ptrdiff_t count = f->lines - first < LANES ? f->lines - first : LANES;
            for (ptrdiff_t l = 0; l < LANES; l++) {                 /* lanes beyond the last line repeat the first */
                ptrdiff_t line = first + (l < count ? l : 0), before = line / f->inner * f->inner, beside = line % f->inner;
                from[l] = (const REAL *)f->x + (before * in_points + beside) * in_width;
                to[l] = (REAL *)f->out + (before * out_points + beside) * out_width;
                second_from[l] = from[l] + in_second;
                second_to[l] = to[l] + out_second;
            }
            int side_by_side = count == LANES && first % f->inner + LANES <= f->inner;
            ptrdiff_t points = to_real ? n + 1 : n;
            NAME(bring)(from, each, side_by_side ? in_width : 0, points, a);
            NAME(bring)(second_from, each, side_by_side ? in_width : 0, points, a + APART(points));
            REAL *made = a;
            if (to_real) NAME(tangle)(a, made = b, n, f->halves);
            made = NAME(transformed)(made, made == a ? b : a, n, f->backward, f->turns);
            points = from_real ? n + 1 : n;
            if (from_real) {
                REAL *spectrum = made == a ? b : a;
                NAME(untangle)(made, spectrum, n, f->halves);
                made = spectrum;
            }
            NAME(give)(made, points, (REAL)f->scale, to, each, side_by_side ? out_width : 0, count);
            NAME(give)(made + APART(points), points, (REAL)f->scale, second_to, each, side_by_side ? out_width : 0, count);
        }
    free(a);
    free(b);
}
#undef APART
