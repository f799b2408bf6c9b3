/* Recurrent layers for one target and float type. A share is some sequences, CHANNELS of them, through all their steps. */
#include "exponentials.h"
#include "turn.h"

#if BROAD
#define CHANNELS 8
#else
#define CHANNELS 4
#endif
#define VECTORS 3
#include "convolution_tile.h"
#define ROWS_TIMES NAME(GLUE(tile, CHANNELS, wide))
#define STEP (VECTORS * LANES)

/* out (CHANNELS, pitch) = turned.T (CHANNELS, terms) @ matrix (terms, pitch), in pieces. */
static void NAME(rows_times)(const REAL *turned, const REAL *matrix, ptrdiff_t terms, ptrdiff_t pitch, REAL *out)
{
    ptrdiff_t offsets[PIECE];
    for (ptrdiff_t t = 0; t < PIECE; t++) offsets[t] = t * pitch;
    for (ptrdiff_t t = 0; t < terms; t += PIECE)
        for (ptrdiff_t q = 0; q < pitch; q += STEP)
            ROWS_TIMES(matrix + t * pitch + q, offsets, turned + t * CHANNELS, terms - t < PIECE ? terms - t : PIECE, out + q, pitch, t > 0);
}

/* Some rows, of `width` numbers each, turned; `to` is zero where there are fewer than CHANNELS. */
static void NAME(turn_rows)(const REAL *from, ptrdiff_t rows, ptrdiff_t width, REAL *to)
{
    NAME(turn_matrix)(from, width, rows, width, to, CHANNELS);
}

static ptrdiff_t NAME(pitch_of)(ptrdiff_t columns) { return (columns + STEP - 1) / STEP * STEP; }
static ptrdiff_t NAME(rows_each)(void) { return CHANNELS; }

/* The weight with rows as long as tiles need them; `turned`: (hidden, 4 hidden). */
static void NAME(pack_weight)(lstm *l, int turned)
{
    ptrdiff_t rows = turned ? l->hidden : 4 * l->hidden, columns = turned ? 4 * l->hidden : l->hidden;
    const REAL *from = (const REAL *)l->weight;
    REAL *to = (REAL *)l->packed;
    memset(to, 0, (size_t)(rows * l->pitch) * sizeof(REAL));
    if (turned) NAME(turn_matrix)(from, rows, columns, rows, to, l->pitch);
    else
        for (ptrdiff_t r = 0; r < rows; r++) memcpy(to + r * l->pitch, from + r * columns, (size_t)columns * sizeof(REAL));
}

static void NAME(lstm_share)(void *given, Py_ssize_t number)
{
    lstm *l = given;
    ptrdiff_t h = l->hidden, first = number * CHANNELS, rows = l->batch - first < CHANNELS ? l->batch - first : CHANNELS;
    REAL *turned = calloc((size_t)(h * CHANNELS), sizeof(REAL)), *own = malloc((size_t)(CHANNELS * l->pitch) * sizeof(REAL));
    const REAL *before = (const REAL *)l->h0 + first * h, *cell_before = (const REAL *)l->c0 + first * h;
    if (turned == NULL || own == NULL) l->failed = -1;
    else
        for (ptrdiff_t s = 0; s < l->steps; s++) {
            ptrdiff_t row = (l->reverse ? l->steps - 1 - s : s) * l->batch + first;
            REAL *out = (REAL *)l->out + row * h, *cells = (REAL *)l->cells + row * h;
            NAME(turn_rows)(before, rows, h, turned);
            NAME(rows_times)(turned, (const REAL *)l->packed, h, l->pitch, own);
            for (ptrdiff_t r = 0; r < rows; r++) {
                const REAL *x = (const REAL *)l->x + (row + r) * 4 * h, *p = own + r * l->pitch;
                REAL *gates = (REAL *)l->gates + (row + r) * 4 * h;
#pragma omp simd
                for (ptrdiff_t k = 0; k < 2 * h; k++) gates[k] = NAME(sigmoid)(x[k] + p[k]);
#pragma omp simd
                for (ptrdiff_t k = 2 * h; k < 3 * h; k++) gates[k] = NAME(tanh)(x[k] + p[k]);
#pragma omp simd
                for (ptrdiff_t k = 3 * h; k < 4 * h; k++) gates[k] = NAME(sigmoid)(x[k] + p[k]);
#pragma omp simd
                for (ptrdiff_t k = 0; k < h; k++) {
                    REAL c = gates[h + k] * cell_before[r * h + k] + gates[k] * gates[2 * h + k];
                    cells[r * h + k] = c;
                    out[r * h + k] = gates[3 * h + k] * NAME(tanh)(c);
                }
            }
            before = out;
            cell_before = cells;
        }
    free(turned);
    free(own);
}

/* Gradients of what the gates were made of, of the first states, and the outputs once more. */
static void NAME(lstm_backward_share)(void *given, Py_ssize_t number)
{
    lstm *l = given;
    ptrdiff_t h = l->hidden, first = number * CHANNELS, rows = l->batch - first < CHANNELS ? l->batch - first : CHANNELS;
    REAL *turned = calloc((size_t)(4 * h * CHANNELS), sizeof(REAL)), *carried = calloc((size_t)(CHANNELS * l->pitch), sizeof(REAL));
    REAL *carried_cell = calloc((size_t)(CHANNELS * h), sizeof(REAL));
    if (turned == NULL || carried == NULL || carried_cell == NULL) l->failed = -1;
    else {
        for (ptrdiff_t s = l->steps - 1; s >= 0; s--) {
            ptrdiff_t row = (l->reverse ? l->steps - 1 - s : s) * l->batch + first;
            const REAL *cells_before = s == 0 ? (const REAL *)l->c0 + first * h
                                              : (const REAL *)l->cells + (row + (l->reverse ? l->batch : -l->batch)) * h;
            for (ptrdiff_t r = 0; r < rows; r++) {
                const REAL *gates = (const REAL *)l->gates + (row + r) * 4 * h, *asked = (const REAL *)l->grad_gates + (row + r) * 4 * h;
                const REAL *cells = (const REAL *)l->cells + (row + r) * h, *grad = (const REAL *)l->grad_out + (row + r) * h;
                const REAL *grad_cells = (const REAL *)l->grad_cells + (row + r) * h, *before = cells_before + r * h;
                REAL *dx = (REAL *)l->dx + (row + r) * 4 * h, *out = (REAL *)l->out + (row + r) * h;
                REAL *to_cell = carried_cell + r * h, *to_state = carried + r * l->pitch;
#pragma omp simd
                for (ptrdiff_t k = 0; k < h; k++) {
                    REAL i = gates[k], f = gates[h + k], g = gates[2 * h + k], o = gates[3 * h + k], curved = NAME(tanh)(cells[k]);
                    REAL dh = grad[k] + to_state[k], dc = grad_cells[k] + to_cell[k] + dh * (o * (1 - curved * curved));
                    dx[k] = (dc * g + asked[k]) * (i * (1 - i));
                    dx[h + k] = (dc * before[k] + asked[h + k]) * (f * (1 - f));
                    dx[2 * h + k] = (dc * i + asked[2 * h + k]) * (1 - g * g);
                    dx[3 * h + k] = (dh * curved + asked[3 * h + k]) * (o * (1 - o));
                    to_cell[k] = dc * f;
                    out[k] = o * curved;
                }
            }
            NAME(turn_rows)((const REAL *)l->dx + row * 4 * h, rows, 4 * h, turned);
            NAME(rows_times)(turned, (const REAL *)l->packed, 4 * h, l->pitch, carried);
        }
        for (ptrdiff_t r = 0; r < rows; r++) memcpy((REAL *)l->dh0 + (first + r) * h, carried + r * l->pitch, (size_t)h * sizeof(REAL));
        memcpy((REAL *)l->dc0 + first * h, carried_cell, (size_t)(rows * h) * sizeof(REAL));
    }
    free(turned);
    free(carried);
    free(carried_cell);
}
#undef CHANNELS
#undef VECTORS
#undef ROWS_TIMES
#undef STEP
