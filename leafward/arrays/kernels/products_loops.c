/* Products of matrices, one or a batch, cut into tiles whose sizes depend on those of the matrices alone, for leafward's threads.
 *
 * NumPy's OpenBLAS is not asked: its threads and ours would wait for each other's cores, and it does not know the vector units of
 * processors that are younger than it is. */
#include "pool.h"
#include "products_loops.h"

#if defined(__GNUC__)
/* Terms that are added up one after the other; rows of x, and columns of y (any tile's width divides that), that are multiplied while
 * they are in the cache; so many panels make it worth to pack x; numbers that a large product packs at a time,
 * and the tiles that it has at least. */
enum { PIECE = 128, BAND = 256, COLUMNS = 288, MANY_PANELS = 4, PACKED = 1 << 21, MANY_TILES = 16 };
#include "targets.h"

/* Some terms of a large product, whose x and y are packed once for all tiles; packed, they are `high` and `wide`. */
typedef struct {
    matrix x, y;
    char *packed_x, *packed_y, *out;
    ptrdiff_t n, m, terms, high, wide, pitch, rows, columns, across;
    int more;
} large;
#define TEMPLATE "products_template.h"
#include "targets.h"

static const product_function product[TARGETS][2] = FUNCTIONS(product);
static const share_function pack_shares[TARGETS][2] = FUNCTIONS(pack_share), tile_shares[TARGETS][2] = FUNCTIONS(tile_share);
products_interface own_products;
static int target;

int products_start(void)
{
    target = find_target();
    memcpy(own_products.run, product[target], sizeof own_products.run);
    return import_pool();
}

static ptrdiff_t rounded_up(ptrdiff_t a, ptrdiff_t b) { return (a + b - 1) / b * b; }

/* out = x y, where x and y are packed once and not for each tile again; 0 where memory lacks. */
static int multiply_large(const matrix *x, const matrix *y, char *out, ptrdiff_t pitch, ptrdiff_t n, ptrdiff_t m, ptrdiff_t inner, int wide)
{
    ptrdiff_t size = wide ? 8 : 4, high = rounded_up(n, 16), broad = rounded_up(m, 16);
    ptrdiff_t terms = PACKED / (high + broad) / PIECE * PIECE;
    if (terms < PIECE) terms = PIECE;
    if (terms > inner) terms = inner;
    char *memory = aligned_alloc(64, (size_t)((high + broad) * terms * size));
    if (memory == NULL) return 0;
    large p = {*x, *y, memory, memory + high * terms * size, out, n, m, terms, high, broad, pitch, BAND, COLUMNS,
               (m + COLUMNS - 1) / COLUMNS, 0};
    while (p.rows > BAND / 4 && shares_of(n, p.rows) * p.across < MANY_TILES) p.rows /= 2;
    for (ptrdiff_t k = 0; k < inner; k += terms, p.more = 1) {
        if (p.terms > inner - k) p.terms = inner - k;
        each_share(pack_shares[target][wide], &p, shares_of(p.terms, PIECE) * (shares_of(n, BAND) + p.across));
        each_share(tile_shares[target][wide], &p, shares_of(n, p.rows) * p.across);
        p.x.data += terms * size * (x->turned ? x->pitch : 1);
        p.y.data += terms * size * (y->turned ? 1 : y->pitch);
    }
    free(memory);
    return 1;
}
#else
products_interface own_products;
int products_start(void) { return import_pool(); }
static int multiply_large(const matrix *x, const matrix *y, char *out, ptrdiff_t pitch, ptrdiff_t n, ptrdiff_t m, ptrdiff_t inner, int wide)
{
    return 0;
}
#endif

typedef struct {
    const matrix *x, *y, *out;
    const batch *b;
    ptrdiff_t n, m, inner, rows, columns, down, across, count, each;    /* sizes; a tile's; tiles of a product; products of a share */
    int wide;
} job;

static void one_tile(const job *j, const char *x, const char *y, char *out, ptrdiff_t tile)
{
    ptrdiff_t row = tile / j->across * j->rows, column = tile % j->across * j->columns, size = j->wide ? 8 : 4;
    ptrdiff_t rows = j->n - row < j->rows ? j->n - row : j->rows, columns = j->m - column < j->columns ? j->m - column : j->columns;
    x += row * (j->x->turned ? 1 : j->x->pitch) * size;
    y += column * (j->y->turned ? j->y->pitch : 1) * size;
    out += (row * j->out->pitch + column) * size;
    own_products.run[j->wide](j->x->turned, j->y->turned, rows, columns, j->inner, x, j->x->pitch, y, j->y->pitch, 0, out, j->out->pitch);
}

/* Where the operands of product i of a batch lie. */
static void find_product(const job *j, ptrdiff_t i, char *at[3])
{
    at[0] = j->x->data, at[1] = j->y->data, at[2] = j->out->data;
    for (int d = j->b->dims - 1; d >= 0; d--) {
        for (int k = 0; k < 3; k++) at[k] += i % j->b->size[d] * j->b->steps[k][d];
        i /= j->b->size[d];
    }
}

/* Of one product a tile, or of a batch some whole products. */
static void product_share(void *given, Py_ssize_t number)
{
    const job *j = given;
    ptrdiff_t tiles = j->down * j->across, first = number / tiles * j->each;
    for (ptrdiff_t i = first; i < first + j->each && i < j->count; i++) {
        char *at[3];
        find_product(j, i, at);
        one_tile(j, at[0], at[1], at[2], number % tiles);
    }
}

/* A product is cut until there are so many tiles, or they are so small (multiplications) that packing them shows. */
enum { TILES = 4, SMALL = 1 << 20, LARGE = 1 << 26, LARGE_SIDE = 64, SHARE = 1 << 19 };

void multiply(const matrix *x, const matrix *y, const matrix *out, const batch *b, ptrdiff_t n, ptrdiff_t m, ptrdiff_t inner, int wide)
{
    job j = {x, y, out, b, n, m, inner, n, m, 1, 1, 1, 1, wide};
    double size = (double)n * (double)m * (double)inner;
    for (int d = 0; d < b->dims; d++) j.count *= b->size[d];
    ptrdiff_t done = 0;
    while (size >= LARGE && n >= LARGE_SIDE && m >= LARGE_SIDE && j.count < TILES && done < j.count) {
        char *at[3];
        find_product(&j, done, at);
        matrix one_x = {at[0], x->turned, x->pitch}, one_y = {at[1], y->turned, y->pitch};
        if (!multiply_large(&one_x, &one_y, at[2], out->pitch, n, m, inner, wide)) break;
        done++;
    }
    if (done == j.count) return;
    while (j.count * j.down * j.across < TILES && size > 2 * SMALL) {
        int by_rows = j.rows >= j.columns;
        ptrdiff_t *side = by_rows ? &j.rows : &j.columns;
        if (*side < 32) break;
        *side = (*side / 2 + 15) / 16 * 16;              /* whole vectors */
        j.down = (n + j.rows - 1) / j.rows;
        j.across = (m + j.columns - 1) / j.columns;
        size /= 2;
    }
    if (j.down * j.across == 1) j.each = size >= SHARE ? 1 : (ptrdiff_t)(SHARE / (size + 1)) + 1;
    each_share(product_share, &j, (j.count + j.each - 1) / j.each * j.down * j.across);
}
