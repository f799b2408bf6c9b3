/* Large blocks of memory, kept for their next use.
 *
 * A fresh block of 64 MB is 16,000 pages that the system clears one by one when they are first touched, which takes three times
 * as long as adding two arrays of this size. A block that is freed therefore waits for the next of about its size.
 * What waits is bounded three times: by `limit`; by age, since a block that AGE others passed by is of a size that the program no
 * longer uses; and by the most memory that was ever in use at once, so that the process never grows for what waits. */
#include "memory_blocks.h"
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
const char *blocks_obstacle = "large blocks are not kept: that is written for POSIX threads, which Windows lacks";
int prepare_blocks(size_t limit) { (void)limit; return 0; }
void *take_block(size_t size, int zeros) { return zeros ? calloc(1, size) : malloc(size); }
int give_block(void *data) { (void)data; return 0; }
size_t size_of_block(const void *data) { (void)data; return 0; }
void drop_blocks(void) {}
block_figures figures_of_blocks(void) { return (block_figures){0}; }
#else
#include <pthread.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

/* A block has whole pages, and may be an eighth larger than what is asked for; of HUGE bytes on, pages may be large ones. */
enum { PAGE = 4096, ALIGNED = 64, BUCKETS = 1024, AGE = 512, SLACK = 1 << 26, HUGE = 1 << 22 };

typedef struct block {
    void *data;
    size_t size;
    uint64_t when;                      /* how many blocks had been taken when it was given back */
    struct block *next, *later, *earlier;       /* in its bucket; among those that wait, the latest first */
} block;

const char *blocks_obstacle = NULL;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *in_use[BUCKETS], *latest, *earliest;
static block_figures now;

static block **bucket_of(const void *data)
{
    return &in_use[((uintptr_t)data >> 12) * 2654435761u % BUCKETS];
}

static void let_wait(block *b)
{
    b->when = now.taken;
    b->later = NULL;
    b->earlier = latest;
    if (latest != NULL) latest->later = b;
    else earliest = b;
    latest = b;
    now.kept += b->size;
}

static void no_longer_wait(block *b)
{
    if (b->later != NULL) b->later->earlier = b->earlier;
    else latest = b->earlier;
    if (b->earlier != NULL) b->earlier->later = b->later;
    else earliest = b->later;
    now.kept -= b->size;
}

/* Those given back the longest ago go first, until at most `most` bytes wait and none is old. */
static void return_old(size_t most)
{
    while (earliest != NULL && (now.kept > most || now.taken - earliest->when > AGE)) {
        block *b = earliest;
        no_longer_wait(b);
        free(b->data);
        free(b);
        now.returned++;
    }
}

static block *waiting_for(size_t size)
{
    block *best = NULL;
    for (block *b = latest; b != NULL; b = b->earlier) {
        if (b->size == size) return b;
        if (b->size > size && b->size - size <= size / 8 && (best == NULL || b->size < best->size)) best = b;
    }
    return best;
}

/* Zeros come from calloc, whose pages take no memory until they are touched. */
static void *from_system(size_t size, int zeros)
{
    void *data;
    if (zeros) return calloc(1, size);
    return posix_memalign(&data, size >= HUGE ? PAGE : ALIGNED, size) == 0 ? data : NULL;
}

static block *fresh(size_t size, int zeros)
{
    /* What waits makes room, as far as the process would grow beyond what it once used. */
    size_t live = now.live + size, most = (live > now.most_live ? live : now.most_live) + SLACK - live;
    return_old(most < now.limit ? most : now.limit);
    block *b = malloc(sizeof *b);
    if (b == NULL) return NULL;
    if ((b->data = from_system(size, zeros)) == NULL) {
        return_old(0);
        if ((b->data = from_system(size, zeros)) == NULL) {
            free(b);
            return NULL;
        }
    }
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size >= HUGE && !zeros) madvise(b->data, size, MADV_HUGEPAGE);
#endif
    b->size = size;
    return b;
}

/* Whole words of zeros. memset goes around the caches with as much as this, and who reads the zeros next waits for memory. */
static void clear(void *data, size_t size)
{
#if defined(__x86_64__) && defined(__GNUC__)
    size_t words = size / 8;
    __asm__ volatile("rep stosq" : "+D"(data), "+c"(words) : "a"(0) : "memory");
#else
    memset(data, 0, size);
#endif
}

void *take_block(size_t size, int zeros)
{
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + PAGE - 1) / PAGE * PAGE;
    pthread_mutex_lock(&lock);
    now.taken++;
    block *b = waiting_for(size);
    if (b != NULL) {
        no_longer_wait(b);
        now.reused++;
    } else {
        b = fresh(size, zeros);
        zeros = 0;
    }
    void *data = NULL;
    if (b != NULL) {
        data = b->data;
        b->next = *bucket_of(data);
        *bucket_of(data) = b;
        now.live += b->size;
        if (now.live > now.most_live) now.most_live = now.live;
    }
    pthread_mutex_unlock(&lock);
    if (zeros && data != NULL) clear(data, size);
    return data;
}

int give_block(void *data)
{
    pthread_mutex_lock(&lock);
    block **at = bucket_of(data), *b;
    while ((b = *at) != NULL && b->data != data) at = &b->next;
    if (b != NULL) {
        *at = b->next;
        now.live -= b->size;
        let_wait(b);
        return_old(now.limit);
    }
    pthread_mutex_unlock(&lock);
    return b != NULL;
}

size_t size_of_block(const void *data)
{
    pthread_mutex_lock(&lock);
    block *b = *bucket_of(data);
    while (b != NULL && b->data != data) b = b->next;
    size_t size = b == NULL ? 0 : b->size;
    pthread_mutex_unlock(&lock);
    return size;
}

void drop_blocks(void)
{
    pthread_mutex_lock(&lock);
    return_old(0);
    pthread_mutex_unlock(&lock);
}

block_figures figures_of_blocks(void)
{
    pthread_mutex_lock(&lock);
    block_figures copy = now;
    pthread_mutex_unlock(&lock);
    return copy;
}

/* Nobody is inside while a process forks: the child goes on with the same blocks, which are its own by then. */
static void hold(void) { pthread_mutex_lock(&lock); }
static void let_go(void) { pthread_mutex_unlock(&lock); }

/* Smaller arrays are malloc's. glibc gives the end of its heap back to the system as soon as twice the largest block that it ever
 * mapped lies free there, and then a step of a small network clears the same pages at every array. One large block that was freed
 * says that this program's blocks may be large: from then on up to 64 MB wait. */
static void let_malloc_keep(void)
{
#ifdef __GLIBC__
    void *volatile largest = malloc(((size_t)32 << 20) - 2 * PAGE);       /* what malloc may still take for usual */
    free(largest);
#endif
}

int prepare_blocks(size_t limit)
{
    static int watching;
    pthread_mutex_lock(&lock);
    now.limit = limit;
    int first = !watching++;
    pthread_mutex_unlock(&lock);
    if (first) let_malloc_keep();
    return first && pthread_atfork(hold, let_go, let_go) != 0 ? -1 : 0;
}
#endif
