/* Attention by blocks of queries: the shares of a block, and their slopes in the backward pass, stay in the cache and are never
 * all there at once. The backward pass computes them again. Keys after a block's last query are left out where it is causal. */
#include <math.h>
#include "pool.h"
#include "products.h"
#include "attention_loops.h"

/* Queries of a block. */
enum { ROWS = 64 };

#if defined(__GNUC__)
#include "targets.h"
#define TEMPLATE "attention_template.h"
#include "targets.h"

const char *attention_obstacle = NULL;
static int target;
static const share_function attend_share[TARGETS][2] = FUNCTIONS(attend_share);
static const share_function backward_share[TARGETS][2] = FUNCTIONS(backward_share);

int attention_start(void)
{
    target = find_target();
    if (import_pool() < 0 || import_products() < 0) return -1;
    return 0;
}

static int run(attention *a, share_function share, ptrdiff_t count)
{
    each_share(share, a, count);
    return a->failed;
}

int attend(attention *a) { return run(a, attend_share[target][a->wide], a->heads * ((a->queries + ROWS - 1) / ROWS)); }
int attend_backward(attention *a) { return run(a, backward_share[target][a->wide], a->heads); }
#else
const char *attention_obstacle = "attention runs on NumPy: its kernels need the vector types of GCC or Clang";
int attention_start(void) { return 0; }
int attend(attention *a) { return -1; }
int attend_backward(attention *a) { return -1; }
#endif
