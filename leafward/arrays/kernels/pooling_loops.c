/* Maximum and mean over windows, plane by plane. Shares are whole planes, so that the bits are the same on any number of threads. */
#include <math.h>
#include "pool.h"
#include "pooling_job.h"

#if defined(__GNUC__)
#include "targets.h"
#define TEMPLATE "pooling_template.h"
#include "targets.h"

const char *pooling_obstacle = NULL;
static int target;

static const share_function max_share[TARGETS][2] = FUNCTIONS(max_share);
static const share_function max_drawn_share[TARGETS][2] = FUNCTIONS(max_drawn_share);
static const share_function scatter_share[TARGETS][2] = FUNCTIONS(scatter_share);
static const share_function mean_share[TARGETS][2] = FUNCTIONS(mean_share);
static const share_function mean_adjoint_share[TARGETS][2] = FUNCTIONS(mean_adjoint_share);

int pooling_start(void)
{
    target = find_target();
    return import_pool();
}

/* Elements of one share. */
enum { SHARE = 1 << 15 };

static int run_planes(job *j, share_function run)
{
    for (int d = 0; d < 3 && j->area == 0; d++) j->outputs = d == 0 ? j->p->places[0] : j->outputs * j->p->places[d];
    if (j->area == 0) j->area = j->p->size[0] * j->p->size[1] * j->p->size[2];
    j->planes_each = most(1, SHARE / most(1, j->area));
    each_share(run, j, shares_of(j->p->planes, j->planes_each));
    return j->failed;
}

int pool_scatter(const void *g, const void *at, int long_places, void *out, ptrdiff_t planes, ptrdiff_t places, ptrdiff_t area, int replaces,
                 int wide)
{
    pooling p = {.planes = planes};
    job j = {.p = &p, .x = g, .out = out, .at = (void *)at, .long_places = long_places, .area = area, .outputs = places,
             .replaces = replaces};
    return run_planes(&j, scatter_share[target][wide]);
}

/* The bins of one dim: those of windows, as far as they are inside, or even ones. */
static void fill_bins(bin *bins, const pooling *p, int d)
{
    for (ptrdiff_t i = 0; i < p->places[d]; i++) {
        ptrdiff_t n = p->size[d], m = p->places[d];
        bin b = {i * n / m, ((i + 1) * n + m - 1) / m, 0};
        if (!p->even) {
            ptrdiff_t start = i * p->stride[d] - p->padding[d], stop = least(start + p->kernel[d], n + p->padding[d]);
            b.begin = most(start, 0);
            b.end = least(stop, n);
            b.count = p->include_pad ? stop - start : b.end - b.begin;
        } else b.count = b.end - b.begin;
        bins[i] = b;
    }
}

/* So many have room on the stack: small images need no other memory. */
enum { FEW_BINS = 64 };

static int run_bins(job j, share_function run)
{
    const pooling *p = j.p;
    bin few[FEW_BINS], *bins = few;
    ptrdiff_t count = p->places[0] + p->places[1] + p->places[2];
    if (count > FEW_BINS) bins = malloc((size_t)count * sizeof(bin));
    if (bins == NULL) return -1;
    for (int d = 0; d < 3; d++) {
        j.bins[d] = d == 0 ? bins : j.bins[d - 1] + p->places[d - 1];
        fill_bins(j.bins[d], p, d);
    }
    int failed = run_planes(&j, run);
    if (bins != few) free(bins);
    return failed;
}

/* Whether it is faster to go tap by tap along a line of windows than window by window: steps of both for a line, as counted. */
static int by_taps(const pooling *p)
{
    ptrdiff_t taps = p->kernel[2], places = p->places[2];
    return taps * (40 + 2 * places) < places * (15 + 4 * taps);
}

int pool_max(const void *x, void *out, void *at, int long_places, const pooling *p, int wide)
{
    job j = {.p = p, .x = x, .out = out, .at = at, .long_places = long_places};
    pooling windows = *p;
    int even = p->even;
    for (int d = 0; d < 3 && windows.even; d++) {        /* bins of one size: windows, too */
        if (p->size[d] % p->places[d]) break;
        windows.kernel[d] = windows.stride[d] = p->size[d] / p->places[d];
        if (d == 2) windows.even = 0;
    }
    int apart = p->dilation[0] * p->dilation[1] * p->dilation[2] > 1;
    if (windows.even || (!apart && !by_taps(&windows)) || (even && windows.kernel[2] >= 16)) return run_bins(j, max_share[target][wide]);
    j.p = &windows;
    return run_planes(&j, max_share[target][wide]);
}

int pool_max_drawn(const void *x, const void *samples, int dims, void *out, int64_t *at, const pooling *p, int wide)
{
    job j = {.p = p, .x = x, .samples = samples, .dims = dims, .out = out, .at = at, .long_places = 1};
    return run_planes(&j, max_drawn_share[target][wide]);
}

int pool_mean(const void *x, void *out, const pooling *p, int wide)
{
    return run_bins((job){.p = p, .x = x, .out = out}, mean_share[target][wide]);
}

int pool_mean_adjoint(const void *g, void *out, const pooling *p, int wide)
{
    return run_bins((job){.p = p, .x = g, .out = out}, mean_adjoint_share[target][wide]);
}
#else
const char *pooling_obstacle = "pooling runs on NumPy: its kernels need the vector types of GCC or Clang";
int pooling_start(void) { return 0; }
int pool_max(const void *x, void *out, void *at, int long_places, const pooling *p, int wide) { return -1; }
int pool_max_drawn(const void *x, const void *samples, int dims, void *out, int64_t *at, const pooling *p, int wide) { return -1; }
int pool_scatter(const void *g, const void *at, int long_places, void *out, ptrdiff_t planes, ptrdiff_t places, ptrdiff_t area, int replaces,
                 int wide) { return -1; }
int pool_mean(const void *x, void *out, const pooling *p, int wide) { return -1; }
int pool_mean_adjoint(const void *g, void *out, const pooling *p, int wide) { return -1; }
#endif
