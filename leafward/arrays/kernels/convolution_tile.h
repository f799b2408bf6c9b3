/* The innermost loops of convolution_loops.c for one width: CHANNELS output channels, or LINES of the kernel, at a time, and
 * VECTORS vectors beside each other, so that their CHANNELS * VECTORS sums stay in registers. */
#define TILE(name) NAME(GLUE(name, CHANNELS, VECTORS))

/* y[o][p] (+)= sum over t < terms of w[weight[t] + o * apart] * x[offset[t] + p], for CHANNELS channels o and VECTORS * LANES places p. */
static void TILE(tile)(const void *from, const ptrdiff_t *offset, const void *weights, const ptrdiff_t *weight, ptrdiff_t apart,
                       ptrdiff_t terms, void *out, ptrdiff_t pitch, int more)
{
    const REAL *x = from;
    REAL *y = out;
    VECTOR sum[CHANNELS][VECTORS];
#pragma GCC unroll 16
    for (int o = 0; o < CHANNELS; o++)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) sum[o][v] = (VECTOR){0};
    for (ptrdiff_t t = 0; t < terms; t++) {
        const REAL *p = x + offset[t], *w = (const REAL *)weights + weight[t];
        VECTOR in[VECTORS];
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) in[v] = *(const VECTOR *)(p + v * LANES);
#pragma GCC unroll 16
        for (int o = 0; o < CHANNELS; o++)
#pragma GCC unroll 16
            for (int v = 0; v < VECTORS; v++) sum[o][v] += w[o * apart] * in[v];
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
