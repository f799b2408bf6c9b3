/* Products of matrices, one or a batch, cut into tiles whose sizes depend on those of the matrices alone: see blas.h. */
#include "pool.h"
#include "products_loops.h"

#ifndef _WIN32
#include <dlfcn.h>
#include <pthread.h>

/* Who is among the calls that need a BLAS of one thread, and how many threads it had before the first of them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, threads_before;
static int (*get_threads)(void);
static void (*set_threads)(int);

static void begin(void)
{
    pthread_mutex_lock(&lock);
    if (inside++ == 0 && (threads_before = get_threads()) != 1) set_threads(1);
    pthread_mutex_unlock(&lock);
}

static void end(void)
{
    pthread_mutex_lock(&lock);
    if (--inside == 0 && threads_before != 1) set_threads(threads_before);
    pthread_mutex_unlock(&lock);
}

/* A fork in the middle of a product leaves the child with a BLAS of one thread, and nobody inside. */
static void forget(void)
{
    pthread_mutex_init(&lock, NULL);
    inside = 0;
}

blas_interface products_interface = {NULL, NULL, begin, end};

/* Finds the OpenBLAS of NumPy's wheels, which counts in 64 bits, behind the module that is linked with it. */
int products_start(const char *library)
{
    void *numpy = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    if (numpy != NULL) {
        void *sgemm = dlsym(numpy, "scipy_cblas_sgemm64_"), *dgemm = dlsym(numpy, "scipy_cblas_dgemm64_");
        get_threads = (int (*)(void))dlsym(numpy, "scipy_openblas_get_num_threads64_");
        set_threads = (void (*)(int))dlsym(numpy, "scipy_openblas_set_num_threads64_");
        if (sgemm != NULL && dgemm != NULL && get_threads != NULL && set_threads != NULL) {
            products_interface.sgemm = (sgemm_function)sgemm;
            products_interface.dgemm = (dgemm_function)dgemm;
            pthread_atfork(NULL, NULL, forget);
        }
    }
    return import_pool();
}
#else
static void nothing(void) {}
blas_interface products_interface = {NULL, NULL, nothing, nothing};
int products_start(const char *library) { return import_pool(); }
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
    int turned_x = j->x->turned ? TURNED : AS_IT_IS, turned_y = j->y->turned ? TURNED : AS_IT_IS;
    x += row * (j->x->turned ? 1 : j->x->pitch) * size;
    y += column * (j->y->turned ? j->y->pitch : 1) * size;
    out += (row * j->out->pitch + column) * size;
    if (j->wide)
        products_interface.dgemm(ROW_MAJOR, turned_x, turned_y, rows, columns, j->inner, 1, (const double *)x, j->x->pitch,
                                 (const double *)y, j->y->pitch, 0, (double *)out, j->out->pitch);
    else
        products_interface.sgemm(ROW_MAJOR, turned_x, turned_y, rows, columns, j->inner, 1, (const float *)x, j->x->pitch,
                                 (const float *)y, j->y->pitch, 0, (float *)out, j->out->pitch);
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

/* A product is cut until there are so many tiles, or they are so small (multiplications) that BLAS's copying of them shows. */
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
    products_interface.begin();
    each_share(product_share, &j, (j.count + j.each - 1) / j.each * j.down * j.across);
    products_interface.end();
}
