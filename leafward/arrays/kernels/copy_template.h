/* copy_loops.c for one type and one kind of processor: a plane whose rows become columns, square by square in registers. */
#include "turn.h"

/* target[i][j] = source[j][i] for i < across and j < n; steps in bytes, those of the other dim being one element each. */
static void NAME(turn_plane)(char *target, const char *source, Py_ssize_t across, Py_ssize_t n, Py_ssize_t target_across, Py_ssize_t s)
{
    const Py_ssize_t size = sizeof(REAL);
    NAME(turn_matrix)((const REAL *)source, s / size, n, across, (REAL *)target, target_across / size);
}

#ifdef __GNUC__
typedef uint8_t NAME(bytes) __attribute__((vector_size(BYTES), aligned(1), may_alias));
#endif
/* Some bytes in vectors: memcpy asks the processor to move so many, which takes it twice as long where they do not begin at
 * the same place of a line; and of many no more comes from memory meanwhile, nor do they stay in the cache. */
static void NAME(copy_row)(char *target, const char *source, Py_ssize_t size)
{
    Py_ssize_t at = 0;
#ifdef __GNUC__
    for (; at + 4 * BYTES <= size; at += 4 * BYTES) {
        const NAME(bytes) *from = (const NAME(bytes) *)(source + at);
        for (Py_ssize_t line = at; line < at + 4 * BYTES; line += 64) {
            __builtin_prefetch(source + line + 2048);
            __builtin_prefetch(target + line + 2048);
        }
        NAME(bytes) a = from[0], b = from[1], c = from[2], d = from[3], *to = (NAME(bytes) *)(target + at);
        to[0] = a; to[1] = b; to[2] = c; to[3] = d;
        __asm__ volatile("" ::: "memory");                  /* or the compiler would call memcpy */
    }
#endif
    memcpy(target + at, source + at, (size_t)(size - at));
}

/* n elements in reverse, the first of them at `source`. */
static void NAME(reverse_row)(char *target, const char *source, Py_ssize_t n)
{
    REAL *to = (REAL *)target;
    const REAL *from = (const REAL *)source;
    EACH_LINE(n, __builtin_prefetch(from - line - 2048 / sizeof(REAL)); AHEAD(to), to[i] = from[-i];)
}
