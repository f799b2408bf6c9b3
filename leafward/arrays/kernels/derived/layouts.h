/* Run a loop over arrays of any layout, on several threads. */
#ifndef LEAFWARD_LAYOUTS_H
#define LEAFWARD_LAYOUTS_H
#include "loops.h"

enum { MOST_OPERANDS = 10, MOST_DIMS = 32 };

/* The operands of one call: inputs, then outputs. Steps are in bytes, those of operand k from step[k] on; 0 repeats an element. */
struct operands {
    int count, inputs, ndim;
    ptrdiff_t size, shape[MOST_DIMS];
    char *data[MOST_OPERANDS];
    int bytes[MOST_OPERANDS];                       /* of an element */
    int half[MOST_OPERANDS];                        /* 0, or that it is of a half type: float16 (1), bfloat16 (2) */
    ptrdiff_t step[MOST_OPERANDS][MOST_DIMS];
};

/* In order[0] the dim that a new result's elements lie closest along, as NumPy decides it from the inputs; then the next. */
void order_of_result(const struct operands *o, int *order);

/* Run the loop over all elements. Without the GIL; it sorts and joins the dims of `o`. */
void run_loop(loop_function loop, struct operands *o, const double *numbers);

/* The same for a loop that adds up what it computes: the total over all elements, in an order that depends on their number only. */
double run_total(loop_function loop, struct operands *o, const double *numbers);

/* At import, with the GIL: 0, or -1 with an exception. */
int connect_to_pool(void);
#endif
