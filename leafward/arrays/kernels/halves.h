/* Half types to float32 and back, to the nearest and of two the even one, by the processor's own instructions where it has them. */
#ifndef LEAFWARD_HALVES_H
#define LEAFWARD_HALVES_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define FOR_PROCESSOR(which) __attribute__((target(which)))
#endif

static inline uint32_t bits_of(float x) { uint32_t bits; memcpy(&bits, &x, 4); return bits; }
static inline float float_of(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }

/* Each without a branch, so that it is computed in vectors. */
static inline __attribute__((always_inline)) uint16_t to_float16(float x)
{
    uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    uint32_t nan = 0x7e00 | (size >> 13 & 0x3ff);
    uint32_t tiny = bits_of(float_of(size) + 0.5f) - 0x3f000000;           /* the addition rounds to steps of 2^-24 */
    uint32_t usual = (size + 0xc8000fffu + (size >> 13 & 1)) >> 13;
    uint32_t half = size < 0x38800000 ? tiny : usual;
    half = size >= 0x47800000 ? 0x7c00 : half;
    half = size > 0x7f800000 ? nan : half;
    return (uint16_t)(sign | half);
}

static inline __attribute__((always_inline)) float from_float16(uint16_t half)
{
    uint32_t size = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t usual = bits_of(float_of(size) * 0x1p112f);
    uint32_t bits = (half & 0x7c00) == 0x7c00 ? size | 0x7f800000 : usual;
    return float_of(sign | bits);
}

static inline __attribute__((always_inline)) uint16_t to_bfloat16(float x)
{
    uint32_t bits = bits_of(x), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16 & 0x8000) | 0x7fc0 : rounded);
}

static inline __attribute__((always_inline)) float from_bfloat16(uint16_t half) { return float_of((uint32_t)half << 16); }

/* Of n elements; `widen` may not write over what it reads. */
typedef struct {
    void (*narrow)(const float *from, uint16_t *to, ptrdiff_t n);
    void (*widen)(const uint16_t *from, float *to, ptrdiff_t n);
} half_type;

enum { FLOAT16, BFLOAT16, HALF_TYPES };

#define EACH_HALF(NAME, FROM, TO, CAST, HOW) \
HOW static void NAME(const FROM *from, TO *to, ptrdiff_t n) { for (ptrdiff_t i = 0; i < n; i++) to[i] = CAST(from[i]); }
EACH_HALF(narrow_16_plain, float, uint16_t, to_float16, )
EACH_HALF(widen_16_plain, uint16_t, float, from_float16, )
EACH_HALF(narrow_b16_plain, float, uint16_t, to_bfloat16, )
EACH_HALF(widen_b16_plain, uint16_t, float, from_bfloat16, )

#ifdef FOR_PROCESSOR
EACH_HALF(narrow_b16_avx2, float, uint16_t, to_bfloat16, FOR_PROCESSOR("avx2"))
EACH_HALF(widen_b16_avx2, uint16_t, float, from_bfloat16, FOR_PROCESSOR("avx2"))
EACH_HALF(narrow_b16_avx512, float, uint16_t, to_bfloat16, FOR_PROCESSOR("avx512f,avx512vl,avx512bw,avx512dq"))
EACH_HALF(widen_b16_avx512, uint16_t, float, from_bfloat16, FOR_PROCESSOR("avx512f,avx512vl,avx512bw,avx512dq"))

FOR_PROCESSOR("avx2,f16c") static void narrow_16_avx2(const float *from, uint16_t *to, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < n; i++) to[i] = to_float16(from[i]);
}

FOR_PROCESSOR("avx2,f16c") static void widen_16_avx2(const uint16_t *from, float *to, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
    for (; i < n; i++) to[i] = from_float16(from[i]);
}

FOR_PROCESSOR("avx512f") static void narrow_16_avx512(const float *from, uint16_t *to, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(to + i), _mm512_cvtps_ph(_mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < n; i++) to[i] = to_float16(from[i]);
}

FOR_PROCESSOR("avx512f") static void widen_16_avx512(const uint16_t *from, float *to, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    for (; i + 16 <= n; i += 16) _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from + i))));
    for (; i < n; i++) to[i] = from_float16(from[i]);
}
#endif

#ifdef FOR_PROCESSOR
#include <cpuid.h>
/* Clang's __builtin_cpu_supports does not know this name. */
static inline int has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

/* The casts of each half type on this processor. */
static inline void find_half_types(half_type *types)
{
    types[FLOAT16] = (half_type){narrow_16_plain, widen_16_plain};
    types[BFLOAT16] = (half_type){narrow_b16_plain, widen_b16_plain};
#ifdef FOR_PROCESSOR
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512dq")) {
        types[FLOAT16] = (half_type){narrow_16_avx512, widen_16_avx512};
        types[BFLOAT16] = (half_type){narrow_b16_avx512, widen_b16_avx512};
    } else if (__builtin_cpu_supports("avx2") && has_f16c()) {
        types[FLOAT16] = (half_type){narrow_16_avx2, widen_16_avx2};
        types[BFLOAT16] = (half_type){narrow_b16_avx2, widen_b16_avx2};
    }
#endif
}
#endif
