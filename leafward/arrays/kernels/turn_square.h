/* SQUARE turns squares of SIDE by SIDE in registers; turn.h includes this for each side.
 *
 * Rows and columns that differ in one bit of their numbers change places, bit by bit. */
static inline void SQUARE(const REAL *from, ptrdiff_t pitch, REAL *to, ptrdiff_t to_pitch)
{
    typedef REAL line __attribute__((vector_size(SIDE * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
    line row[SIDE];
#pragma GCC unroll 16
    for (int i = 0; i < SIDE; i++) row[i] = *(const line *)(from + i * pitch);
#pragma GCC unroll 4
    for (int bit = SIDE / 2; bit > 0; bit /= 2) {
#ifndef __clang__
        typedef INTEGER places __attribute__((vector_size(SIDE * sizeof(REAL))));
        places upper, lower;
        for (int l = 0; l < SIDE; l++) {
            upper[l] = l & bit ? SIDE + l - bit : l;
            lower[l] = l & bit ? SIDE + l : l + bit;
        }
#endif
#pragma GCC unroll 16
        for (int i = 0; i < SIDE; i++) {
            if (i & bit) continue;
            line a = row[i], b = row[i + bit];
#ifdef __clang__                                        /* which has no such builtin, and finds the same instructions */
            for (int l = 0; l < SIDE; l++) {
                row[i][l] = l & bit ? b[l - bit] : a[l];
                row[i + bit][l] = l & bit ? b[l] : a[l + bit];
            }
#else
            row[i] = __builtin_shuffle(a, b, upper);
            row[i + bit] = __builtin_shuffle(a, b, lower);
#endif
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < SIDE; i++) *(line *)(to + i * to_pitch) = row[i];
}
#undef SQUARE
#undef SIDE
