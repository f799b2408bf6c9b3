/* Elimination in blocks of columns: a block is worked off as in the textbook, and what it does to the rest is one product. */
#include <math.h>
#include "pool.h"
#include "products.h"
#include "factors_loops.h"

/* Columns of a block; rows of a share, and where there are few terms; columns of one, and lines that are divided by a block; terms that are subtracted at a time. */
enum { BLOCK = 32, ROWS = 64, MANY_ROWS = 256, COLUMNS = 288, LINES = 64, TERMS = 128 };
/* Columns of a symmetric matrix that are eliminated before the rest hears of it; matrices up to this size need no memory. */
enum { PANEL = 32, SMALL = 16 };
/* Which share of its column's largest number a pivot may be, so that the factors grow least: (1 + sqrt(17)) / 8. */
#define ENOUGH (REAL)0.6403882032022076

static inline ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
/* About half of n > BLOCK columns, in whole blocks. */
static inline ptrdiff_t half_of(ptrdiff_t n) { return (n / 2 + BLOCK - 1) / BLOCK * BLOCK; }

#if defined(__GNUC__)
#include "targets.h"
#define TEMPLATE "factors_template.h"
#include "targets.h"

const char *factors_obstacle = NULL;
static int target;
static const share_function lu_share[TARGETS][2] = FUNCTIONS(lu_share);
static const share_function cholesky_share[TARGETS][2] = FUNCTIONS(cholesky_share);
static const share_function symmetric_share[TARGETS][2] = FUNCTIONS(symmetric_share);
static const share_function triangle_share[TARGETS][2] = FUNCTIONS(triangle_share);

int factors_start(void)
{
    target = find_target();
    return import_pool() < 0 ? -1 : import_products();
}

int lu_factors(factors *f)
{
    each_share(lu_share[target][f->wide], f, f->count);
    return f->failed ? -1 : 0;
}

void cholesky_factors(const factors *f) { each_share(cholesky_share[target][f->wide], (void *)f, f->count); }

int symmetric_factors(factors *f)
{
    each_share(symmetric_share[target][f->wide], f, f->count);
    return f->failed ? -1 : 0;
}

int solve_triangles(triangles *t)
{
    each_share(triangle_share[target][t->wide], t, t->count * shares_of(t->columns, COLUMNS));
    return t->failed ? -1 : 0;
}
#else
const char *factors_obstacle = "factors are NumPy's: their kernels need the vector types of GCC or Clang";
int factors_start(void) { return 0; }
int lu_factors(factors *f) { return -1; }
void cholesky_factors(const factors *f) {}
int symmetric_factors(factors *f) { return -1; }
int solve_triangles(triangles *t) { return -1; }
#endif
