/* Large blocks of memory that are kept for their next use: see memory_blocks.c. */
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t taken, reused, returned;   /* how many blocks: asked for, found here, given back to the system */
    size_t live, most_live, kept, limit;        /* bytes: in use, the most that ever were, waiting, that may wait */
} block_figures;

extern const char *blocks_obstacle;
int prepare_blocks(size_t limit);       /* once: 0, or -1 where the system refuses */
void *take_block(size_t size, int zeros);       /* NULL where there is no memory */
int give_block(void *data);             /* 0 where it is no block of ours */
size_t size_of_block(const void *data); /* 0 the same */
void drop_blocks(void);                 /* whatever waits goes back to the system */
block_figures figures_of_blocks(void);
