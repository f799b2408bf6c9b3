/* Sums over the processes of one machine, made where the numbers lie: see nearby_sums.c. */
#include <stddef.h>
#include <stdint.h>

/* What one rank has of a group: the board that all share, and room for what it reads. */
typedef struct {
    void *board;
    int rank, ranks;
    const int *pids;
    char *room;
    uint64_t calls;                     /* how many this rank has begun */
} nearby_group;

/* One rank's part in one call: `count` arrays, which lie at `places`; array k has the elements from starts[k] to starts[k + 1]. */
typedef struct {
    nearby_group *group;
    uint64_t number;
    int64_t count;
    const uint64_t *starts;
    uint64_t *places;                   /* of this rank, and behind them a word for each array: whether it has NaN */
    uint64_t *theirs;                   /* of all ranks, once they have been read */
    double scale;                       /* what this rank's numbers are multiplied by */
    int wide, begun, read, over, nan;   /* nan: whether some rank's numbers have NaN */
} nearby_call;

enum { NEARBY_WAITS, NEARBY_OVER, NEARBY_DIFFERS };

extern const char *nearby_obstacle;     /* why there is nothing of this here, or NULL */
int prepare_nearby(void);
size_t nearby_board_size(int ranks);
size_t nearby_room(int ranks);
void nearby_board_begin(void *board, int ranks);        /* by one rank, before the others know of it */
int nearby_read(int pid, uint64_t place, void *out, size_t size);       /* 0, or the error of the system */
int nearby_begin(nearby_call *call);    /* say what this rank has; 0 while the board has no place for it yet */
int nearby_ask(nearby_call *call);      /* do what can be done: one of the above, or minus an error of the system */
