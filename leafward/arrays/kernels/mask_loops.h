/* What is chosen by masks, and what is counted. All arrays are row-major. */
#include <Python.h>
#include <stdint.h>

enum { MOST_DIMS = 64 };

/* How many bytes of a mask, of 0 and 1, are 1. */
Py_ssize_t count_true(const uint8_t *mask, Py_ssize_t n);

/* The place of each of `total` ones along each of the dims: those along one dim lie together. */
void true_places(const uint8_t *mask, int ndim, const Py_ssize_t *shape, Py_ssize_t total, int64_t *out);

/* The `total` elements of x where the mask is 1. */
void choose(const char *x, const uint8_t *mask, Py_ssize_t n, Py_ssize_t total, int itemsize, char *out);

/* x with the value (of itemsize bytes) where the mask is 1, or with `total` values in order. `out` may be x. */
void fill(const char *x, const uint8_t *mask, Py_ssize_t n, const char *value, int itemsize, char *out);
void put_in_order(const char *x, const uint8_t *mask, Py_ssize_t n, const char *values, Py_ssize_t total, int itemsize, char *out);

/* Whether n elements are the same: bytes, or of `width` 4 or 8 floats, of which NaN is equal to none. It ends with the first that is not. */
int all_the_same(const char *x, const char *y, Py_ssize_t bytes);
int all_equal_floats(const void *x, const void *y, Py_ssize_t n, int width);

/* The least and the largest of n numbers, n > 0. */
void number_range(const int64_t *x, Py_ssize_t n, int64_t *least, int64_t *largest);

/* Add 1, or the weights, at each place, which are none below 0. */
void count_numbers(const int64_t *x, Py_ssize_t n, int64_t *counts);
void add_weights(const int64_t *x, const void *weights, int wide, Py_ssize_t n, double *totals);

/* Count into bins of one width from `low` to `high`, in the arithmetic of the element type. */
void count_in_bins(const void *x, int wide, Py_ssize_t n, double low, double high, Py_ssize_t bins, int64_t *counts);
/* Runs of equals in n > 0 elements (of float32 or float64 if `floating`, where NaN equals nothing): how many there are, where each
 * begins, and of which one each element is. */
Py_ssize_t find_runs(const void *x, int itemsize, int floating, Py_ssize_t n, int64_t *begins, int64_t *run);
