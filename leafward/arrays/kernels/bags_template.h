/* bags_loops.c for one type and one kind of processor. */
enum { NAME(columns) = 8 * LANES };

/* The sums of a bag's rows, a strip of columns at a time, which stay in registers. */
static int NAME(sum_bags)(const bags_job *job, Py_ssize_t from, Py_ssize_t to)
{
    const Py_ssize_t n = job->n;
    const REAL *table = (const REAL *)job->table, *factors = (const REAL *)job->factors;
    int outside = 0;
    Py_ssize_t first = first_of(job, from), end;
    for (Py_ssize_t bag = from; bag < to; bag++, first = end) {
        REAL *out = (REAL *)job->out + bag * n, size = job->sizes != NULL ? ((const REAL *)job->sizes)[bag] : 1;
        for (end = first; end < job->total && job->bags[end] == bag; end++)
            outside |= (uint64_t)job->index[end] >= (uint64_t)job->limit;
        if (outside) return 1;
        Py_ssize_t j = 0;
        for (; j + NAME(columns) <= n; j += NAME(columns)) {
            VECTOR a[8] = {{0}};
            for (Py_ssize_t i = first; i < end; i++) {
                if (j == 0) fetch_ahead(job, job->table, i, sizeof(REAL));
                const VECTOR *row = (const VECTOR *)(table + job->index[i] * n + j);
                if (factors != NULL) {
                    REAL factor = factors[i];
                    for (int k = 0; k < 8; k++) a[k] += row[k] * factor;
                } else {
                    for (int k = 0; k < 8; k++) a[k] += row[k];
                }
            }
            if (job->sizes != NULL) for (int k = 0; k < 8; k++) a[k] /= size;
            for (int k = 0; k < 8; k++) *(VECTOR *)(out + j + k * LANES) = a[k];
        }
        if (j == n) continue;
        memset(out + j, 0, (size_t)(n - j) * sizeof(REAL));
        for (Py_ssize_t i = first; i < end; i++) {
            if (j == 0) fetch_ahead(job, job->table, i, sizeof(REAL));
            const REAL *row = table + job->index[i] * n, factor = factors != NULL ? factors[i] : 1;
            for (Py_ssize_t k = j; k < n; k++) out[k] += row[k] * factor;
        }
        if (job->sizes != NULL) for (Py_ssize_t k = j; k < n; k++) out[k] /= size;
    }
    return outside;
}

/* The largest of each column of a bag's rows, and the first row that holds it; NaN is larger than any. */
static int NAME(largest_of_bags)(const bags_job *job, Py_ssize_t from, Py_ssize_t to)
{
    const Py_ssize_t n = job->n;
    Py_ssize_t i = first_of(job, from);
    for (Py_ssize_t bag = from; bag < to; bag++) {
        REAL *out = (REAL *)job->out + bag * n;
        int64_t *winners = job->winners + bag * n;
        int begun = 0;
        for (; i < job->total && job->bags[i] == bag; i++, begun = 1) {
            int64_t at = job->index[i];
            if ((uint64_t)at >= (uint64_t)job->limit) return 1;
            fetch_ahead(job, job->table, i, sizeof(REAL));
            const REAL *row = (const REAL *)job->table + at * n;
            for (Py_ssize_t j = 0; j < n; j++) {
                int better = !begun | (row[j] > out[j]) | ((row[j] != row[j]) & (out[j] == out[j]));
                out[j] = better ? row[j] : out[j];
                winners[j] = better ? at : winners[j];
            }
        }
        if (!begun) for (Py_ssize_t j = 0; j < n; j++) { out[j] = 0; winners[j] = job->limit; }
    }
    return 0;
}

static int NAME(spread_bags)(const bags_job *job, Py_ssize_t from, Py_ssize_t to)
{
    int outside = 0;
    for (Py_ssize_t i = 0; i < job->total; i++) {
        int64_t at = job->index[i];
        if ((uint64_t)at >= (uint64_t)job->limit) { outside = 1; continue; }
        fetch_ahead(job, job->out, i, sizeof(REAL));
        Py_ssize_t bag = (Py_ssize_t)job->bags[i];
        if (bag < 0 || bag >= job->count) { outside = 1; continue; }
        REAL factor = job->factors != NULL ? ((const REAL *)job->factors)[i] : 1;
        REAL size = job->sizes != NULL ? ((const REAL *)job->sizes)[bag] : 1;
        REAL *out = (REAL *)job->out + at * job->n;
        const REAL *g = (const REAL *)job->table + bag * job->n;
        if (job->factors == NULL && job->sizes == NULL) for (Py_ssize_t j = from; j < to; j++) out[j] += g[j];
        else for (Py_ssize_t j = from; j < to; j++) out[j] += g[j] / size * factor;
    }
    return outside;
}
