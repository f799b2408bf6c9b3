/* The dynamically quantized product of ops/quantized.py.
 *
 * x is rounded to the codes 0 to 127 once; then tiles of rows of codes and of weights are multiplied. The code
 * `zero` stands for 0, so what a row of weights adds up to, times `zero`, comes off its sums. An LSTM takes such a product at each
 * step, and makes the next states of it.
 *
 * Weights that meet many rows are turned into panels first: then a vector has codes of many columns, four neighbours of each, and
 * its sums are those of the columns as they are. For few rows that takes longer than it saves. */
#include "quantized_loops.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#define TEMPLATE "quantized_template.h"
#include "targets.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define VECTORS 1
#else
#define VECTORS 0
#endif

/* Codes in a block, which a vector holds: rows of codes are filled up to whole ones with 0. What is multiplied at a time: rows of
 * codes with rows of weights. Multiplications in a share, and numbers in one that are rounded. */
enum { BLOCK = 64, ROWS = 4, COLUMNS = 4, SHARE = 1 << 17, ROUNDED = 1 << 15 };

/* sums[r][c] += row r of the codes times w[c], for `count` rows: of `blocks` blocks. */
typedef void (*dots_function)(const uint8_t *codes, Py_ssize_t pitch, int count, const int8_t *const *w, Py_ssize_t blocks,
                              int32_t (*sums)[COLUMNS]);

static void dots_plain(const uint8_t *codes, Py_ssize_t pitch, int count, const int8_t *const *w, Py_ssize_t blocks,
                       int32_t (*sums)[COLUMNS])
{
    for (int r = 0; r < count; r++)
        for (int c = 0; c < COLUMNS; c++) {
            int32_t sum = 0;
            for (Py_ssize_t k = 0; k < blocks * BLOCK; k++) sum += (int16_t)codes[r * pitch + k] * (int16_t)w[c][k];
            sums[r][c] += sum;
        }
}

#if VECTORS
#define INLINE(target_) __attribute__((target(target_), always_inline)) static inline
#define VNNI "avx2,avx512f,avx512bw,avx512vnni"

/* What the numbers of each of four vectors add up to, added to four sums. */
INLINE("avx2") void add_totals(int32_t *sums, __m256i a, __m256i b, __m256i c, __m256i d)
{
    __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    _mm_storeu_si128((__m128i *)sums, _mm_add_epi32(four, _mm_loadu_si128((const __m128i *)sums)));
}

/* Two neighbours' products fit into 16 bits, since a code has 7. */
INLINE("avx2") void tile_avx2(const int rows, const uint8_t *codes, Py_ssize_t pitch, const int8_t *const *w, Py_ssize_t blocks,
                              int32_t (*sums)[COLUMNS])
{
    __m256i sum[ROWS][COLUMNS];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < COLUMNS; c++) sum[r][c] = _mm256_setzero_si256();
    for (Py_ssize_t k = 0; k < blocks * BLOCK; k += 32)
        for (int c = 0; c < COLUMNS; c++) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(w[c] + k));
            for (int r = 0; r < rows; r++) {
                __m256i pairs = _mm256_maddubs_epi16(_mm256_loadu_si256((const __m256i *)(codes + r * pitch + k)), v);
                sum[r][c] = _mm256_add_epi32(sum[r][c], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
            }
        }
    for (int r = 0; r < rows; r++) add_totals(sums[r], sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

INLINE(VNNI) __m256i folded(__m512i v)
{
    return _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
}

INLINE(VNNI) void tile_vnni(const int rows, const uint8_t *codes, Py_ssize_t pitch, const int8_t *const *w, Py_ssize_t blocks,
                            int32_t (*sums)[COLUMNS])
{
    __m512i sum[ROWS][COLUMNS];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < COLUMNS; c++) sum[r][c] = _mm512_setzero_si512();
    for (Py_ssize_t k = 0; k < blocks * BLOCK; k += BLOCK)
        for (int c = 0; c < COLUMNS; c++) {
            __m512i v = _mm512_loadu_si512(w[c] + k);
            for (int r = 0; r < rows; r++) sum[r][c] = _mm512_dpbusd_epi32(sum[r][c], _mm512_loadu_si512(codes + r * pitch + k), v);
        }
    for (int r = 0; r < rows; r++) add_totals(sums[r], folded(sum[r][0]), folded(sum[r][1]), folded(sum[r][2]), folded(sum[r][3]));
}

__attribute__((target("avx2")))
static void dots_avx2(const uint8_t *codes, Py_ssize_t pitch, int count, const int8_t *const *w, Py_ssize_t blocks,
                      int32_t (*sums)[COLUMNS])
{
    int r = 0;
    for (; r + 2 <= count; r += 2) tile_avx2(2, codes + r * pitch, pitch, w, blocks, sums + r);
    if (r < count) tile_avx2(1, codes + r * pitch, pitch, w, blocks, sums + r);
}

__attribute__((target(VNNI)))
static void dots_vnni(const uint8_t *codes, Py_ssize_t pitch, int count, const int8_t *const *w, Py_ssize_t blocks,
                      int32_t (*sums)[COLUMNS])
{
    if (count == ROWS) tile_vnni(ROWS, codes, pitch, w, blocks, sums);
    else for (int r = 0; r < count; r++) tile_vnni(1, codes + r * pitch, pitch, w, blocks, sums + r);
}
#endif

/* --- panels -------------------------------------------------------------------------------------------------------------------- */

/* sums[r][c] = row r of the codes times column c of a panel, for `count` rows: of `quads` times four codes. */
typedef void (*panel_function)(const uint8_t *codes, Py_ssize_t pitch, int count, const int8_t *panel, Py_ssize_t quads,
                               int32_t (*sums)[WIDE]);

#if VECTORS
static inline int four_codes(const uint8_t *codes)
{
    int four;
    memcpy(&four, codes, sizeof four);
    return four;
}

INLINE("avx2") void rows_of_panel_avx2(const int rows, const uint8_t *codes, Py_ssize_t pitch, const int8_t *panel, Py_ssize_t quads,
                                       int32_t (*sums)[WIDE])
{
    __m256i sum[2][WIDE / 8];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < WIDE / 8; c++) sum[r][c] = _mm256_setzero_si256();
    for (Py_ssize_t q = 0; q < quads; q++)
        for (int c = 0; c < WIDE / 8; c++) {
            __m256i v = _mm256_load_si256((const __m256i *)(panel + q * PANEL + 32 * c));
            for (int r = 0; r < rows; r++) {
                __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi32(four_codes(codes + r * pitch + 4 * q)), v);
                sum[r][c] = _mm256_add_epi32(sum[r][c], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
            }
        }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < WIDE / 8; c++) _mm256_storeu_si256((__m256i *)(sums[r] + 8 * c), sum[r][c]);
}

INLINE(VNNI) void rows_of_panel_vnni(const int rows, const uint8_t *codes, Py_ssize_t pitch, const int8_t *panel, Py_ssize_t quads,
                                     int32_t (*sums)[WIDE])
{
    __m512i sum[TALL][2];
    for (int r = 0; r < rows; r++) sum[r][0] = sum[r][1] = _mm512_setzero_si512();
    for (Py_ssize_t q = 0; q < quads; q++) {
        __m512i left = _mm512_load_si512(panel + q * PANEL), right = _mm512_load_si512(panel + q * PANEL + 64);
        for (int r = 0; r < rows; r++) {
            __m512i four = _mm512_set1_epi32(four_codes(codes + r * pitch + 4 * q));
            sum[r][0] = _mm512_dpbusd_epi32(sum[r][0], four, left);
            sum[r][1] = _mm512_dpbusd_epi32(sum[r][1], four, right);
        }
    }
    for (int r = 0; r < rows; r++) {
        _mm512_storeu_si512(sums[r], sum[r][0]);
        _mm512_storeu_si512(sums[r] + 16, sum[r][1]);
    }
}

__attribute__((target("avx2")))
static void panel_avx2(const uint8_t *codes, Py_ssize_t pitch, int count, const int8_t *panel, Py_ssize_t quads, int32_t (*sums)[WIDE])
{
    int r = 0;
    for (; r + 2 <= count; r += 2) rows_of_panel_avx2(2, codes + r * pitch, pitch, panel, quads, sums + r);
    if (r < count) rows_of_panel_avx2(1, codes + r * pitch, pitch, panel, quads, sums + r);
}

__attribute__((target(VNNI)))
static void panel_vnni(const uint8_t *codes, Py_ssize_t pitch, int count, const int8_t *panel, Py_ssize_t quads, int32_t (*sums)[WIDE])
{
    int r = 0;
    if (count == TALL) rows_of_panel_vnni(TALL, codes, pitch, panel, quads, sums), r = TALL;
    for (; r + 4 <= count; r += 4) rows_of_panel_vnni(4, codes + r * pitch, pitch, panel, quads, sums + r);
    for (; r < count; r++) rows_of_panel_vnni(1, codes + r * pitch, pitch, panel, quads, sums + r);
}
#endif

static dots_function dots = dots_plain;
static panel_function panel_sums = NULL;                    /* NULL: there are no panels */
static const share_function all_packs[TARGETS][2] = FUNCTIONS(pack_panel), all_gates[TARGETS][2] = FUNCTIONS(lstm_gates),
    all_choices[TARGETS][2] = FUNCTIONS(choose_steps), all_codes[TARGETS][2] = FUNCTIONS(write_codes);
static share_function pack, gates, choose_steps, write_codes;

int prepare_quantized(void)
{
#if VECTORS
    const char *asked = getenv("LEAFWARD_TARGET");
    __builtin_cpu_init();
    if ((asked == NULL || strcmp(asked, "plain") != 0) && __builtin_cpu_supports("avx2")) {
        dots = dots_avx2, panel_sums = panel_avx2;
        if ((asked == NULL || strcmp(asked, "avx2") != 0) && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512vnni")) dots = dots_vnni, panel_sums = panel_vnni;
    }
#endif
    int target = find_target();
    pack = all_packs[target][0], gates = all_gates[target][0];
    choose_steps = all_choices[target][0], write_codes = all_codes[target][0];
    return import_pool();
}

/* Some columns, COLUMNS at a time, the last of which may repeat. What stands behind the last whole block of a row of weights is
 * copied, and filled up with 0. A row of ones, behind those of x, gives what the weights add up to. */
static void product_share(void *given, Py_ssize_t number)
{
    const quantized_job *job = given;
    Py_ssize_t first = number * job->share, last = first + job->share < job->columns ? first + job->share : job->columns;
    Py_ssize_t blocks = job->inner / BLOCK, rest = job->inner % BLOCK;
    int8_t end[COLUMNS][BLOCK] = {{0}};
    const int8_t *w[COLUMNS], *ends[COLUMNS];
    for (Py_ssize_t n = first; n < last; n += COLUMNS) {
        int32_t weights[1][COLUMNS] = {{0}};
        int columns = last - n < COLUMNS ? (int)(last - n) : COLUMNS;
        for (int c = 0; c < COLUMNS; c++) {
            w[c] = job->weight + (n + (c < columns ? c : columns - 1)) * job->inner;
            ends[c] = memcpy(end[c], w[c] + blocks * BLOCK, (size_t)rest);
        }
        dots(job->codes + job->rows * job->pitch, job->pitch, 1, w, blocks, weights);
        if (rest) dots(job->codes + job->rows * job->pitch, job->pitch, 1, ends, 1, weights);
        for (Py_ssize_t r = 0; r < job->rows; r += ROWS) {
            int32_t sums[ROWS][COLUMNS] = {{0}};
            int rows = job->rows - r < ROWS ? (int)(job->rows - r) : ROWS;
            const uint8_t *codes = job->codes + r * job->pitch;
            dots(codes, job->pitch, rows, w, blocks, sums);
            if (rest) dots(codes + blocks * BLOCK, job->pitch, rows, ends, 1, sums);
            for (int i = 0; i < rows; i++)
                for (int c = 0; c < columns; c++) {
                    float factor = job->step * job->scale[(n + c) * job->scale_step];
                    float product = (float)(sums[i][c] - job->zero * weights[0][c]) * factor;
                    job->out[(r + i) * job->columns + n + c] = job->bias == NULL ? product : product + job->bias[n + c];
                }
        }
    }
}

/* Sums as numbers, `count` rows of them, from row `r` and column `n` on. Apart from what has vector units with fused products, which
 * round otherwise than NumPy does. */
__attribute__((noinline)) static void write_rows(const quantized_job *job, int32_t (*sums)[WIDE], Py_ssize_t r, int count, Py_ssize_t n)
{
    int32_t less[WIDE];
    float factor[WIDE], offset[WIDE];
    int columns = job->columns - n < WIDE ? (int)(job->columns - n) : WIDE;
    for (int c = 0; c < columns; c++) {
        less[c] = job->zero * job->totals[n + c];
        factor[c] = job->step * job->scale[(n + c) * job->scale_step];
        offset[c] = job->bias == NULL ? 0 : job->bias[n + c];
    }
    for (int i = 0; i < count; i++) {
        float *to = job->out + (r + i) * job->columns + n;
        for (int c = 0; c < columns; c++) to[c] = (float)(sums[i][c] - less[c]) * factor[c] + offset[c];
    }
}

static void panel_share(void *given, Py_ssize_t number)
{
    const quantized_job *job = given;
    Py_ssize_t quads = (job->inner + 3) / 4, count = shares_of(job->columns, WIDE);
    Py_ssize_t first = number * job->share, last = first + job->share < count ? first + job->share : count;
    for (Py_ssize_t p = first; p < last; p++)
        for (Py_ssize_t r = 0; r < job->rows; r += TALL) {
            int32_t sums[TALL][WIDE];
            int rows = job->rows - r < TALL ? (int)(job->rows - r) : TALL;
            panel_sums(job->codes + r * job->pitch, job->pitch, rows, job->panels + p * quads * PANEL, quads, sums);
            write_rows(job, sums, r, rows, p * WIDE);
        }
}

static void pack_share(void *given, Py_ssize_t p)
{
    const quantized_job *job = given;
    Py_ssize_t quads = (job->inner + 3) / 4;
    int32_t totals[1][WIDE];
    pack(given, p);
    panel_sums(job->codes, 0, 1, job->panels + p * quads * PANEL, quads, totals);
    memcpy(job->totals + p * WIDE, totals, sizeof totals);
}

/* The weights as panels, where there are any: they stay in the job until drop_panels(). */
static int make_panels(quantized_job *job)
{
    if (panel_sums == NULL) return 0;
    Py_ssize_t count = shares_of(job->columns, WIDE), quads = (job->inner + 3) / 4;
    job->panels = aligned_alloc(64, (size_t)(count * quads * PANEL));
    job->totals = malloc((size_t)(count * WIDE) * sizeof(int32_t));
    job->codes = malloc((size_t)(4 * quads));
    int failed = job->panels == NULL || job->totals == NULL || job->codes == NULL;
    if (!failed) {
        memset(job->codes, 1, (size_t)(4 * quads));
        each_share(pack_share, job, count);
    }
    free(job->codes);
    return -failed;
}

static void drop_panels(quantized_job *job)
{
    free(job->panels);
    free(job->totals);
    job->panels = NULL, job->totals = NULL;
}

static int product(quantized_job *job)
{
    choose_steps(job, 0);
    if (isnan(job->step)) {
        for (Py_ssize_t i = 0; i < job->rows * job->columns; i++) job->out[i] = NAN;
        return 0;
    }
    job->pitch = (job->inner + BLOCK - 1) / BLOCK * BLOCK;
    job->codes = malloc((size_t)((job->rows + 1) * job->pitch));
    if (job->codes == NULL) return -1;
    memset(job->codes + job->rows * job->pitch, 1, (size_t)job->pitch);
    Py_ssize_t each = job->rows * job->inner;
    job->share = ROUNDED / job->inner + 1;
    each_share(write_codes, job, shares_of(job->rows, job->share));
    if (job->panels != NULL) {
        job->share = SHARE / (each * WIDE) + 1;
        each_share(panel_share, job, shares_of(shares_of(job->columns, WIDE), job->share));
    } else {
        job->share = (SHARE / each + COLUMNS) / COLUMNS * COLUMNS;
        each_share(product_share, job, shares_of(job->columns, job->share));
    }
    free(job->codes);
    return 0;
}

int quantized_product(quantized_job *job)
{
    job->panels = NULL, job->totals = NULL;
    int failed = job->rows >= MANY ? make_panels(job) : 0;
    if (!failed) failed = product(job);
    drop_panels(job);
    return failed;
}

int quantized_lstm_steps(quantized_lstm *l)
{
    Py_ssize_t h = l->hidden;
    float *own = malloc((size_t)(l->batch * 4 * h) * sizeof(float));
    if (own == NULL) return -1;
    lstm_step step = {.own = own, .hidden = h, .batch = l->batch, .cells_before = l->c0};
    quantized_job job = {.x = l->h0, .weight = l->weight, .scale = l->scale, .bias = l->bias, .out = own, .rows = l->batch,
                         .inner = h, .columns = 4 * h, .scale_step = l->scale_step};
    int failed = l->steps * l->batch >= MANY ? make_panels(&job) : 0;
    for (Py_ssize_t s = 0; s < l->steps && !failed; s++) {
        Py_ssize_t row = (l->reverse ? l->steps - 1 - s : s) * l->batch;
        failed = product(&job);
        if (failed) break;
        step.x = l->x + row * 4 * h;
        step.out = l->out + row * h;
        step.cells = l->cells + row * h;
        each_share(gates, &step, shares_of(l->batch, EACH));
        job.x = step.out;
        step.cells_before = step.cells;
    }
    drop_panels(&job);
    free(own);
    return failed;
}
