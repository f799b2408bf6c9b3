/* Sampling for one target and float type. The formulas are those of ops/grids.py, which says why they are as they are. */

/* The pixels around a block of places, one after the other along each dim, and of all dims together. */
typedef struct {
    int along[3];                                        /* how many there are along each dim */
    int32_t near[3][ALONG][BLOCK];                       /* their places, -1 where there is no pixel */
    REAL weight[3][ALONG][BLOCK], slope[3][ALONG][BLOCK];    /* their weights, and how these change with the grid's number */
    int around, outside;                                 /* how many there are, and whether some of them are none: below 0 then */
    int32_t at[AROUND][BLOCK];                           /* their indices in an image, or -1 */
} NAME(surroundings);

#if defined(__GNUC__) && !defined(__clang__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

static ALWAYS_INLINE REAL NAME(floor)(REAL x) { return sizeof(REAL) == 4 ? (REAL)__builtin_floorf((float)x) : (REAL)__builtin_floor((double)x); }
static ALWAYS_INLINE REAL NAME(rint)(REAL x) { return sizeof(REAL) == 4 ? (REAL)__builtin_rintf((float)x) : (REAL)__builtin_rint((double)x); }
static ALWAYS_INLINE REAL NAME(size)(REAL x) { return x < 0 ? -x : x; }

/* A place in pixels as the padding sees it; its slope is multiplied by how it moves. */
static ALWAYS_INLINE REAL NAME(inside)(int padding, int align_corners, REAL x, REAL size, REAL *slope)
{
    if (padding == ZEROS) {
        int there = x > (REAL)-1e9 && x < (REAL)1e9;
        *slope = there ? *slope : 0;
        return there ? x : -100;
    }
    if (padding == REFLECTION) {
        REAL low = align_corners ? 0 : (REAL)-0.5, span = align_corners ? size - 1 : size;
        REAL distance = NAME(size)(x - low), folds = NAME(floor)(distance / span), extra = distance - folds * span;
        int even = folds - 2 * NAME(floor)(folds / 2) == 0;
        REAL moves = x > low ? *slope : x < low ? -*slope : 0;
        *slope = even ? moves : -moves;
        x = even ? extra + low : span - extra + low;     /* where there is no span, NaN: the first pixel, then */
    }
    *slope = x > 0 && x < size - 1 ? *slope : 0;
    x = x > 0 ? x : 0;
    return x >= size - 1 ? size - 1 : x;
}

static ALWAYS_INLINE int32_t NAME(pixel)(REAL x, REAL size) { return x >= 0 && x < size ? (int32_t)x : -1; }

/* The cubic with A = -0.75, near its middle and further away, and their slopes. */
static ALWAYS_INLINE REAL NAME(close)(REAL d) { return ((REAL)1.25 * d - (REAL)2.25) * d * d + 1; }
static ALWAYS_INLINE REAL NAME(close_slope)(REAL d) { return ((REAL)3.75 * d - (REAL)4.5) * d; }
static ALWAYS_INLINE REAL NAME(far)(REAL d) { return (((REAL)-0.75 * d + (REAL)3.75) * d - 6) * d + 3; }
static ALWAYS_INLINE REAL NAME(far_slope)(REAL d) { return ((REAL)-2.25 * d + (REAL)7.5) * d - 6; }

/* What is around a block of places, along one dim; `place` holds the grid's numbers plus 1, times the size or what lies between corners. */
static ALWAYS_INLINE void NAME(look_along)(int mode, int padding, int align_corners, int moving, REAL size, const REAL *place, ptrdiff_t count,
                                           int32_t (*near)[BLOCK], REAL (*weight)[BLOCK], REAL (*slope)[BLOCK])
{
    const REAL scale = align_corners ? (size - 1) / 2 : size / 2;
    for (ptrdiff_t p = 0; p < count; p++) {
        REAL x = align_corners ? place[p] : (place[p] - 1) / 2, moves = scale;
        if (mode == BICUBIC) {
            REAL low = NAME(floor)(x), t = x - low;
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) near[k][p] = NAME(pixel)(NAME(inside)(padding, align_corners, low + (REAL)(k - 1), size, &moves), size);
            weight[0][p] = NAME(far)(t + 1), weight[1][p] = NAME(close)(t);
            weight[2][p] = NAME(close)(1 - t), weight[3][p] = NAME(far)(2 - t);
            slope[0][p] = scale * NAME(far_slope)(t + 1), slope[1][p] = scale * NAME(close_slope)(t);
            slope[2][p] = -scale * NAME(close_slope)(1 - t), slope[3][p] = -scale * NAME(far_slope)(2 - t);
            continue;
        }
        x = NAME(inside)(padding, align_corners, x, size, &moves);
        if (mode == NEAREST) {
            near[0][p] = NAME(pixel)(NAME(rint)(x), size);
            weight[0][p] = 1, slope[0][p] = 0;
            continue;
        }
        REAL low = NAME(floor)(x), part = x - low;
        near[0][p] = NAME(pixel)(low, size), near[1][p] = NAME(pixel)(low + 1, size);
        weight[0][p] = 1 - part, weight[1][p] = part;
        if (moving) slope[0][p] = -moves, slope[1][p] = moves;
    }
}

/* `lean`: of images and their four pixels alone, without slopes and without what is of all dims together. */
static ptrdiff_t NAME(look)(const sampling *s, ptrdiff_t image, ptrdiff_t block, int lean, NAME(surroundings) *found)
{
    ptrdiff_t first = block * BLOCK, count = s->places - first < BLOCK ? s->places - first : BLOCK;
    const REAL *grid = (const REAL *)s->grid + (image * s->places + first) * s->dims;
    for (int d = 0; d < 3; d++) {
        int along = s->mode == BICUBIC ? 4 : s->mode == NEAREST ? 1 : 2;
        REAL size = (REAL)s->size[d], place[BLOCK];
        found->along[d] = d < 3 - s->dims ? 1 : along;
        if (d < 3 - s->dims) {
            if (lean) continue;
            for (ptrdiff_t p = 0; p < count; p++) found->near[d][0][p] = 0, found->weight[d][0][p] = 1, found->slope[d][0][p] = 0;
            continue;
        }
        for (ptrdiff_t p = 0; p < count; p++)
            place[p] = s->align_corners ? (grid[p * s->dims + 2 - d] + 1) / 2 * (size - 1) : (grid[p * s->dims + 2 - d] + 1) * size;
        __asm__ volatile("" : : "r"(place) : "memory");  /* rounded here: the next step's subtraction may not become part of it */
#define LOOK_AS(a_mode, a_padding, moving) \
    NAME(look_along)(a_mode, a_padding, s->align_corners, moving, size, place, count, found->near[d], found->weight[d], found->slope[d]);
#define LOOK(a_mode, a_padding) if (s->mode == a_mode && s->padding == a_padding) LOOK_AS(a_mode, a_padding, 1)
        if (lean) {
            if (s->padding == ZEROS) LOOK_AS(BILINEAR, ZEROS, 0)
            else if (s->padding == BORDER) LOOK_AS(BILINEAR, BORDER, 0)
            else LOOK_AS(BILINEAR, REFLECTION, 0)
            continue;
        }
        LOOK(BILINEAR, ZEROS) LOOK(BILINEAR, BORDER) LOOK(BILINEAR, REFLECTION) LOOK(NEAREST, ZEROS) LOOK(NEAREST, BORDER)
        LOOK(NEAREST, REFLECTION) LOOK(BICUBIC, ZEROS) LOOK(BICUBIC, BORDER) LOOK(BICUBIC, REFLECTION)
#undef LOOK
#undef LOOK_AS
    }
    if (lean) return count;
    const int32_t high = (int32_t)s->size[1], wide = (int32_t)s->size[2];
    found->around = 0;
    found->outside = -1;
    for (int i = 0; i < found->along[0]; i++)
        for (int j = 0; j < found->along[1]; j++)
            for (int k = 0; k < found->along[2]; k++, found->around++)
                for (ptrdiff_t p = 0; p < count; p++) {
                    int32_t z = found->near[0][i][p], y = found->near[1][j][p], x = found->near[2][k][p];
                    found->at[found->around][p] = (z | y | x) < 0 ? -1 : (z * high + y) * wide + x;
                }
    return count;
}

/* The numbers of pixel `a` along each dim. */
static inline void NAME(corner)(const NAME(surroundings) *found, int a, int *of)
{
    of[2] = a % found->along[2];
    of[1] = a / found->along[2] % found->along[1];
    of[0] = a / found->along[2] / found->along[1];
}

/* The indices and the weights of images' four pixels, in one pass. */
static void NAME(four)(NAME(surroundings) *found, ptrdiff_t count, int32_t wide, int32_t (*at)[BLOCK], REAL (*weights)[BLOCK])
{
    int32_t outside = 0;
    for (ptrdiff_t p = 0; p < count; p++) {
        int32_t y0 = found->near[1][0][p], y1 = found->near[1][1][p], x0 = found->near[2][0][p], x1 = found->near[2][1][p];
        REAL v0 = found->weight[1][0][p], v1 = found->weight[1][1][p], w0 = found->weight[2][0][p], w1 = found->weight[2][1][p];
        at[0][p] = (y0 | x0) < 0 ? -1 : y0 * wide + x0, at[1][p] = (y0 | x1) < 0 ? -1 : y0 * wide + x1;
        at[2][p] = (y1 | x0) < 0 ? -1 : y1 * wide + x0, at[3][p] = (y1 | x1) < 0 ? -1 : y1 * wide + x1;
        weights[0][p] = v0 * w0, weights[1][p] = v0 * w1, weights[2][p] = v1 * w0, weights[3][p] = v1 * w1;
        outside |= y0 | y1 | x0 | x1;
    }
    found->around = 4, found->outside = outside;
}

static void NAME(weights)(const NAME(surroundings) *found, ptrdiff_t count, REAL (*weights)[BLOCK])
{
    for (int a = 0; a < found->around; a++) {
        int of[3];
        NAME(corner)(found, a, of);
        const REAL *z = found->weight[0][of[0]], *y = found->weight[1][of[1]], *x = found->weight[2][of[2]];
        for (ptrdiff_t p = 0; p < count; p++) weights[a][p] = z[p] * y[p] * x[p];
    }
}

/* What stands at a place times a factor, or 0 at none (were the factor infinite), without a branch: grids that lead outside
   here and there cannot be foretold. */
typedef __typeof__(__builtin_choose_expr(sizeof(REAL) == 4, (int32_t)0, (int64_t)0)) NAME(word);
static ALWAYS_INLINE REAL NAME(seen)(const REAL *x, int32_t at, REAL factor)
{
    NAME(word) bits, none = at >> 31;
    REAL value = x[at & ~(at >> 31)] * factor;
    memcpy(&bits, &value, sizeof bits);
    bits &= ~none;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* One channel at a block of places; `around` is a constant. */
static ALWAYS_INLINE void NAME(read)(const REAL *x, const NAME(surroundings) *found, REAL (*weights)[BLOCK], int around, ptrdiff_t count, REAL *out)
{
    for (ptrdiff_t p = 0; p < count; p++) {
        REAL sum = 0;
#pragma GCC unroll 16
        for (int a = 0; a < around; a++) {
            sum += NAME(seen)(x, found->at[a][p], 1) * weights[a][p];    /* a weight that is none spoils even what reads nothing */
        }
        out[p] = sum;
    }
}

static void NAME(sample_share)(void *given, Py_ssize_t number)
{
    const sampling *s = given;
    ptrdiff_t image = number / s->blocks, block = number % s->blocks, pixels = s->size[0] * s->size[1] * s->size[2];
    NAME(surroundings) found;
    REAL weights[AROUND][BLOCK];
    int lean = s->dims == 2 && s->mode == BILINEAR;
    ptrdiff_t count = NAME(look)(s, image, block, lean, &found);
    if (lean) NAME(four)(&found, count, (int32_t)s->size[2], found.at, weights);
    else NAME(weights)(&found, count, weights);
    for (ptrdiff_t c = image * s->channels; c < (image + 1) * s->channels; c++) {
        const REAL *x = (const REAL *)s->x + c * pixels;
        REAL *out = (REAL *)s->out + c * s->places + block * BLOCK;
        if (found.outside >= 0)
            for (ptrdiff_t p = 0; p < count; p++)
                out[p] = x[found.at[0][p]] * weights[0][p] + x[found.at[1][p]] * weights[1][p] + x[found.at[2][p]] * weights[2][p]
                         + x[found.at[3][p]] * weights[3][p];
        else if (found.around == 1) NAME(read)(x, &found, weights, 1, count, out);
        else if (found.around == 4) NAME(read)(x, &found, weights, 4, count, out);
        else if (found.around == 8) NAME(read)(x, &found, weights, 8, count, out);
        else NAME(read)(x, &found, weights, 16, count, out);
    }
}

/* One channel's gradient at a block of places; `around` is a constant. */
static ALWAYS_INLINE void NAME(give)(REAL *dx, const NAME(surroundings) *found, REAL (*weights)[BLOCK], int around, ptrdiff_t count, const REAL *g)
{
    for (ptrdiff_t p = 0; p < count; p++)
#pragma GCC unroll 16
        for (int a = 0; a < around; a++) {
            int32_t at = found->at[a][p];
            if (at >= 0) dx[at] += g[p] * weights[a][p];
        }
}

/* The gradient of some channels of one image. */
static void NAME(image_share)(void *given, Py_ssize_t number)
{
    const sampling *s = given;
    ptrdiff_t image = number / s->channel_parts, first = number % s->channel_parts * s->channels_each;
    ptrdiff_t last = first + s->channels_each < s->channels ? first + s->channels_each : s->channels;
    ptrdiff_t pixels = s->size[0] * s->size[1] * s->size[2];
    NAME(surroundings) found;
    REAL weights[AROUND][BLOCK];
    if (first >= last) return;
    memset((REAL *)s->dx + (image * s->channels + first) * pixels, 0, (size_t)((last - first) * pixels) * sizeof(REAL));
    for (ptrdiff_t block = 0; block < s->blocks; block++) {
        int lean = s->dims == 2 && s->mode == BILINEAR;
        ptrdiff_t count = NAME(look)(s, image, block, lean, &found);
        if (lean) NAME(four)(&found, count, (int32_t)s->size[2], found.at, weights);
        else NAME(weights)(&found, count, weights);
        for (ptrdiff_t c = image * s->channels + first; c < image * s->channels + last; c++) {
            REAL *dx = (REAL *)s->dx + c * pixels;
            const REAL *g = (const REAL *)s->g + c * s->places + block * BLOCK;
            if (found.around == 1) NAME(give)(dx, &found, weights, 1, count, g);
            else if (found.around == 4) NAME(give)(dx, &found, weights, 4, count, g);
            else if (found.around == 8) NAME(give)(dx, &found, weights, 8, count, g);
            else NAME(give)(dx, &found, weights, 16, count, g);
        }
    }
}

/* The gradient of a block of places: what each pixel around a place was worth, over all channels, times how its weight changes. */
static void NAME(grid_share)(void *given, Py_ssize_t number)
{
    const sampling *s = given;
    ptrdiff_t image = number / s->blocks, block = number % s->blocks, pixels = s->size[0] * s->size[1] * s->size[2];
    NAME(surroundings) found;
    REAL worth[AROUND][BLOCK] = {0};
    ptrdiff_t count = NAME(look)(s, image, block, 0, &found);
    for (ptrdiff_t c = image * s->channels; c < (image + 1) * s->channels; c++) {
        const REAL *x = (const REAL *)s->x + c * pixels, *g = (const REAL *)s->g + c * s->places + block * BLOCK;
        for (int a = 0; a < found.around; a++)
            for (ptrdiff_t p = 0; p < count; p++)
                worth[a][p] += NAME(seen)(x, found.at[a][p], g[p]);
    }
    REAL *to = (REAL *)s->dgrid + (image * s->places + block * BLOCK) * s->dims;
    memset(to, 0, (size_t)(count * s->dims) * sizeof(REAL));
    for (int a = 0; a < found.around; a++) {
        int of[3];
        NAME(corner)(&found, a, of);
        for (int d = (int)(3 - s->dims); d < 3; d++) {
            int e = d == 0 ? 1 : 0, f = d == 2 ? 1 : 2;
            const REAL *slope = found.slope[d][of[d]], *one = found.weight[e][of[e]], *other = found.weight[f][of[f]];
            for (ptrdiff_t p = 0; p < count; p++) to[p * s->dims + 2 - d] += worth[a][p] * slope[p] * one[p] * other[p];
        }
    }
}
#undef ALWAYS_INLINE
