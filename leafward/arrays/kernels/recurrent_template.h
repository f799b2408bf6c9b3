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
#define ROWS_TIMES NAME(GLUE(tile, CHANNELS, 3))
#define STEP (3 * LANES)

/* out (CHANNELS, pitch) = turned.T (CHANNELS, terms) @ matrix (terms, pitch), in pieces. */
static void NAME(rows_times)(const REAL *turned, const REAL *matrix, ptrdiff_t terms, ptrdiff_t pitch, REAL *out)
{
    ptrdiff_t offsets[PIECE];
    for (ptrdiff_t t = 0; t < PIECE; t++) offsets[t] = t * pitch;
    for (ptrdiff_t t = 0; t < terms; t += PIECE)
        for (ptrdiff_t q = 0; q < pitch; q += STEP)
            ROWS_TIMES(matrix + t * pitch + q, offsets, turned + t * CHANNELS, NULL, 0, terms - t < PIECE ? terms - t : PIECE, out + q,
                       pitch, t > 0);
}

/* Some rows, of `width` numbers each, turned; `to` is zero where there are fewer than CHANNELS. */
static void NAME(turn_rows)(const REAL *from, ptrdiff_t rows, ptrdiff_t width, REAL *to)
{
    NAME(turn_matrix)(from, width, rows, width, to, CHANNELS);
}

static ptrdiff_t NAME(pitch_of)(ptrdiff_t columns) { return (columns + STEP - 1) / STEP * STEP; }
static ptrdiff_t NAME(rows_each)(void) { return CHANNELS; }

/* The weight with rows as long as tiles need them; `turned`: (hidden, parts * hidden). */
static void NAME(pack_weight)(recurrence *l, int turned)
{
    ptrdiff_t wide = l->parts * l->hidden, rows = turned ? l->hidden : wide, columns = turned ? wide : l->hidden;
    const REAL *from = (const REAL *)l->weight;
    REAL *to = (REAL *)l->packed;
    memset(to, 0, (size_t)(rows * l->pitch) * sizeof(REAL));
    if (turned) NAME(turn_matrix)(from, rows, columns, rows, to, l->pitch);
    else
        for (ptrdiff_t r = 0; r < rows; r++) memcpy(to + r * l->pitch, from + r * columns, (size_t)columns * sizeof(REAL));
}

/* What a share works with: a few rows, turned for their product with the weight, and what that gives. */
typedef struct {
    ptrdiff_t first, rows;
    REAL *turned, *own;
} NAME(room);

static int NAME(make_room)(const recurrence *l, Py_ssize_t number, ptrdiff_t terms, NAME(room) *room)
{
    room->first = number * CHANNELS;
    room->rows = l->batch - room->first < CHANNELS ? l->batch - room->first : CHANNELS;
    room->turned = calloc((size_t)(terms * CHANNELS), sizeof(REAL));
    room->own = calloc((size_t)(CHANNELS * l->pitch), sizeof(REAL));
    return room->turned != NULL && room->own != NULL;
}

static void NAME(leave_room)(NAME(room) *room)
{
    free(room->turned);
    free(room->own);
}

/* The row where step `s` of the share begins. */
static ptrdiff_t NAME(row_at)(const recurrence *l, const NAME(room) *room, ptrdiff_t s)
{
    return (l->reverse ? l->steps - 1 - s : s) * l->batch + room->first;
}

/* What the states `before` add to the gates, with rows `l->pitch` apart: computed here, or given. */
static const REAL *NAME(added)(const recurrence *l, NAME(room) *room, const REAL *before)
{
    if (l->own) return (const REAL *)l->own + room->first * l->pitch;
    NAME(turn_rows)(before, room->rows, l->hidden, room->turned);
    NAME(rows_times)(room->turned, (const REAL *)l->packed, l->hidden, l->pitch, room->own);
    return room->own;
}

/* What goes back to the states before, from rows of `wide` numbers: `room->own`, unless the caller makes the product. */
static void NAME(carry)(const recurrence *l, NAME(room) *room, const REAL *from, ptrdiff_t wide)
{
    if (l->by_product) return;
    NAME(turn_rows)(from, room->rows, wide, room->turned);
    NAME(rows_times)(room->turned, (const REAL *)l->packed, wide, l->pitch, room->own);
}

static void NAME(lstm_share)(void *given, Py_ssize_t number)
{
    recurrence *l = given;
    ptrdiff_t h = l->hidden;
    NAME(room) room;
    if (!NAME(make_room)(l, number, h, &room)) l->failed = -1;
    else {
        const REAL *before = (const REAL *)l->h0 + room.first * h, *cell_before = (const REAL *)l->c0 + room.first * h;
        for (ptrdiff_t s = 0; s < l->steps; s++) {
            ptrdiff_t row = NAME(row_at)(l, &room, s);
            REAL *out = (REAL *)l->out + row * h, *cells = (REAL *)l->cells + row * h;
            const REAL *own = NAME(added)(l, &room, before);
            for (ptrdiff_t r = 0; r < room.rows; r++) {
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
    }
    NAME(leave_room)(&room);
}

/* Gradients of what the gates were made of, of the first states, and the outputs once more. */
static void NAME(lstm_backward_share)(void *given, Py_ssize_t number)
{
    recurrence *l = given;
    ptrdiff_t h = l->hidden;
    NAME(room) room;
    if (!NAME(make_room)(l, number, 4 * h, &room)) l->failed = -1;
    else {
        REAL *carried_cell = (REAL *)l->dc0 + room.first * h, *first_state = (REAL *)l->dh0 + room.first * h;
        for (ptrdiff_t r = 0; r < room.rows; r++) memcpy(room.own + r * l->pitch, first_state + r * h, (size_t)h * sizeof(REAL));
        for (ptrdiff_t s = l->steps - 1; s >= 0; s--) {
            ptrdiff_t row = NAME(row_at)(l, &room, s);
            const REAL *cells_before = s == 0 ? (const REAL *)l->c0 + room.first * h
                                              : (const REAL *)l->cells + (row + (l->reverse ? l->batch : -l->batch)) * h;
            for (ptrdiff_t r = 0; r < room.rows; r++) {
                const REAL *gates = (const REAL *)l->gates + (row + r) * 4 * h, *asked = (const REAL *)l->grad_gates + (row + r) * 4 * h;
                const REAL *cells = (const REAL *)l->cells + (row + r) * h, *grad = (const REAL *)l->grad_out + (row + r) * h;
                const REAL *grad_cells = (const REAL *)l->grad_cells + (row + r) * h, *before = cells_before + r * h;
                REAL *dx = (REAL *)l->dx + (row + r) * 4 * h, *out = (REAL *)l->out + (row + r) * h;
                REAL *to_cell = carried_cell + r * h, *to_state = room.own + r * l->pitch;
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
            NAME(carry)(l, &room, (const REAL *)l->dx + row * 4 * h, 4 * h);
        }
        for (ptrdiff_t r = 0; r < room.rows; r++) memcpy(first_state + r * h, room.own + r * l->pitch, (size_t)h * sizeof(REAL));
    }
    NAME(leave_room)(&room);
}

static void NAME(gru_share)(void *given, Py_ssize_t number)
{
    recurrence *l = given;
    ptrdiff_t h = l->hidden;
    const REAL *bias = (const REAL *)l->bias;
    NAME(room) room;
    if (!NAME(make_room)(l, number, h, &room)) l->failed = -1;
    else {
        const REAL *before = (const REAL *)l->h0 + room.first * h;
        for (ptrdiff_t s = 0; s < l->steps; s++) {
            ptrdiff_t row = NAME(row_at)(l, &room, s);
            REAL *out = (REAL *)l->out + row * h;
            const REAL *own = NAME(added)(l, &room, before);
            for (ptrdiff_t r = 0; r < room.rows; r++) {
                const REAL *x = (const REAL *)l->x + (row + r) * 3 * h, *p = own + r * l->pitch;
                REAL *gates = (REAL *)l->gates + (row + r) * 3 * h, *inner = (REAL *)l->inner + (row + r) * h;
#pragma omp simd
                for (ptrdiff_t k = 0; k < 2 * h; k++) gates[k] = NAME(sigmoid)(x[k] + (p[k] + bias[k]));
#pragma omp simd
                for (ptrdiff_t k = 0; k < h; k++) {
                    REAL added = p[2 * h + k] + bias[2 * h + k], n = NAME(tanh)(gates[k] * added + x[2 * h + k]);
                    inner[k] = added;
                    gates[2 * h + k] = n;
                    out[r * h + k] = (before[r * h + k] - n) * gates[h + k] + n;
                }
            }
            before = out;
        }
    }
    NAME(leave_room)(&room);
}

/* Gradients of the rows, of what the states added to the gates, and of the first state. */
static void NAME(gru_backward_share)(void *given, Py_ssize_t number)
{
    recurrence *l = given;
    ptrdiff_t h = l->hidden;
    NAME(room) room;
    if (!NAME(make_room)(l, number, 3 * h, &room)) l->failed = -1;
    else {
        REAL *state = (REAL *)l->dh0 + room.first * h;              /* what is carried past the product */
        for (ptrdiff_t s = l->steps - 1; s >= 0; s--) {
            ptrdiff_t row = NAME(row_at)(l, &room, s);
            const REAL *states_before = s == 0 ? (const REAL *)l->h0 + room.first * h
                                               : (const REAL *)l->out + (row + (l->reverse ? l->batch : -l->batch)) * h;
            for (ptrdiff_t r = 0; r < room.rows; r++) {
                const REAL *gates = (const REAL *)l->gates + (row + r) * 3 * h, *asked = (const REAL *)l->grad_gates + (row + r) * 3 * h;
                const REAL *inner = (const REAL *)l->inner + (row + r) * h, *grad_inner = (const REAL *)l->grad_inner + (row + r) * h;
                const REAL *grad = (const REAL *)l->grad_out + (row + r) * h, *before = states_before + r * h;
                REAL *dx = (REAL *)l->dx + (row + r) * 3 * h, *down = (REAL *)l->d_own + (row + r) * 3 * h;
                REAL *past = state + r * h, *through = room.own + r * l->pitch;
#pragma omp simd
                for (ptrdiff_t k = 0; k < h; k++) {
                    REAL a = gates[k], z = gates[h + k], n = gates[2 * h + k], dh = grad[k] + (past[k] + through[k]);
                    REAL dn = (dh * (1 - z) + asked[2 * h + k]) * (1 - n * n);
                    REAL dr = (dn * inner[k] + asked[k]) * (a * (1 - a));
                    REAL dz = (dh * (before[k] - n) + asked[h + k]) * (z * (1 - z));
                    dx[k] = down[k] = dr;
                    dx[h + k] = down[h + k] = dz;
                    dx[2 * h + k] = dn;
                    down[2 * h + k] = dn * a + grad_inner[k];
                    past[k] = dh * z;
                }
            }
            NAME(carry)(l, &room, (const REAL *)l->d_own + row * 3 * h, 3 * h);
        }
        if (!l->by_product)
            for (ptrdiff_t r = 0; r < room.rows; r++)
                for (ptrdiff_t k = 0; k < h; k++) state[r * h + k] += room.own[r * l->pitch + k];
    }
    NAME(leave_room)(&room);
}
#undef CHANNELS
#undef ROWS_TIMES
#undef STEP
