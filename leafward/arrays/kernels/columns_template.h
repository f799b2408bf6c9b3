/* Columns of windows for one target and float type. */

/* Which channels a share does, and for each of them, where it lies and where its columns do. */
#define EACH_CHANNEL(number) \
    ptrdiff_t rows_each = j->y.kernel[0] * j->y.kernel[1] * j->y.kernel[2], channels = j->x.size[0] * j->x.size[1]; \
    for (ptrdiff_t i = (number) * j->channels_each; i < least(((number) + 1) * j->channels_each, channels); i++)
#define IMAGE ((REAL *)j->x.data + i / j->x.size[1] * j->x.stride[0] + i % j->x.size[1] * j->x.stride[1])
#define COLUMNS ((REAL *)j->y.data + i / j->x.size[1] * j->y.image + i % j->x.size[1] * rows_each * j->y.row)

/* Each line of places of a channel's columns: where it stands, which pixel its first place shows, were there no edges, and which of its
 * places show a pixel. */
typedef void (*NAME(line_function))(REAL *column, REAL *pixels, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count, ptrdiff_t step);

static inline __attribute__((always_inline)) void NAME(each_line)(const columns_job *j, REAL *channel, REAL *column, NAME(line_function) run)
{
    const images *x = &j->x;
    const ptrdiff_t *kernel = j->y.kernel, *places = j->y.places, *stride = j->w.stride;
    for (ptrdiff_t k = 0; k < kernel[0] * kernel[1] * kernel[2]; k++, column += j->y.row) {
        ptrdiff_t tap[DIMS] = {k / kernel[2] / kernel[1], k / kernel[2] % kernel[1], k % kernel[2]}, from[DIMS];
        for (int d = 0; d < DIMS; d++) from[d] = tap[d] * j->w.dilation[d] - j->w.padding[d];
        ptrdiff_t end = most(0, least(places[2], floor_of(x->size[4] - 1 - from[2], stride[2]) + 1));
        ptrdiff_t begin = least(end, from[2] >= 0 ? 0 : pieces_of(-from[2], stride[2]));
        REAL *line = column;
        for (ptrdiff_t d = 0; d < places[0]; d++)
            for (ptrdiff_t h = 0; h < places[1]; h++, line += places[2]) {
                ptrdiff_t z = d * stride[0] + from[0], y = h * stride[1] + from[1];
                int there = z >= 0 && z < x->size[2] && y >= 0 && y < x->size[3];
                run(line, channel + z * x->stride[2] + y * x->stride[3] + from[2] * x->stride[4], there ? begin : 0, there ? end : 0,
                    places[2], stride[2] * x->stride[4]);
            }
    }
}

static inline void NAME(copy_line)(REAL *column, REAL *pixels, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count, ptrdiff_t step)
{
    for (ptrdiff_t p = 0; p < begin; p++) column[p] = 0;
    if (step == 1) memcpy(column + begin, pixels + begin, (size_t)(end - begin) * sizeof(REAL));
    else
        for (ptrdiff_t p = begin; p < end; p++) column[p] = pixels[p * step];
    for (ptrdiff_t p = end; p < count; p++) column[p] = 0;
}

static inline void NAME(add_line)(REAL *column, REAL *pixels, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count, ptrdiff_t step)
{
    if (step == 1)
        for (ptrdiff_t p = begin; p < end; p++) pixels[p] += column[p];
    else
        for (ptrdiff_t p = begin; p < end; p++) pixels[p * step] += column[p];
}

/* One line of an image, and where it lies in its frame. */
#define EACH_LINE_OF_FRAME \
    for (ptrdiff_t d = 0; d < j->x.size[2]; d++) \
        for (ptrdiff_t h = 0; h < j->x.size[3]; h++)
#define FRAMED_LINE (frame + ((d + j->w.padding[0]) * j->padded[1] + h + j->w.padding[1]) * j->padded[2] + j->w.padding[2])

static void NAME(unfold_share)(void *given, Py_ssize_t number)
{
    columns_job *j = given;
    ptrdiff_t places = j->y.places[0] * j->y.places[1] * j->y.places[2];
    REAL *frame = j->at == NULL ? NULL : calloc((size_t)j->framed, sizeof(REAL));
    if (j->at != NULL && frame == NULL) {
        j->failed = SHORT_OF_MEMORY;
        return;
    }
    EACH_CHANNEL(number) {
        if (frame == NULL) {
            NAME(each_line)(j, IMAGE, COLUMNS, NAME(copy_line));
            continue;
        }
        EACH_LINE_OF_FRAME {
            const REAL *line = IMAGE + d * j->x.stride[2] + h * j->x.stride[3];
            for (ptrdiff_t p = 0; p < j->x.size[4]; p++) FRAMED_LINE[p] = line[p * j->x.stride[4]];
        }
        REAL *column = COLUMNS;
        const int32_t *at = j->at;
        for (ptrdiff_t k = 0; k < rows_each; k++, column += j->y.row, at += places)
            for (ptrdiff_t p = 0; p < places; p++) column[p] = frame[at[p]];
    }
    free(frame);
}

static void NAME(fold_share)(void *given, Py_ssize_t number)
{
    columns_job *j = given;
    ptrdiff_t places = j->y.places[0] * j->y.places[1] * j->y.places[2], pixels = j->x.size[2] * j->x.size[3] * j->x.size[4];
    REAL *frame = j->at == NULL ? NULL : malloc((size_t)j->framed * sizeof(REAL));
    if (j->at != NULL && frame == NULL) {
        j->failed = SHORT_OF_MEMORY;
        return;
    }
    EACH_CHANNEL(number) {
        if (frame == NULL) {
            memset(IMAGE, 0, (size_t)pixels * sizeof(REAL));
            NAME(each_line)(j, IMAGE, COLUMNS, NAME(add_line));
            continue;
        }
        memset(frame, 0, (size_t)j->framed * sizeof(REAL));
        const REAL *column = COLUMNS;
        const int32_t *at = j->at;
        for (ptrdiff_t k = 0; k < rows_each; k++, column += j->y.row, at += places)
            for (ptrdiff_t p = 0; p < places; p++) frame[at[p]] += column[p];
        EACH_LINE_OF_FRAME memcpy(IMAGE + d * j->x.stride[2] + h * j->x.stride[3], FRAMED_LINE, (size_t)j->x.size[4] * sizeof(REAL));
    }
    free(frame);
}
#undef EACH_CHANNEL
#undef IMAGE
#undef COLUMNS
#undef EACH_LINE_OF_FRAME
#undef FRAMED_LINE
