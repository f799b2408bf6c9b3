/* Codes of x, weights as panels, and the next states of an LSTM, for one target. Of float64 there are none: its forms are not called. */
#include "exponentials.h"
#include "turn.h"

#ifndef LSTM_STEP
#define LSTM_STEP
/* Rows in a share; the largest code. */
enum { EACH = 8, TOP = 127 };

typedef struct {
    const float *x, *own, *cells_before;    /* what the input and the states before give to the gates; (batch, 4 hidden) */
    float *out, *cells;                     /* (batch, hidden) */
    Py_ssize_t batch, hidden;
} lstm_step;
#endif

static void NAME(lstm_gates)(void *given, Py_ssize_t number)
{
    const lstm_step *s = given;
    Py_ssize_t h = s->hidden, first = number * EACH, last = first + EACH < s->batch ? first + EACH : s->batch;
    for (Py_ssize_t r = first; r < last; r++) {
        const float *x = s->x + r * 4 * h, *own = s->own + r * 4 * h, *before = s->cells_before + r * h;
        float *out = s->out + r * h, *cells = s->cells + r * h;
#pragma omp simd
        for (Py_ssize_t k = 0; k < h; k++) {
            REAL i = NAME(sigmoid)(x[k] + own[k]), f = NAME(sigmoid)(x[h + k] + own[h + k]);
            REAL c = f * before[k] + i * NAME(tanh)(x[2 * h + k] + own[2 * h + k]);
            cells[k] = c;
            out[k] = NAME(sigmoid)(x[3 * h + k] + own[3 * h + k]) * NAME(tanh)(c);
        }
    }
}

/* Four codes are as long as a float, and moved as one. */
static void NAME(pack_panel)(void *given, Py_ssize_t number)
{
    const quantized_job *job = given;
    Py_ssize_t inner = job->inner, quads = (inner + 3) / 4, n = number * WIDE, rows = job->columns - n < WIDE ? job->columns - n : WIDE;
    const int8_t *from = job->weight + n * inner;
    int8_t *to = job->panels + number * quads * PANEL;
    int whole = inner % 4 == 0 && (uintptr_t)from % 4 == 0;
    if (!whole || rows < WIDE) memset(to, 0, (size_t)(quads * PANEL));
    if (whole) NAME(turn_matrix)((const REAL *)from, quads, rows, quads, (REAL *)to, WIDE);
    else
        for (Py_ssize_t r = 0; r < rows; r++)
            for (Py_ssize_t k = 0; k < inner; k++) to[k / 4 * PANEL + 4 * r + k % 4] = from[r * inner + k];
}

/* The step and the zero of the codes of x; a step that is no number where x has a NaN or an infinity. So many at a time that
 * compilers make vectors of them. */
static void NAME(choose_steps)(void *given, Py_ssize_t number)
{
    enum { MANY_LANES = 4 * BYTES / 4 };
    quantized_job *job = given;
    float low[MANY_LANES] = {0}, high[MANY_LANES] = {0}, odd[MANY_LANES] = {0};
    Py_ssize_t size = job->rows * job->inner, i = 0;
    for (; i + MANY_LANES <= size; i += MANY_LANES)
        for (int j = 0; j < MANY_LANES; j++) {
            float v = job->x[i + j];
            low[j] = v < low[j] ? v : low[j];
            high[j] = v > high[j] ? v : high[j];
            odd[j] += v * 0;
        }
    for (; i < size; i++) {
        float v = job->x[i];
        low[0] = v < low[0] ? v : low[0];
        high[0] = v > high[0] ? v : high[0];
        odd[0] += v * 0;
    }
    for (int j = 1; j < MANY_LANES; j++) {
        low[0] = low[j] < low[0] ? low[j] : low[0];
        high[0] = high[j] > high[0] ? high[j] : high[0];
        odd[0] += odd[j];
    }
    job->step = (float)(((double)high[0] - low[0]) / TOP);
    if (job->step == 0) job->step = 1;
    if (odd[0] != 0) job->step = NAN;
    double zero = rint(-(double)low[0] / job->step);
    job->zero = zero >= 0 ? zero > TOP ? TOP : (int32_t)zero : 0;
}

/* Rounded to even; where no instruction does it, by adding and taking away a number whose last bit counts 1. */
static void NAME(write_codes)(void *given, Py_ssize_t number)
{
    const quantized_job *job = given;
    const float inverse = 1 / job->step, far = 12582912;
    Py_ssize_t first = number * job->share, last = first + job->share < job->rows ? first + job->share : job->rows;
    for (Py_ssize_t r = first; r < last; r++) {
        const float *x = job->x + r * job->inner;
        uint8_t *to = job->codes + r * job->pitch;
        for (Py_ssize_t k = 0; k < job->inner; k++) {
            float scaled = x[k] * inverse;
#if BYTES > 16 || !defined(__x86_64__)
            int32_t code = (int32_t)__builtin_rintf(scaled) + job->zero;
#else
            int32_t code = (int32_t)(scaled + far - far) + job->zero;
#endif
            to[k] = (uint8_t)(code < 0 ? 0 : code > TOP ? TOP : code);
        }
        memset(to + job->inner, 0, (size_t)(job->pitch - job->inner));
    }
}
