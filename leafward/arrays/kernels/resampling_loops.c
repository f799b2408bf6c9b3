/* Weighted sums of a few elements along one dim. A share is some rows of results. */
#include "pool.h"
#include "resampling_loops.h"

#if defined(__GNUC__)
/* A line of so many elements has room on the stack. */
enum { FEW_COLUMNS = 128 };
#include "targets.h"
#define TEMPLATE "resampling_template.h"
#include "targets.h"

const char *resampling_obstacle = NULL;
static int target;
static const share_function weigh_share[TARGETS][2] = FUNCTIONS(weigh_share);
static const share_function weigh_image_share[TARGETS][2] = FUNCTIONS(weigh_image_share);

int resampling_start(void)
{
    target = find_target();
    return import_pool();
}

/* A share is to have so many weights to multiply with. */
enum { SHARE = 1 << 15 };

void weigh(weighing *w)
{
    double each = (double)(w->starts[w->places] * w->inner) / (double)w->places + 1;
    w->rows_each = each >= SHARE ? 1 : (ptrdiff_t)(SHARE / each) + 1;
    each_share(weigh_share[target][w->wide], w, shares_of(w->outer * w->places, w->rows_each));
}

int weigh_image(image_weighing *w)
{
    int failed = 0;
    double down = w->starts == NULL ? 0 : (double)w->starts[w->rows] / (double)w->rows * (double)w->width;
    w->failed = &failed;
    w->rows_each = (ptrdiff_t)(SHARE / (down + (double)(w->taps * w->places) + 1)) + 1;
    each_share(weigh_image_share[target][w->wide], w, shares_of(w->outer * w->rows, w->rows_each));
    return -failed;
}
#else
const char *resampling_obstacle = "images change their size by products of matrices: the kernels need the vector types of GCC or Clang";
int resampling_start(void) { return 0; }
void weigh(weighing *w) { (void)w; }
int weigh_image(image_weighing *w) { (void)w; return -1; }
#endif
