/* Where equals end up in a search that does not promise to keep their order: pairs of a key and a place, moved as C++'s
 * library moves them. PyTorch's sort is libstdc++'s introsort, its `topk` that library's `nth_element` and `partial_sort`, its
 * `kthvalue` a quickselect of its own. `sorting.py` and `selection.py` do the same for what is not compiled. */
#ifndef LEAFWARD_ORDER_TIES_H
#define LEAFWARD_ORDER_TIES_H
#include <Python.h>
#include <stdint.h>
#include <string.h>

typedef struct { uint64_t key; int64_t place; } pair;

/* Pieces up to SHORT are left to the insertion at the end, and those up to FEW where one element is searched for; `topk` sorts in
 * part where the row is MANY times longer than what is wanted of it. */
enum { SHORT = 16, FEW = 3, MANY = 64 };

static inline void swap_pairs(pair *p, Py_ssize_t i, Py_ssize_t j)
{
    pair moved = p[i];
    p[i] = p[j];
    p[j] = moved;
}

static inline Py_ssize_t middle_of(const pair *p, Py_ssize_t i, Py_ssize_t j, Py_ssize_t k)
{
    if (p[i].key < p[j].key) return p[j].key < p[k].key ? j : p[i].key < p[k].key ? k : i;
    return p[i].key < p[k].key ? i : p[j].key < p[k].key ? k : j;
}

static int depth_for(Py_ssize_t n)
{
    int depth = 0;
    while (n > 1) { n >>= 1; depth += 2; }
    return depth;
}

/* Bring what comes before the median of three to the front; where the rest begins. */
static Py_ssize_t split(pair *p, Py_ssize_t first, Py_ssize_t last)
{
    swap_pairs(p, first, middle_of(p, first + 1, (first + last) / 2, last - 1));
    uint64_t pivot = p[first].key;
    Py_ssize_t left = first + 1, right = last;
    for (;;) {
        while (p[left].key < pivot) left++;
        right--;
        while (pivot < p[right].key) right--;
        if (left >= right) return left;
        swap_pairs(p, left, right);
        left++;
    }
}

/* Keeps the order of equals; quick where nothing is far from its place. */
static void insert_each(pair *p, Py_ssize_t first, Py_ssize_t last)
{
    for (Py_ssize_t i = first + 1; i < last; i++) {
        pair moved = p[i];
        Py_ssize_t j = i;
        for (; j > first && moved.key < p[j - 1].key; j--) p[j] = p[j - 1];
        p[j] = moved;
    }
}

/* 0 where the splits go deeper than `depth`: the library would change to a heap sort. */
static int partition(pair *p, Py_ssize_t first, Py_ssize_t last, int depth)
{
    while (last - first > SHORT) {
        if (depth-- == 0) return 0;
        Py_ssize_t cut = split(p, first, last);
        if (!partition(p, cut, last, depth)) return 0;
        last = cut;
    }
    return 1;
}

/* std::sort; 0 where it would sort by a heap, and then nothing is said of `p`. */
static int sort_as_library(pair *p, Py_ssize_t n)
{
    if (!partition(p, 0, n, depth_for(n))) return 0;
    insert_each(p, 0, n);
    return 1;
}

/* --- heaps ---------------------------------------------------------------------------------------------------------- */

/* Move the hole down past the larger of its children to the bottom, and `moved` up from there to its place. */
static void sift(pair *p, Py_ssize_t hole, Py_ssize_t length, pair moved)
{
    Py_ssize_t top = hole, child;
    while ((child = 2 * hole + 2) <= length) {
        if (child == length || p[child].key < p[child - 1].key) child--;
        p[hole] = p[child];
        hole = child;
    }
    for (; hole > top && p[(hole - 1) / 2].key < moved.key; hole = (hole - 1) / 2) p[hole] = p[(hole - 1) / 2];
    p[hole] = moved;
}

/* Keep the smallest in a heap with the largest of them in front; equals do not enter it. */
static void select_by_heap(pair *p, Py_ssize_t length, Py_ssize_t n)
{
    for (Py_ssize_t hole = length / 2 - 1; hole >= 0; hole--) sift(p, hole, length, p[hole]);
    for (Py_ssize_t i = length; i < n; i++)
        if (p[i].key < p[0].key) {
            pair entering = p[i];
            p[i] = p[0];
            sift(p, 0, length, entering);
        }
}

static void sort_heap(pair *p, Py_ssize_t last)
{
    while (last > 1) {
        last--;
        pair moved = p[last];
        p[last] = p[0];
        sift(p, 0, last, moved);
    }
}

/* --- a few of a row ------------------------------------------------------------------------------------------------- */

/* std::nth_element: always goes on with the piece around `nth`. */
static void select_nth(pair *p, Py_ssize_t nth, Py_ssize_t n)
{
    Py_ssize_t first = 0, last = n;
    for (int depth = depth_for(n); last - first > FEW; depth--) {
        if (depth == 0) {
            select_by_heap(p + first, nth + 1 - first, last - first);
            swap_pairs(p, first, nth);
            return;
        }
        Py_ssize_t cut = split(p, first, last);
        if (cut <= nth) first = cut;
        else last = cut;
    }
    insert_each(p, first, last);
}

/* The first `count` of n pairs as `topk` leaves them; `spare` has room for as many. */
static void top_as_library(pair *p, Py_ssize_t count, Py_ssize_t n, pair *spare)
{
    if (count == 0) return;
    if (count * MANY <= n) {
        select_by_heap(p, count, n);
        sort_heap(p, count);
        return;
    }
    select_nth(p, count - 1, n);
    memcpy(spare, p, (size_t)(count - 1) * sizeof(pair));       /* the last of them is in its place */
    if (sort_as_library(spare, count - 1)) memcpy(p, spare, (size_t)(count - 1) * sizeof(pair));
    else insert_each(p, 0, count - 1);
}

/* The place of what `kthvalue` finds at place k: it splits at the median of the first, the middle and the last element. */
static int64_t kth_as_library(pair *p, Py_ssize_t k, Py_ssize_t n)
{
    Py_ssize_t first = 0, last = n - 1;
    while (last > first + 1) {
        swap_pairs(p, (first + last) / 2, first + 1);
        if (p[first + 1].key > p[last].key) swap_pairs(p, first + 1, last);
        if (p[first].key > p[last].key) swap_pairs(p, first, last);
        if (p[first + 1].key > p[first].key) swap_pairs(p, first + 1, first);
        uint64_t pivot = p[first].key;
        Py_ssize_t left = first + 1, right = last;
        for (;;) {
            do left++; while (p[left].key < pivot);
            do right--; while (p[right].key > pivot);
            if (right < left) break;
            swap_pairs(p, left, right);
        }
        swap_pairs(p, first, right);
        if (right <= k) first = left;
        if (right >= k) last = right - 1;
    }
    if (last == first + 1 && p[first].key > p[last].key) swap_pairs(p, first, last);
    return p[k].place;
}
#endif
