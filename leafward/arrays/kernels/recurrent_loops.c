/* Recurrent layers: the steps of some sequences follow one another, and other threads do other sequences. What a step adds to the
 * gates is a product of a few rows with the weights, in the tiles of convolutions, which leaves the weights in the cache. */
#include <stdint.h>
#include "pool.h"
#include "recurrent_loops.h"

/* Terms of a sum before it is rounded to memory. */
enum { PIECE = 128 };

#if defined(__GNUC__)
#include "targets.h"
#define TEMPLATE "recurrent_template.h"
#include "targets.h"

const char *recurrent_obstacle = NULL;
static int target;
static ptrdiff_t (*const pitch_of[TARGETS][2])(ptrdiff_t) = FUNCTIONS(pitch_of);
static ptrdiff_t (*const rows_each[TARGETS][2])(void) = FUNCTIONS(rows_each);
static void (*const pack_weight[TARGETS][2])(recurrence *, int) = FUNCTIONS(pack_weight);
static const share_function lstm_share[TARGETS][2] = FUNCTIONS(lstm_share);
static const share_function lstm_backward_share[TARGETS][2] = FUNCTIONS(lstm_backward_share);
static const share_function gru_share[TARGETS][2] = FUNCTIONS(gru_share);
static const share_function gru_backward_share[TARGETS][2] = FUNCTIONS(gru_backward_share);

int recurrent_start(void)
{
    target = find_target();
    return import_pool();
}

static int run(recurrence *l, share_function share, int turned)
{
    ptrdiff_t wide = l->parts * l->hidden;
    size_t rows = (size_t)(turned ? l->hidden : wide), size = l->wide ? sizeof(double) : sizeof(float);
    l->packed = NULL;
    l->pitch = turned ? wide : l->hidden;
    if (!l->by_product) {
        l->pitch = pitch_of[target][l->wide](l->pitch);
        l->packed = malloc(rows * (size_t)l->pitch * size);
        if (l->packed == NULL) return -1;
        pack_weight[target][l->wide](l, turned);
    }
    each_share(share, l, shares_of(l->batch, rows_each[target][l->wide]()));
    free(l->packed);
    return l->failed;
}

int lstm_forward(recurrence *l) { return run(l, lstm_share[target][l->wide], 1); }
int lstm_backward(recurrence *l) { return run(l, lstm_backward_share[target][l->wide], 0); }
int gru_forward(recurrence *l) { return run(l, gru_share[target][l->wide], 1); }
int gru_backward(recurrence *l) { return run(l, gru_backward_share[target][l->wide], 0); }
#else
const char *recurrent_obstacle = "recurrent layers run on NumPy: their kernels need the vector types of GCC or Clang";
int recurrent_start(void) { return 0; }
int lstm_forward(recurrence *l) { return -1; }
int lstm_backward(recurrence *l) { return -1; }
int gru_forward(recurrence *l) { return -1; }
int gru_backward(recurrence *l) { return -1; }
#endif
