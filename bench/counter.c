/* The instructions of what runs between start() and stop(), under valgrind's callgrind. */
#include <valgrind/callgrind.h>

void start(void) {
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
}

void stop(const char *name) {
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(name);
}
