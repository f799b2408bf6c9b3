/* Squares of LANES by LANES turned in registers: rows become columns. A template includes this once for each target and type. */

/* Rows and columns that differ in one bit of their numbers change places, bit by bit. */
static inline void NAME(turn_square)(const REAL *from, ptrdiff_t pitch, REAL *to, ptrdiff_t to_pitch)
{
#if BYTES > 16
    typedef INTEGER places __attribute__((vector_size(BYTES)));
    VECTOR row[LANES];
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) row[i] = *(const VECTOR *)(from + i * pitch);
#pragma GCC unroll 4
    for (int bit = LANES / 2; bit > 0; bit /= 2) {
        places upper, lower;
        for (int l = 0; l < LANES; l++) {
            upper[l] = l & bit ? LANES + l - bit : l;
            lower[l] = l & bit ? LANES + l : l + bit;
        }
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) {
            if (i & bit) continue;
            VECTOR a = row[i], b = row[i + bit];
            row[i] = __builtin_shuffle(a, b, upper);
            row[i + bit] = __builtin_shuffle(a, b, lower);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) *(VECTOR *)(to + i * to_pitch) = row[i];
#else
    for (int i = 0; i < LANES; i++)
        for (int l = 0; l < LANES; l++) to[l * to_pitch + i] = from[i * pitch + l];
#endif
}

/* to[c * to_pitch + r] = from[r * pitch + c], for r < rows and c < columns. */
static void NAME(turn)(const REAL *from, ptrdiff_t pitch, ptrdiff_t rows, ptrdiff_t columns, REAL *to, ptrdiff_t to_pitch)
{
    ptrdiff_t whole_rows = rows / LANES * LANES, whole_columns = columns / LANES * LANES;
    for (ptrdiff_t r = 0; r < whole_rows; r += LANES) {
        for (ptrdiff_t c = 0; c < whole_columns; c += LANES)
            NAME(turn_square)(from + r * pitch + c, pitch, to + c * to_pitch + r, to_pitch);
        for (ptrdiff_t c = whole_columns; c < columns; c++)
            for (int l = 0; l < LANES; l++) to[c * to_pitch + r + l] = from[(r + l) * pitch + c];
    }
    for (ptrdiff_t r = whole_rows; r < rows; r++)
        for (ptrdiff_t c = 0; c < columns; c++) to[c * to_pitch + r] = from[r * pitch + c];
}
