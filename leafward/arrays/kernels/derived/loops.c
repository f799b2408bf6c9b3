/* The derived kernels in each element type, and the module that offers them. Compiled once for each kind of processor. */
#include <Python.h>
#include "loops.h"

/* A cache line of elements at a time, while those that are AHEAD come from memory: processors do not foresee reads beyond a page, nor
 * writes at all. What follows the last whole line is shorter than the widest vector. Of short vectors a line has too many. */
enum { LINE_BYTES = 64, LINES_AHEAD = 32 };
#if defined(__AVX2__)
#define AHEAD(pointer) __builtin_prefetch((const char *)(pointer + line) + LINES_AHEAD * LINE_BYTES);
#define EACH(count, ahead, ...) \
    ptrdiff_t line = 0; \
    for (; line + (ptrdiff_t)(LINE_BYTES / sizeof(T)) <= count; line += LINE_BYTES / sizeof(T)) { \
        ahead \
        _Pragma("omp simd") for (ptrdiff_t at = line; at < line + (ptrdiff_t)(LINE_BYTES / sizeof(T)); at++) { __VA_ARGS__ } \
    } \
    _Pragma("omp simd simdlen(32 / sizeof(T))") for (ptrdiff_t at = line; at < count; at++) { __VA_ARGS__ }
#else
#define EACH(count, ahead, ...) _Pragma("omp simd") for (ptrdiff_t at = 0; at < count; at++) { __VA_ARGS__ }
#endif
/* Does any element lie where the vector form of a function does not reach? Then the loop runs element by element. */
#if defined(__GNUC__) || defined(__clang__)
#define ASK_EACH(count) _Pragma("omp simd reduction(|:far)") for (ptrdiff_t at = 0; at < count; at++)
#else
#define ASK_EACH(count) for (ptrdiff_t at = 0; at < count; at++)
#endif
#if defined(__GNUC__) || defined(__clang__)
#define SUM_EACH(count) _Pragma("omp simd reduction(+:sum)") for (ptrdiff_t at = 0; at < count; at++)
#else
#define SUM_EACH(count) for (ptrdiff_t at = 0; at < count; at++)
#endif
#define EACH_ALONE(count) for (ptrdiff_t at = 0; at < count; at++)
#define K(name) F(kernel_##name)

#define FLOAT32 0
#define KIND 1
#include "vector_math.h"
#include "vector_angles.h"
#include "vector_remainders.h"
#include "polynomials.h"
#include "loops.inc"
#undef FLOAT32
#undef KIND
#define FLOAT32 1
#define KIND 0
#include "vector_math.h"
#include "vector_angles.h"
#include "vector_remainders.h"
#include "polynomials.h"
#include "loops.inc"
#undef T
#undef F
#undef KIND

#define T uint8_t
#define KIND 2
#define F(name) name##_b8
#include "whole_loops.h"
#define T uint8_t
#define KIND 3
#define F(name) name##_u8
#include "whole_loops.h"
#define T int8_t
#define KIND 4
#define F(name) name##_i8
#include "whole_loops.h"
#define T int16_t
#define KIND 5
#define F(name) name##_i16
#include "whole_loops.h"
#define T int32_t
#define KIND 6
#define F(name) name##_i32
#include "whole_loops.h"
#define T int64_t
#define KIND 7
#define F(name) name##_i64
#include "whole_loops.h"

static const struct tables tables = {{forms_f32, forms_f64, forms_b8, forms_u8, forms_i8, forms_i16, forms_i32, forms_i64}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, TARGET_NAME, "Derived kernels.", -1, NULL, NULL, NULL, NULL, NULL};

#define START_(target) PyInit_##target
#define START(target) START_(target)
PyMODINIT_FUNC START(TARGET)(void)
{
    PyObject *made = PyModule_Create(&module), *capsule = PyCapsule_New((void *)&tables, TARGET_NAME, NULL);
    if (made == NULL || capsule == NULL || PyModule_AddObject(made, "forms", capsule) < 0) return NULL;
#ifdef Py_GIL_DISABLED
    PyUnstable_Module_SetGIL(made, Py_MOD_GIL_NOT_USED);
#endif
    return made;
}
