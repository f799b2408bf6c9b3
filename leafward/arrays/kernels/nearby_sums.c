/* Sums over the processes of one machine, made where the numbers lie.
 *
 * Each rank says on a board that all share where its arrays are. Once all have said so, the numbers are cut into shares, and
 * whoever has time takes the next: it reads what the others have (the system copies from one process to another, once), adds,
 * and writes the sum to all. So each number is read once and written once for each rank, nothing is kept in between, no rank waits
 * for another that is late with its share, and a rank that computes is not needed at all.
 *
 * A rank asks for the addresses of the others when it first takes a share: before that is done none of them is through. A call is
 * over for a rank when all its shares are done; when it is for all, the last of them clears the board's row for a later call. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "nearby_sums.h"
#include "targets.h"

#ifdef __linux__
#include <errno.h>
#include <stdatomic.h>
#include <sys/uio.h>

/* Bytes of a share: what all ranks have of it fits into a core's own cache. Rows of the board; elements that are added in
 * registers' reach; how many pieces the system is given at once. */
enum { SHARE = 1 << 17, ROWS = 64, BLOCK = 512, PIECES = 256, LINE = 64 };

#define TEMPLATE "nearby_template.h"
#include "targets.h"

typedef void (*adder)(const char *const *, const double *, int, char *, size_t, char *);
static const adder adders[TARGETS][2] = FUNCTIONS(nearby_add);
static int target;
const char *nearby_obstacle = NULL;

/* What one rank says of its part in a call. */
typedef struct {
    uint64_t places, alike;             /* where it has its places; a checksum of what has to be the same on all ranks */
    double scale;
    _Atomic uint64_t nan;               /* whether its numbers have NaN */
} said;

typedef struct {
    _Alignas(LINE) _Atomic uint64_t turn;       /* for which call it is */
    _Atomic uint64_t here, left, failed;        /* ranks that have said what they have, and that are done with it */
    _Alignas(LINE) _Atomic uint64_t taken;      /* shares */
    _Alignas(LINE) _Atomic uint64_t done;
    _Alignas(LINE) said of[];
} row;

int prepare_nearby(void)
{
    target = find_target();
    return 0;
}

static size_t row_size(int ranks)
{
    return (sizeof(row) + (size_t)ranks * sizeof(said) + LINE - 1) / LINE * LINE;
}

size_t nearby_board_size(int ranks) { return ROWS * row_size(ranks); }
size_t nearby_room(int ranks) { return (size_t)ranks * SHARE; }

static row *row_of(const nearby_group *group, uint64_t number)
{
    return (row *)((char *)group->board + number % ROWS * row_size(group->ranks));
}

void nearby_board_begin(void *board, int ranks)
{
    nearby_group group = {.board = board, .ranks = ranks};
    memset(board, 0, nearby_board_size(ranks));
    for (uint64_t number = 0; number < ROWS; number++) row_of(&group, number)->turn = number;
}

int nearby_read(int pid, uint64_t place, void *out, size_t size)
{
    struct iovec here = {out, size}, there = {(void *)(uintptr_t)place, size};
    ssize_t came = process_vm_readv(pid, &here, 1, &there, 1, 0);
    return came == (ssize_t)size ? 0 : came < 0 ? errno : EFAULT;
}

/* A checksum (FNV) of what has to be the same on all ranks. */
static uint64_t alike(const nearby_call *call)
{
    uint64_t sum = 14695981039346656037u;
    for (int64_t k = -2; k <= call->count; k++) {
        uint64_t value = k == -2 ? (uint64_t)call->wide : k == -1 ? (uint64_t)call->count : call->starts[k];
        sum = (sum ^ value) * 1099511628211u;
        sum ^= sum >> 29;
    }
    return sum;
}

int nearby_begin(nearby_call *call)
{
    row *row = row_of(call->group, call->number);
    if (atomic_load_explicit(&row->turn, memory_order_acquire) != call->number) return 0;
    said *mine = &row->of[call->group->rank];
    mine->places = (uint64_t)(uintptr_t)call->places;
    mine->alike = alike(call);
    mine->scale = call->scale;
    atomic_fetch_add_explicit(&row->here, 1, memory_order_acq_rel);
    return call->begun = 1;
}

static void leave(nearby_call *call, row *row)
{
    call->over = 1;
    if (atomic_fetch_add_explicit(&row->left, 1, memory_order_acq_rel) + 1 < (uint64_t)call->group->ranks) return;
    row->here = row->left = row->taken = row->done = 0;
    for (int r = 0; r < call->group->ranks; r++) row->of[r].nan = 0;
    atomic_store_explicit(&row->turn, call->number + ROWS, memory_order_release);
}

/* All have come: whether they came for the same. */
static int differ(const nearby_call *call, const row *row)
{
    for (int r = 1; r < call->group->ranks; r++)
        if (row->of[r].alike != row->of[0].alike) return 1;
    return 0;
}

/* Where the arrays of all lie. Whoever asks has taken a share: before that is done, no rank forgets its own. */
static int read_places(nearby_call *call, const row *row)
{
    const nearby_group *group = call->group;
    size_t size = (size_t)call->count * sizeof(uint64_t);
    for (int r = 0; r < group->ranks; r++) {
        uint64_t *to = call->theirs + r * call->count;
        int error = 0;
        if (r == group->rank) memcpy(to, call->places, size);
        else error = nearby_read(group->pids[r], row->of[r].places, to, size);
        if (error) return error;
    }
    call->read = 1;
    return 0;
}

/* Tell a rank, and all, that numbers of its have NaN. */
static void tell_nan(const nearby_call *call, row *row, int r, int64_t part)
{
    uint64_t yes = 1;
    atomic_store(&row->of[r].nan, 1);
    if (r == call->group->rank) call->places[call->count + part] = yes;
    else {
        struct iovec here = {&yes, sizeof yes};
        struct iovec there = {(uint64_t *)(uintptr_t)row->of[r].places + call->count + part, sizeof yes};
        process_vm_writev(call->group->pids[r], &here, 1, &there, 1, 0);
    }
}

/* The bytes from `at` to `end` of all arrays, one behind the other, as pieces of single ones: where what was taken ends. */
static uint64_t cut(const nearby_call *call, uint64_t at, uint64_t end, int64_t *part, int64_t *parts, uint64_t *offsets,
                    size_t *sizes, int *pieces)
{
    int size = call->wide ? 8 : 4;
    for (*pieces = 0; *pieces < PIECES && at < end; ) {
        uint64_t first = call->starts[*part] * size, last = call->starts[*part + 1] * size;
        if (at == last) {
            ++*part;
            continue;
        }
        uint64_t stop = last < end ? last : end;
        parts[*pieces] = *part;
        offsets[*pieces] = at - first;
        sizes[(*pieces)++] = stop - at;
        at = stop;
    }
    return at;
}

static int64_t part_at(const nearby_call *call, uint64_t at)
{
    int64_t low = 0, high = call->count - 1;
    uint64_t element = at / (call->wide ? 8 : 4);
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (call->starts[middle] <= element) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* Read, add and write one share: 0, or an error of the system. */
static int add_share(nearby_call *call, row *row, uint64_t share)
{
    const nearby_group *group = call->group;
    int size = call->wide ? 8 : 4, ranks = group->ranks, pieces;
    uint64_t at = share * SHARE, all = call->starts[call->count] * size, end = at + SHARE < all ? at + SHARE : all, next;
    int64_t part = part_at(call, at), parts[PIECES];
    uint64_t offsets[PIECES];
    size_t sizes[PIECES];
    struct iovec mine[PIECES], there[PIECES];
    const char *sources[ranks];
    double scales[ranks];
    char nan[ranks];
    for (int r = 0; r < ranks; r++) scales[r] = row->of[r].scale;
    for (; at < end; at = next) {
        next = cut(call, at, end, &part, parts, offsets, sizes, &pieces);
        for (int k = 0; k < pieces; k++)
            mine[k] = (struct iovec){(char *)(uintptr_t)call->places[parts[k]] + offsets[k], sizes[k]};
        for (int r = 0; r < ranks; r++) {
            if (r == group->rank) continue;
            struct iovec room = {group->room + (size_t)r * SHARE, next - at};
            for (int k = 0; k < pieces; k++)
                there[k] = (struct iovec){(char *)(uintptr_t)call->theirs[r * call->count + parts[k]] + offsets[k], sizes[k]};
            ssize_t came = process_vm_readv(group->pids[r], &room, 1, there, (unsigned long)pieces, 0);
            if (came != (ssize_t)(next - at)) return came < 0 ? errno : EFAULT;
        }
        size_t passed = 0;
        for (int k = 0; k < pieces; k++) {
            for (int r = 0; r < ranks; r++)
                sources[r] = r == group->rank ? mine[k].iov_base : group->room + (size_t)r * SHARE + passed;
            memset(nan, 0, (size_t)ranks);
            adders[target][call->wide](sources, scales, ranks, mine[k].iov_base, sizes[k] / (size_t)size, nan);
            for (int r = 0; r < ranks; r++)
                if (nan[r]) tell_nan(call, row, r, parts[k]);
            passed += sizes[k];
        }
        for (int r = 0; r < ranks; r++) {
            if (r == group->rank) continue;
            for (int k = 0; k < pieces; k++)
                there[k] = (struct iovec){(char *)(uintptr_t)call->theirs[r * call->count + parts[k]] + offsets[k], sizes[k]};
            ssize_t went = process_vm_writev(group->pids[r], mine, (unsigned long)pieces, there, (unsigned long)pieces, 0);
            if (went != (ssize_t)(next - at)) return went < 0 ? errno : EFAULT;
        }
    }
    return 0;
}

int nearby_ask(nearby_call *call)
{
    row *row = row_of(call->group, call->number);
    uint64_t ranks = (uint64_t)call->group->ranks;
    uint64_t shares = (call->starts[call->count] * (call->wide ? 8 : 4) + SHARE - 1) / SHARE, share;
    if (!call->begun && !nearby_begin(call)) return NEARBY_WAITS;
    if (atomic_load_explicit(&row->here, memory_order_acquire) < ranks) return NEARBY_WAITS;
    if (differ(call, row)) {
        leave(call, row);
        return NEARBY_DIFFERS;
    }
    while (atomic_load(&row->taken) < shares && (share = atomic_fetch_add(&row->taken, 1)) < shares) {
        int error = call->read ? 0 : read_places(call, row);
        if (error || (error = add_share(call, row, share))) {
            atomic_store(&row->failed, (uint64_t)error);
            return -error;
        }
        atomic_fetch_add_explicit(&row->done, 1, memory_order_acq_rel);
    }
    if (atomic_load_explicit(&row->done, memory_order_acquire) < shares) return -(int)atomic_load(&row->failed);
    for (uint64_t r = 0; r < ranks; r++) call->nan |= row->of[r].nan != 0;
    leave(call, row);
    return NEARBY_OVER;
}

#else
const char *nearby_obstacle = "processes read and write each other's memory by calls of Linux";
int prepare_nearby(void) { return 0; }
size_t nearby_board_size(int ranks) { (void)ranks; return 0; }
size_t nearby_room(int ranks) { (void)ranks; return 0; }
void nearby_board_begin(void *board, int ranks) { (void)board; (void)ranks; }
int nearby_read(int pid, uint64_t place, void *out, size_t size) { (void)pid; (void)place; (void)out; (void)size; return 1; }
int nearby_begin(nearby_call *call) { (void)call; return 0; }
int nearby_ask(nearby_call *call) { (void)call; return -1; }
#endif
