/* The innermost loop of products_template.h for one size of tile: ROWS by VECTORS vectors of sums, which stay in registers. */
#define TILE(name) NAME(GLUE(name, ROWS, VECTORS))

/* out[r][c] (+)= sum over k < terms of x[r * down + k * step] * y[k][c]; y is packed, VECTORS * LANES numbers for each k. */
static void TILE(tile)(const REAL *x, ptrdiff_t down, ptrdiff_t step, const REAL *y, ptrdiff_t terms, REAL *out, ptrdiff_t pitch, int more)
{
    const REAL *line[ROWS];
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) line[r] = x + r * down;
    for (int r = 0; r < ROWS; r++)                       /* far apart: they are on their way while the sums are made */
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) __builtin_prefetch(out + r * pitch + v * LANES, 1);
    VECTOR sum[ROWS][VECTORS];
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) sum[r][v] = (VECTOR){0};
    for (ptrdiff_t k = 0; k < terms * step; k += step, y += VECTORS * LANES) {
        VECTOR in[VECTORS];
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) in[v] = *(const VECTOR *)(y + v * LANES);
#pragma GCC unroll 16
        for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 16
            for (int v = 0; v < VECTORS; v++) sum[r][v] += line[r][k] * in[v];
    }
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) {
            VECTOR *to = (VECTOR *)(out + r * pitch + v * LANES);
            if (more) *to += sum[r][v];
            else *to = sum[r][v];
        }
}
#undef TILE
