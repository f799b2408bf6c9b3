/* search_loops.c for one kind of processor: some values at once go down the halves of a row, so that none waits for another. */
enum { NAME(AT_ONCE) = 16 };

#define SEARCH(TYPE, KIND, BEFORE) \
static void NAME(search_##KIND)(const TYPE *row, Py_ssize_t n, const TYPE *values, Py_ssize_t wanted, int right, int64_t *to) \
{ \
    for (Py_ssize_t at = 0; at < wanted; at += NAME(AT_ONCE)) { \
        TYPE v[NAME(AT_ONCE)]; \
        int64_t found[NAME(AT_ONCE)] = {0}; \
        Py_ssize_t count = smaller(NAME(AT_ONCE), wanted - at), rest = n; \
        for (Py_ssize_t j = 0; j < NAME(AT_ONCE); j++) v[j] = values[at + smaller(j, count - 1)]; \
        if (right) { HALVES(TYPE, !BEFORE(v[j], x)) } else { HALVES(TYPE, BEFORE(x, v[j])) } \
        for (Py_ssize_t j = 0; j < count; j++) to[at + j] = found[j]; \
    } \
}
/* `passes`: whether an element x of the row comes before the value. */
#define HALVES(TYPE, passes) \
    for (; rest > 1; rest -= rest / 2) { \
        const TYPE *middle = row + rest / 2 - 1; \
        for (Py_ssize_t j = 0; j < NAME(AT_ONCE); j++) { \
            TYPE x = middle[found[j]]; \
            found[j] += passes ? rest / 2 : 0; \
        } \
    } \
    for (Py_ssize_t j = 0; j < NAME(AT_ONCE); j++) { \
        TYPE x = row[found[j]]; \
        found[j] += passes; \
    }
#define REAL_BEFORE(a, b) (((a) < (b)) | (((b) != (b)) & ((a) == (a))))
#define WHOLE_BEFORE(a, b) ((a) < (b))
SEARCH(float, floats, REAL_BEFORE)
SEARCH(double, doubles, REAL_BEFORE)
SEARCH(int32_t, ints, WHOLE_BEFORE)
SEARCH(int64_t, longs, WHOLE_BEFORE)
#undef SEARCH
#undef HALVES
#undef REAL_BEFORE
#undef WHOLE_BEFORE

static void NAME(search)(const search_job *job, const void *row, Py_ssize_t from, Py_ssize_t count, int64_t *to)
{
    switch (job->kind) {
    case FLOATS: NAME(search_floats)(row, job->n, (const float *)job->values + from, count, job->right, to); break;
    case DOUBLES: NAME(search_doubles)(row, job->n, (const double *)job->values + from, count, job->right, to); break;
    case INTS: NAME(search_ints)(row, job->n, (const int32_t *)job->values + from, count, job->right, to); break;
    default: NAME(search_longs)(row, job->n, (const int64_t *)job->values + from, count, job->right, to);
    }
}
