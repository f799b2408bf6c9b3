/* Products of matrices, one or a batch, cut into tiles whose sizes depend on those of the matrices alone, for leafward's threads.
 *
 * NumPy's OpenBLAS is not asked: its threads and ours would wait for each other's cores, and it does not know the vector units of
 * processors that are younger than it is. */
#include "pool.h"
#include "products_loops.h"

#if defined(__GNUC__)
/* Terms that are added up one after the other; rows of x that are multiplied while they are in the cache. */
enum { PIECE = 128, BAND = 256 };
#include "targets.h"
#define TEMPLATE "products_template.h"
#include "targets.h"

static const product_function product[TARGETS][2] = FUNCTIONS(product);
products_interface own_products;

int products_start(void)
{
    memcpy(own_products.run, product[find_target()], sizeof own_products.run);
    return import_pool();
}
#else
products_interface own_products;
int products_start(void) { return import_pool(); }
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

/* Of one product a tile, or of a batch some whole products. */
static void product_share(void *given, Py_ssize_t number)
{
    const job *j = given;
    ptrdiff_t tiles = j->down * j->across, first = number / tiles * j->each;
    for (ptrdiff_t i = first; i < first + j->each && i < j->count; i++) {
        const char *x = j->x->data, *y = j->y->data;
        char *out = j->out->data;
        ptrdiff_t rest = i;
        for (int d = j->b->dims - 1; d >= 0; d--) {
            ptrdiff_t at = rest % j->b->size[d];
            rest /= j->b->size[d];
            x += at * j->b->steps[0][d];
            y += at * j->b->steps[1][d];
            out += at * j->b->steps[2][d];
        }
        one_tile(j, x, y, out, number % tiles);
    }
}

/* A product is cut until there are so many tiles, or they are so small (multiplications) that packing them shows. */
enum { TILES = 4, MANY_TILES = 16, SMALL = 1 << 20, LARGE = 1 << 26, SHARE = 1 << 19 };

void multiply(const matrix *x, const matrix *y, const matrix *out, const batch *b, ptrdiff_t n, ptrdiff_t m, ptrdiff_t inner, int wide)
{
    job j = {x, y, out, b, n, m, inner, n, m, 1, 1, 1, 1, wide};
    double size = (double)n * (double)m * (double)inner;
    for (int d = 0; d < b->dims; d++) j.count *= b->size[d];
    while (j.count * j.down * j.across < (size > LARGE ? MANY_TILES : TILES) && size > 2 * SMALL) {
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
