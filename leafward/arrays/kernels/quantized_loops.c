/* The dynamically quantized product of ops/quantized.py.
 *
 * x is rounded to the codes 0 to 127 once, on one thread; then tiles of rows of codes and of weights are multiplied. The code
 * `zero` stands for 0, so what a row of weights adds up to, times `zero`, comes off its sums. */
#include "quantized_loops.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define VECTORS 1
#else
#define VECTORS 0
#endif

/* Codes in a block, which a vector holds: rows of codes are filled up to whole ones with 0. What is multiplied at a time: rows of
 * codes with rows of weights. Multiplications in a share. */
enum { BLOCK = 64, ROWS = 4, COLUMNS = 4, SHARE = 1 << 17, TOP = 127 };

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

static dots_function dots = dots_plain;

int prepare_quantized(void)
{
#if VECTORS
    const char *asked = getenv("LEAFWARD_TARGET");
    __builtin_cpu_init();
    if ((asked == NULL || strcmp(asked, "plain") != 0) && __builtin_cpu_supports("avx2")) {
        dots = dots_avx2;
        if ((asked == NULL || strcmp(asked, "avx2") != 0) && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512vnni")) dots = dots_vnni;
    }
#endif
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

/* The step and the zero of the codes of x; a step that is no number where x has a NaN or an infinity. Eight at a time, as
 * compilers make vectors of it. */
static void choose_steps(quantized_job *job)
{
    float low[8] = {0}, high[8] = {0}, odd[8] = {0};
    Py_ssize_t size = job->rows * job->inner, i = 0;
    for (; i + 8 <= size; i += 8)
        for (int j = 0; j < 8; j++) {
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
    for (int j = 1; j < 8; j++) {
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

/* Rounded to even, as adding and taking away a number does whose last bit counts 1. */
static void write_codes(quantized_job *job)
{
    const float inverse = 1 / job->step, far = 12582912;
    for (Py_ssize_t r = 0; r < job->rows; r++) {
        const float *x = job->x + r * job->inner;
        uint8_t *to = job->codes + r * job->pitch;
        for (Py_ssize_t k = 0; k < job->inner; k++) {
            int32_t code = (int32_t)(x[k] * inverse + far - far) + job->zero;
            to[k] = (uint8_t)(code < 0 ? 0 : code > TOP ? TOP : code);
        }
        memset(to + job->inner, 0, (size_t)(job->pitch - job->inner));
    }
    memset(job->codes + job->rows * job->pitch, 1, (size_t)job->pitch);
}

int quantized_product(quantized_job *job)
{
    choose_steps(job);
    if (isnan(job->step)) {
        for (Py_ssize_t i = 0; i < job->rows * job->columns; i++) job->out[i] = NAN;
        return 0;
    }
    job->pitch = (job->inner + BLOCK - 1) / BLOCK * BLOCK;
    job->codes = malloc((size_t)((job->rows + 1) * job->pitch));
    if (job->codes == NULL) return -1;
    write_codes(job);
    Py_ssize_t each = job->rows * job->inner;
    job->share = (SHARE / each + COLUMNS) / COLUMNS * COLUMNS;
    each_share(product_share, job, shares_of(job->columns, job->share));
    free(job->codes);
    return 0;
}
