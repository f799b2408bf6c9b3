/* Discrete Fourier transforms of lengths without large primes: as many lines at once as a vector has lanes, threads over such
 * groups. */
#include "pool.h"
#include "fft_loops.h"

/* Numbers in a share. */
enum { WORK = 16384 };

#if defined(__GNUC__)
#include "targets.h"
#define TEMPLATE "fft_template.h"
#include "targets.h"

const char *fft_obstacle = NULL;
static int target;
static ptrdiff_t (*const lanes[TARGETS][2])(void) = FUNCTIONS(lanes);
static const share_function lines_share[TARGETS][2] = FUNCTIONS(lines_share);

int fft_start(void)
{
    target = find_target();
    return import_pool();
}

int fft_run(fft *f)
{
    ptrdiff_t group = lanes[target][f->wide](), work = group * f->points;
    f->groups_each = work < WORK ? WORK / work : 1;
    f->failed = 0;
    each_share(lines_share[target][f->wide], f, shares_of(f->lines, group * f->groups_each));
    return f->failed;
}
#else
const char *fft_obstacle = "Fourier transforms run on NumPy: their kernels need the vector types of GCC or Clang";
int fft_start(void) { return 0; }
int fft_run(fft *f) { return -1; }
#endif
