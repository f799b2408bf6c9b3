/* Rows become columns: whole squares in registers. A template includes this once for each target and type. */
#if BYTES > 16
#define SIDE LANES
#define SQUARE NAME(turn_square)
#include "turn_square.h"
#define SIDE (LANES / 2)
#define SQUARE NAME(turn_half_square)
#include "turn_square.h"
#endif

/* to[c * to_pitch + r] = from[r * pitch + c], for r < rows and c < columns. */
static void NAME(turn_matrix)(const REAL *from, ptrdiff_t pitch, ptrdiff_t rows, ptrdiff_t columns, REAL *to, ptrdiff_t to_pitch)
{
    ptrdiff_t r = 0;
    while (r < rows) {
        ptrdiff_t side = 1, c = 0;
#if BYTES > 16
        if (rows - r >= LANES) {
            side = LANES;
            for (; c + LANES <= columns; c += LANES) NAME(turn_square)(from + r * pitch + c, pitch, to + c * to_pitch + r, to_pitch);
        } else if (rows - r >= LANES / 2) {
            side = LANES / 2;
            for (; c + LANES / 2 <= columns; c += LANES / 2)
                NAME(turn_half_square)(from + r * pitch + c, pitch, to + c * to_pitch + r, to_pitch);
        }
#endif
        for (; c < columns; c++)
            for (ptrdiff_t l = r; l < r + side; l++) to[c * to_pitch + l] = from[l * pitch + c];
        r += side;
    }
}
