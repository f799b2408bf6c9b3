/* What takes vectors: keys from elements, and keys compared with many others at once. `order_loops.c` has the rest. */
typedef uint64_t VECTOR __attribute__((vector_size(BYTES), aligned(8), may_alias));
typedef int64_t NAME(signs) __attribute__((vector_size(BYTES), aligned(8), may_alias));
enum { NAME(lanes) = BYTES / 8 };

/* Put n different keys (up to RANKED) in order into `out`: the place of each is the number of those below it. */
static void NAME(rank_sort)(uint64_t *keys, Py_ssize_t n, uint64_t *out)
{
    const uint64_t top = (uint64_t)1 << 63;         /* vectors compare signed numbers */
    uint64_t turned[RANKED + AT_ONCE * MOST_LANES];
    for (Py_ssize_t i = 0; i < n; i++) turned[i] = keys[i] ^ top;
    for (Py_ssize_t i = n; i < n + AT_ONCE * NAME(lanes); i++) turned[i] = 0;
    for (Py_ssize_t j = 0; j < n; j += AT_ONCE * NAME(lanes)) {
        const NAME(signs) *these = (const NAME(signs) *)(turned + j);
        NAME(signs) below[AT_ONCE] = {{0}};
        const NAME(signs) a = these[0], b = these[1], c = these[2], d = these[3];
        for (Py_ssize_t i = 0; i < n; i++) {
            const int64_t one = (int64_t)turned[i];
            below[0] += a > one;
            below[1] += b > one;
            below[2] += c > one;
            below[3] += d > one;
        }
        const int64_t *places = (const int64_t *)below;
        for (Py_ssize_t i = 0; i < AT_ONCE * NAME(lanes) && j + i < n; i++) out[-places[i]] = keys[j + i];
    }
}

/* Put the `count` least of n different keys in order into `out`: each is the least above the one before. */
static void NAME(least_few)(const uint64_t *keys, Py_ssize_t n, Py_ssize_t count, uint64_t *out)
{
    const uint64_t top = (uint64_t)1 << 63;         /* vectors compare signed numbers */
    Py_ssize_t whole = n - n % NAME(lanes);
    uint64_t from = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        NAME(signs) below = (NAME(signs)){0} + (int64_t)(from ^ top), best = (NAME(signs)){0} + INT64_MAX;
        uint64_t least = ~(uint64_t)0;
        for (Py_ssize_t i = 0; i < whole; i += NAME(lanes)) {
            NAME(signs) key = (NAME(signs))(*(const VECTOR *)(keys + i) ^ top), passed = key < below, better;
            key = (key & ~passed) | (INT64_MAX & passed);
            better = key < best;
            best = (key & better) | (best & ~better);
        }
        for (Py_ssize_t i = 0; i < NAME(lanes); i++) {
            uint64_t key = (uint64_t)best[i] ^ top;
            least = key < least ? key : least;
        }
        for (Py_ssize_t i = whole; i < n; i++) {
            uint64_t key = keys[i] < from ? ~(uint64_t)0 : keys[i];
            least = key < least ? key : least;
        }
        out[k] = least;
        from = least + 1;
    }
}

/* The least and the largest key. */
static void NAME(find_range)(const uint64_t *keys, Py_ssize_t n, uint64_t *least, uint64_t *largest)
{
    uint64_t low = keys[0], high = keys[0];
    for (Py_ssize_t i = 1; i < n; i++) {
        low = keys[i] < low ? keys[i] : low;
        high = keys[i] > high ? keys[i] : high;
    }
    *least = low;
    *largest = high;
}

/* Of keys whose places begin at `first`, pack what lies below `bound` into `out`, in order; how many there are. */
static Py_ssize_t NAME(keep_below)(const uint64_t *keys, Py_ssize_t n, uint64_t bound, int place_bits, Py_ssize_t first, uint64_t *out)
{
    Py_ssize_t kept = 0;
    for (Py_ssize_t i = 0; i < n; i += 16) {
        Py_ssize_t end = i + 16 < n ? i + 16 : n;
        uint64_t any = 0;
        for (Py_ssize_t j = i; j < end; j++) any |= keys[j] < bound;
        if (!any) continue;
        for (Py_ssize_t j = i; j < end; j++) {
            out[kept] = keys[j] << place_bits | (uint64_t)(first + j);
            kept += keys[j] < bound;
        }
    }
    return kept;
}

/* Keys of n elements of each of `width` neighbouring rows: those of one row lie together, `apart` from the next. */
#define LOADER(KEY, UINT) \
static void NAME(load_##KEY)(const char *from, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width, int descending, uint64_t *keys, \
                       Py_ssize_t apart) \
{ \
    const UINT *x = (const UINT *)from, turn = descending ? (UINT)~(UINT)0 : 0; \
    if (width == 1 && step == 1) for (Py_ssize_t i = 0; i < n; i++) keys[i] = (UINT)(KEY(x[i]) ^ turn); \
    else for (Py_ssize_t i = 0; i < n; i++, x += step) \
        for (Py_ssize_t c = 0; c < width; c++) keys[c * apart + i] = (UINT)(KEY(x[c]) ^ turn); \
}
LOADER(key_of_byte_u, uint8_t)
LOADER(key_of_byte_i, uint8_t)
LOADER(key_of_short, uint16_t)
LOADER(key_of_int, uint32_t)
LOADER(key_of_long, uint64_t)
LOADER(key_of_half, uint16_t)
LOADER(key_of_brain_half, uint16_t)
LOADER(key_of_float, uint32_t)
LOADER(key_of_double, uint64_t)
#undef LOADER
static const loader NAME(loaders)[] = {
    NAME(load_key_of_byte_u), NAME(load_key_of_byte_i), NAME(load_key_of_short), NAME(load_key_of_int), NAME(load_key_of_long),
    NAME(load_key_of_half), NAME(load_key_of_brain_half), NAME(load_key_of_float), NAME(load_key_of_double)};
