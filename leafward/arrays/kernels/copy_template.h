/* copy_loops.c for one type and one kind of processor: a plane whose rows become columns, square by square in registers. */
#include "turn.h"

/* target[i][j] = source[j][i] for i < across and j < n; steps in bytes, those of the other dim being one element each. */
static void NAME(turn_plane)(char *target, const char *source, Py_ssize_t across, Py_ssize_t n, Py_ssize_t target_across, Py_ssize_t s)
{
    const Py_ssize_t size = sizeof(REAL);
    NAME(turn_matrix)((const REAL *)source, s / size, n, across, (REAL *)target, target_across / size);
}
