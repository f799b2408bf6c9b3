/* The innermost loop of weights' gradients: LINES pairs of input channel and tap, and VECTORS vectors of output channels. */
#define TILE(name) NAME(GLUE(name, LINES, VECTORS))

/* total[l][o] += sum over runs r, k < r.count of x[offset[l] + r.at + k] * g[k'][o], k' counting the places of all runs. */
static void TILE(sums)(const void *from, const ptrdiff_t *offset, const run *runs, ptrdiff_t count, const void *grad, void *to)
{
    const REAL *x = from, *g = grad;
    REAL *total = to;
    VECTOR sum[LINES][VECTORS];
#pragma GCC unroll 16
    for (int l = 0; l < LINES; l++)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) sum[l][v] = (VECTOR){0};
    for (ptrdiff_t r = 0; r < count; r++) {
        const REAL *p[LINES];
#pragma GCC unroll 16
        for (int l = 0; l < LINES; l++) p[l] = x + offset[l] + runs[r].at;
        for (ptrdiff_t k = 0; k < runs[r].count; k++, g += VECTORS * LANES) {
            VECTOR in[VECTORS];
#pragma GCC unroll 16
            for (int v = 0; v < VECTORS; v++) in[v] = *(const VECTOR *)(g + v * LANES);
#pragma GCC unroll 16
            for (int l = 0; l < LINES; l++)
#pragma GCC unroll 16
                for (int v = 0; v < VECTORS; v++) sum[l][v] += p[l][k] * in[v];
        }
    }
#pragma GCC unroll 16
    for (int l = 0; l < LINES; l++)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) *(VECTOR *)(total + (l * VECTORS + v) * LANES) += sum[l][v];
}
#undef TILE
