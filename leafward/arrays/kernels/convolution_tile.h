/* The innermost loops of convolution_loops.c for one width: CHANNELS output channels at a time, and VECTORS vectors beside each
 * other, so that their CHANNELS * VECTORS sums stay in registers. */
#define TILE(name) NAME(GLUE(name, CHANNELS, VECTORS))

static inline __attribute__((always_inline)) void TILE(add_term)(const REAL *p, const REAL *w, ptrdiff_t apart, VECTOR sum[CHANNELS][VECTORS])
{
    VECTOR in[VECTORS];
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) in[v] = *(const VECTOR *)(p + v * LANES);
#pragma GCC unroll 16
    for (int o = 0; o < CHANNELS; o++)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) sum[o][v] += w[o * apart] * in[v];
}

/* y[o][p] (+)= sum over t < terms of w[weight[t] + o * apart] * x[offset[t] + p], for CHANNELS channels o and VECTORS * LANES places p.
 * Without `weight` they are packed, as w[t][o]: a loop of its own, whose addresses cost nothing. */
static void TILE(tile)(const void *from, const ptrdiff_t *offset, const void *weights, const ptrdiff_t *weight, ptrdiff_t apart,
                       ptrdiff_t terms, void *out, ptrdiff_t pitch, int more)
{
    const REAL *x = from, *w = weights;
    REAL *y = out;
    VECTOR sum[CHANNELS][VECTORS];
#pragma GCC unroll 16
    for (int o = 0; o < CHANNELS; o++)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) sum[o][v] = (VECTOR){0};
    if (weight == NULL)
        for (ptrdiff_t t = 0; t < terms; t++) TILE(add_term)(x + offset[t], w + t * CHANNELS, 1, sum);
    else
        for (ptrdiff_t t = 0; t < terms; t++) {          /* one of those that the next channels need is sent for meanwhile */
            __builtin_prefetch(w + weight[t] + (CHANNELS + t % CHANNELS) * apart);
            TILE(add_term)(x + offset[t], w + weight[t], apart, sum);
        }
#pragma GCC unroll 16
    for (int o = 0; o < CHANNELS; o++)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) {
            VECTOR *to = (VECTOR *)(y + o * pitch + v * LANES);
            if (more) *to += sum[o][v];
            else *to = sum[o][v];
        }
}
#undef TILE
#undef VECTORS
