/* nearby_sums.c for one type and one kind of processor. */

/* out = the sum of what the ranks have, in their order, each multiplied by its scale; which of them have NaN. `out` may be one
 * of the sources. */
static void NAME(nearby_add)(const char *const *sources, const double *scales, int ranks, char *out, size_t n, char *nan)
{
    REAL sum[BLOCK], one[BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = n - at < BLOCK ? n - at : BLOCK;
        int odd = 0;
        for (int r = 0; r < ranks; r++) {
            const REAL *x = (const REAL *)sources[r] + at;
            REAL scale = (REAL)scales[r];
            if (r == 0) {
                for (size_t i = 0; i < m; i++) sum[i] = x[i] * scale;
            } else {
                /* First multiplied, then added: nothing that is rounded once where other machines round twice. */
                for (size_t i = 0; i < m; i++) one[i] = x[i] * scale;
                for (size_t i = 0; i < m; i++) sum[i] += one[i];
            }
        }
        for (size_t i = 0; i < m; i++) odd |= sum[i] != sum[i];
        for (int r = 0; odd && r < ranks; r++)
            for (size_t i = 0; i < m; i++) nan[r] |= ((const REAL *)sources[r])[at + i] != ((const REAL *)sources[r])[at + i];
        memcpy((REAL *)out + at, sum, m * sizeof(REAL));
    }
}
