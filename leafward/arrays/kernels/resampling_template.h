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

/* Rows of `from` weighed into one: where it is one row as it is, that row itself. */
static const REAL *NAME(weighed_row)(const REAL *from, ptrdiff_t inner, const int64_t *columns, const REAL *values, ptrdiff_t taps, REAL *sum)
{
    if (taps == 1 && values[0] == 1) return from + columns[0] * inner;
    if (taps == 0) memset(sum, 0, (size_t)inner * sizeof(REAL));
    for (ptrdiff_t t = 0; t < taps; t++) {
        const REAL *one = from + columns[t] * inner, a = values[t];
        if (t == 0 && taps > 1) {
            const REAL *other = from + columns[++t] * inner, b = values[t];
            for (ptrdiff_t k = 0; k < inner; k++) sum[k] = a * one[k] + b * other[k];
        } else if (t == 0)
            for (ptrdiff_t k = 0; k < inner; k++) sum[k] = a * one[k];
        else
            for (ptrdiff_t k = 0; k < inner; k++) sum[k] += a * one[k];
    }
    return sum;
}

/* Along a line: tap by tap, each of all places. A weight of 0 stands for no tap, which an infinity may not spoil. */
static void NAME(weighed_line)(const REAL *x, const int32_t *columns, const REAL *values, ptrdiff_t taps, int plain, ptrdiff_t places, REAL *y)
{
    const int32_t *next = columns + places;
    const REAL *second = values + places;
    if (plain)
        for (ptrdiff_t i = 0; i < places; i++) y[i] = x[columns[i]];
    else if (taps == 1)
        for (ptrdiff_t i = 0; i < places; i++) y[i] = values[i] == 0 ? 0 : values[i] * x[columns[i]];
    else
        for (ptrdiff_t i = 0; i < places; i++) {
            REAL a = values[i] == 0 ? 0 : values[i] * x[columns[i]], b = second[i] * x[next[i]];
            y[i] = a + (second[i] == 0 ? 0 : b);
        }
    for (ptrdiff_t t = 2; t < taps; t++) {
        const int32_t *at = columns + t * places;
        const REAL *by = values + t * places;
        for (ptrdiff_t i = 0; i < places; i++) y[i] += by[i] == 0 ? 0 : by[i] * x[at[i]];
    }
}

/* The rows of results whose two last dims are weighed: down the image into one row, which a cache holds, and along that. */
static void NAME(weigh_image_share)(void *given, Py_ssize_t number)
{
    image_weighing *w = given;
    const REAL *down = (const REAL *)w->down_values;
    ptrdiff_t first = number * w->rows_each, last = first + w->rows_each;
    if (last > w->outer * w->rows) last = w->outer * w->rows;
    REAL few[FEW_COLUMNS], *sum = w->width > FEW_COLUMNS ? malloc((size_t)w->width * sizeof(REAL)) : few;
    if (sum == NULL) {
        *w->failed = 1;
        return;
    }
    const REAL *before = NULL;
    for (ptrdiff_t row = first; row < last; row++) {
        const REAL *x = (const REAL *)w->x + row / w->rows * w->height * w->width, *line = x + row % w->rows * w->width;
        REAL *y = (REAL *)w->y + row * w->places;
        if (w->starts != NULL) {
            ptrdiff_t begin = w->starts[row % w->rows], taps = w->starts[row % w->rows + 1] - begin;
            line = NAME(weighed_row)(x, w->width, w->down_columns + begin, down + begin, taps, sum);
        }
        if (line == before) memcpy(y, y - w->places, (size_t)w->places * sizeof(REAL));
        else NAME(weighed_line)(line, w->columns, (const REAL *)w->values, w->taps, w->plain, w->places, y);
        before = line == sum ? NULL : line;
    }
    if (sum != few) free(sum);
}
