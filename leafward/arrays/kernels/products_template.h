/* A product of two matrices on one thread, for one target and float type.
 *
 * PIECE terms at a time, y is packed in panels as wide as a tile; x, if its terms do not lie side by side, in panels as high as one. So
 * no sum has more terms one after the other than PIECE, and each output's are added up in one order, however a product is cut. */
#include "turn.h"

#if BROAD
#define HIGH 8
#else
#define HIGH 4
#endif
#define ROWS HIGH
#define VECTORS 3
#include "products_tile.h"
#undef VECTORS
#define VECTORS 2
#include "products_tile.h"
#undef VECTORS
#define VECTORS 1
#include "products_tile.h"
#undef VECTORS
#undef ROWS
#define ROWS 1
#define VECTORS 3
#include "products_tile.h"
#undef VECTORS
#define VECTORS 2
#include "products_tile.h"
#undef VECTORS
#define VECTORS 1
#include "products_tile.h"
#undef VECTORS
#undef ROWS

typedef void (*NAME(tile_function))(const REAL *, ptrdiff_t, ptrdiff_t, const REAL *, ptrdiff_t, REAL *, ptrdiff_t, int);
static const NAME(tile_function) NAME(high_tiles)[] = {NAME(GLUE(tile, HIGH, 1)), NAME(GLUE(tile, HIGH, 2)), NAME(GLUE(tile, HIGH, 3))};
static const NAME(tile_function) NAME(flat_tiles)[] = {NAME(GLUE(tile, 1, 1)), NAME(GLUE(tile, 1, 2)), NAME(GLUE(tile, 1, 3))};

/* Of y, to[k * width + i] = its number at term k and place i < count, and 0 for the places up to `width`. */
static void NAME(pack_panel)(const REAL *from, ptrdiff_t pitch, int turned, ptrdiff_t terms, ptrdiff_t count, ptrdiff_t width, REAL *to)
{
    if (count < width) memset(to, 0, (size_t)(terms * width) * sizeof(REAL));
    if (turned) NAME(turn_matrix)(from, pitch, count, terms, to, width);
    else if (count == 3 * LANES)
        for (ptrdiff_t k = 0; k < terms; k++) {
            const VECTOR *line = (const VECTOR *)(from + k * pitch);
            VECTOR *into = (VECTOR *)(to + k * width);
            into[0] = line[0], into[1] = line[1], into[2] = line[2];
        }
    else
        for (ptrdiff_t k = 0; k < terms; k++) memcpy(to + k * width, from + k * pitch, (size_t)count * sizeof(REAL));
}

/* All panels of some terms of y, one after the other. */
static void NAME(pack_panels)(const REAL *from, ptrdiff_t pitch, int turned, ptrdiff_t terms, ptrdiff_t m, REAL *to)
{
    for (ptrdiff_t c = 0; c < m; c += 3 * LANES) {
        ptrdiff_t width = m - c < 3 * LANES ? m - c : 3 * LANES;
        NAME(pack_panel)(from + c * (turned ? pitch : 1), pitch, turned, terms, width, (width + LANES - 1) / LANES * LANES, to + c * terms);
    }
}

/* Of x, to[row / HIGH][k][row % HIGH] = its number at term k and row. */
static void NAME(pack_rows)(const REAL *from, ptrdiff_t pitch, int turned, ptrdiff_t terms, ptrdiff_t rows, REAL *to)
{
    for (ptrdiff_t r = 0; r < rows; r += HIGH, to += HIGH * terms, from += HIGH * (turned ? 1 : pitch)) {
        ptrdiff_t count = rows - r < HIGH ? rows - r : HIGH;
        if (!turned) NAME(turn_matrix)(from, pitch, count, terms, to, HIGH);
        else if (count == HIGH)
            for (ptrdiff_t k = 0; k < terms; k++) memcpy(to + k * HIGH, from + k * pitch, HIGH * sizeof(REAL));
        else
            for (ptrdiff_t k = 0; k < terms; k++) memcpy(to + k * HIGH, from + k * pitch, (size_t)count * sizeof(REAL));
    }
}

/* Outputs of one panel of y: whole tiles straight into `out`, those at the right edge by way of a whole tile. */
static void NAME(one_panel)(const REAL *x, ptrdiff_t x_pitch, int packed, const REAL *y, ptrdiff_t terms, ptrdiff_t n, ptrdiff_t width,
                            REAL *out, ptrdiff_t pitch, int more)
{
    REAL whole[HIGH * 3 * LANES];
    int vectors = (int)((width + LANES - 1) / LANES), cut = width < vectors * LANES;
    ptrdiff_t to_pitch = cut ? vectors * LANES : pitch, down = packed ? 1 : x_pitch, step = packed ? HIGH : 1;
    for (ptrdiff_t row = 0; row < n; row += HIGH, x += HIGH * (packed ? terms : x_pitch), out += HIGH * pitch) {
        ptrdiff_t rows = n - row < HIGH ? n - row : HIGH;
        REAL *to = cut ? whole : out;
        if (rows == HIGH) NAME(high_tiles)[vectors - 1](x, down, step, y, terms, to, to_pitch, more && !cut);
        else
            for (ptrdiff_t r = 0; r < rows; r++)
                NAME(flat_tiles)[vectors - 1](x + r * down, down, step, y, terms, to + r * to_pitch, to_pitch, more && !cut);
        if (cut)
            for (ptrdiff_t r = 0; r < rows; r++)
                for (ptrdiff_t c = 0; c < width; c++)
                    out[r * pitch + c] = more ? out[r * pitch + c] + whole[r * to_pitch + c] : whole[r * to_pitch + c];
    }
}

/* out (+)= x y; see products.h. x is packed, too, where many panels read it: rows a power of two apart push each other out of the cache. */
static void NAME(product)(int turned_x, int turned_y, ptrdiff_t n, ptrdiff_t m, ptrdiff_t inner, const void *from_x, ptrdiff_t x_pitch,
                          const void *from_y, ptrdiff_t y_pitch, int more, void *to, ptrdiff_t pitch)
{
    enum { FEW = (3 * LANES + HIGH) * PIECE };           /* what one panel of each takes: small products need no more */
    REAL few[FEW] __attribute__((aligned(64))), *memory = few, *out = to;
    const REAL *all_x = from_x, *all_y = from_y;
    int packed = turned_x || m > MANY_PANELS * 3 * LANES;
    ptrdiff_t wide = 3 * LANES, longest = inner < PIECE ? inner : PIECE, high = n < BAND ? (n + HIGH - 1) / HIGH * HIGH : BAND;
    ptrdiff_t x_size = packed ? longest * high : 0, y_size = longest * ((m + LANES - 1) / LANES * LANES);
    if (x_size + y_size > FEW) memory = aligned_alloc(64, ((size_t)(x_size + y_size) * sizeof(REAL) + 63) & ~(size_t)63);
    if (memory == NULL) {                                /* panel by panel, then */
        for (ptrdiff_t c = 0; c < m; c += wide)
            for (ptrdiff_t r = 0; r < n; r += HIGH)
                NAME(product)(turned_x, turned_y, n - r < HIGH ? n - r : HIGH, m - c < wide ? m - c : wide, inner,
                              all_x + r * (turned_x ? 1 : x_pitch), x_pitch, all_y + c * (turned_y ? y_pitch : 1), y_pitch, more,
                              out + r * pitch + c, pitch);
        return;
    }
    for (ptrdiff_t k = 0; k < inner; k += PIECE, more = 1) {
        ptrdiff_t terms = inner - k < PIECE ? inner - k : PIECE;
        const REAL *x = all_x + k * (turned_x ? x_pitch : 1), *y = all_y + k * (turned_y ? 1 : y_pitch);
        NAME(pack_panels)(y, y_pitch, turned_y, terms, m, memory);
        for (ptrdiff_t row = 0; row < n; row += BAND) {
            ptrdiff_t rows = n - row < BAND ? n - row : BAND;
            const REAL *lines = packed ? memory + y_size : x + row * x_pitch;
            if (packed) NAME(pack_rows)(x + row * (turned_x ? 1 : x_pitch), x_pitch, turned_x, terms, rows, memory + y_size);
            for (ptrdiff_t c = 0; c < m; c += wide)
                NAME(one_panel)(lines, x_pitch, packed, memory + c * terms, terms, rows, m - c < wide ? m - c : wide,
                                out + row * pitch + c, pitch, more);
        }
    }
    if (memory != few) free(memory);
}

/* Of a large product a part of x or y, packed for all its tiles. */
static void NAME(pack_share)(void *given, Py_ssize_t number)
{
    const large *p = given;
    ptrdiff_t bands = (p->n + BAND - 1) / BAND, parts = bands + p->across, part = number % parts, k = number / parts * PIECE;
    ptrdiff_t terms = p->terms - k < PIECE ? p->terms - k : PIECE;
    if (part < bands) {
        ptrdiff_t row = part * BAND, down = p->x.turned ? 1 : p->x.pitch;
        NAME(pack_rows)((const REAL *)p->x.data + row * down + k * (p->x.turned ? p->x.pitch : 1), p->x.pitch, p->x.turned, terms,
                        p->n - row < BAND ? p->n - row : BAND, (REAL *)p->packed_x + k * p->high + row * terms);
    } else {
        ptrdiff_t column = (part - bands) * p->columns, right = p->y.turned ? p->y.pitch : 1;
        NAME(pack_panels)((const REAL *)p->y.data + column * right + k * (p->y.turned ? 1 : p->y.pitch), p->y.pitch, p->y.turned, terms,
                          p->m - column < p->columns ? p->m - column : p->columns, (REAL *)p->packed_y + k * p->wide + column * terms);
    }
}

/* One of its tiles. */
static void NAME(tile_share)(void *given, Py_ssize_t number)
{
    const large *p = given;
    ptrdiff_t row = number / p->across * p->rows, column = number % p->across * p->columns;
    ptrdiff_t rows = p->n - row < p->rows ? p->n - row : p->rows, end = p->m - column < p->columns ? p->m : column + p->columns;
    for (ptrdiff_t k = 0; k < p->terms; k += PIECE) {
        ptrdiff_t terms = p->terms - k < PIECE ? p->terms - k : PIECE;
        for (ptrdiff_t c = column; c < end; c += 3 * LANES)
            NAME(one_panel)((const REAL *)p->packed_x + k * p->high + row * terms, 0, 1, (const REAL *)p->packed_y + k * p->wide + c * terms,
                            terms, rows, end - c < 3 * LANES ? end - c : 3 * LANES, (REAL *)p->out + row * p->pitch + c, p->pitch,
                            p->more || k > 0);
    }
}
#undef HIGH
