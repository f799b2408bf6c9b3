/* Weighted sums for one target and float type. */
static void NAME(weigh_share)(void *given, Py_ssize_t number)
{
    const weighing *w = given;
    const REAL *values = (const REAL *)w->values;
    ptrdiff_t inner = w->inner, first = number * w->rows_each, last = first + w->rows_each;
    if (last > w->outer * w->places) last = w->outer * w->places;
    for (ptrdiff_t row = first; row < last; row++) {
        const REAL *x = (const REAL *)w->x + row / w->places * w->size * inner;
        ptrdiff_t begin = w->starts[row % w->places], end = w->starts[row % w->places + 1];
        REAL *y = (REAL *)w->y + row * inner;
        if (inner == 1) {
            REAL sum = 0;
            for (ptrdiff_t t = begin; t < end; t++) sum += values[t] * x[w->columns[t]];
            *y = sum;
            continue;
        }
        if (begin == end) memset(y, 0, (size_t)inner * sizeof(REAL));
        for (ptrdiff_t t = begin; t < end; t++) {        /* two rows at a time, if there are */
            const REAL *one = x + w->columns[t] * inner, a = values[t];
            if (t + 1 == end) {
                if (t == begin)
                    for (ptrdiff_t k = 0; k < inner; k++) y[k] = a * one[k];
                else
                    for (ptrdiff_t k = 0; k < inner; k++) y[k] += a * one[k];
                break;
            }
            const REAL *other = x + w->columns[++t] * inner, b = values[t];
            if (t == begin + 1)
                for (ptrdiff_t k = 0; k < inner; k++) y[k] = a * one[k] + b * other[k];
            else
                for (ptrdiff_t k = 0; k < inner; k++) y[k] += a * one[k] + b * other[k];
        }
    }
}
