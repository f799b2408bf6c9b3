/* Images read at any places, and the gradients of both.
 *
 * For a block of places the pixels around each and their weights are found once, and then serve all channels. The gradient of an
 * image is added up by one thread for each image and some channels, place by place, so the bits are the same on any number of them. */
#include <math.h>
#include "pool.h"
#include "sampling_loops.h"

#if defined(__GNUC__)
/* Places at a time; pixels around one, of one dim and of all. */
enum { BLOCK = 64, ALONG = 4, AROUND = 16 };
/* There are to be so many shares of images, but none of fewer channels: what is around the places is found anew for each. */
enum { SHARES = 16, FEW_CHANNELS = 4 };

#include "targets.h"
#define TEMPLATE "sampling_template.h"
#include "targets.h"

const char *sampling_obstacle = NULL;
static int target;
static const share_function sample_share[TARGETS][2] = FUNCTIONS(sample_share);
static const share_function image_share[TARGETS][2] = FUNCTIONS(image_share);
static const share_function grid_share[TARGETS][2] = FUNCTIONS(grid_share);

int sampling_start(void)
{
    target = find_target();
    return import_pool();
}

void sample(sampling *s)
{
    s->blocks = shares_of(s->places, BLOCK);
    each_share(sample_share[target][s->wide], s, s->n * s->blocks);
}

void sample_backward(sampling *s)
{
    s->blocks = shares_of(s->places, BLOCK);
    ptrdiff_t parts = shares_of(SHARES, s->n), each = shares_of(s->channels, parts);
    s->channels_each = each < FEW_CHANNELS ? FEW_CHANNELS : each;
    s->channel_parts = shares_of(s->channels, s->channels_each);
    if (s->dx != NULL) each_share(image_share[target][s->wide], s, s->n * s->channel_parts);
    if (s->dgrid != NULL) each_share(grid_share[target][s->wide], s, s->n * s->blocks);
}
#else
const char *sampling_obstacle = "images are sampled by NumPy: their kernels need the vector types of GCC or Clang";
int sampling_start(void) { return 0; }
void sample(sampling *s) { (void)s; }
void sample_backward(sampling *s) { (void)s; }
#endif
