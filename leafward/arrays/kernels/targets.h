/* One template, compiled for every kind of vector unit and for both float types.
 *
 * A C file defines TEMPLATE, the header to compile, and includes this (with TYPES, another header than for_both_types.h that
 * includes it for each type). The template writes its functions as NAME(tile); REAL
 * is the float type, LANES how many of them a VECTOR holds, and BROAD says that there are 32 vector registers and not 16. For
 * each function FUNCTIONS(tile) is then a table [target][wide], wide being 1 for float64.
 *
 * A `#pragma` and no build flag chooses the instructions, so that helpers in the template carry them too: GCC makes sixteen
 * masked stores of a splat in a helper that lacks its caller's target. */
#ifndef LEAFWARD_TARGETS_H
#define LEAFWARD_TARGETS_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GLUE_(a, b, c) a##_##b##_##c
#define GLUE(a, b, c) GLUE_(a, b, c)
#define NAME(function) GLUE(function, TARGET, REAL)
#define VECTOR NAME(vector)

#if defined(__x86_64__)
enum { PLAIN, AVX2, AVX512, TARGETS };
#define FUNCTIONS(f) {{f##_plain_float, f##_plain_double}, {f##_avx2_float, f##_avx2_double}, {f##_avx512_float, f##_avx512_double}}
#else
enum { PLAIN, TARGETS };
#define FUNCTIONS(f) {{f##_plain_float, f##_plain_double}}
#endif

/* The best target of this machine, or a lesser one that LEAFWARD_TARGET asks for. */
static inline int find_target(void)
{
    int target = PLAIN;
#if defined(__x86_64__)
    const char *asked = getenv("LEAFWARD_TARGET");
    if (asked != NULL && strcmp(asked, "plain") == 0) return PLAIN;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) target = AVX2;
    if (asked != NULL && strcmp(asked, "avx2") == 0) return target;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512bw")) target = AVX512;
#endif
    return target;
}
#endif

#ifdef TEMPLATE
#ifndef TYPES
#define TYPES "for_both_types.h"
#endif
#define TARGET plain
#define BYTES 16
#ifdef __aarch64__
#define BROAD 1
#else
#define BROAD 0
#endif
#include TYPES
#undef TARGET
#undef BYTES
#undef BROAD

#if defined(__x86_64__)
#define TARGET avx2
#define BYTES 32
#define BROAD 0
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#include TYPES
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef TARGET
#undef BYTES
#undef BROAD

#define TARGET avx512
#define BYTES 64
#define BROAD 1
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq,avx512bw"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq,avx512bw")
#endif
#include TYPES
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef TARGET
#undef BYTES
#undef BROAD
#endif
#undef TEMPLATE
#undef TYPES
#endif
