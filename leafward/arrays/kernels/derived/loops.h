/* One way to call a derived kernel, and the loop that answers it. */
#ifndef LEAFWARD_LOOPS_H
#define LEAFWARD_LOOPS_H
#include <stddef.h>

/* Over `count` contiguous elements: data has the inputs, then the outputs; an output may be an input. */
typedef void (*loop_function)(char **data, ptrdiff_t count, const double *numbers);

/* What an argument has to be. letter: T an array of the kernel's dtype, b an array of bools, n a Python float or int, i the int
 * `number`, s the string `word`, t True, f False, - None. optional: it may be left out; a number is `number` then. */
struct parameter {
    char letter, optional;
    const char *word;
    double number;
};

struct form {
    const char *op, *serves;                /* the op, and which inputs the rule serves: "" for the forward */
    int count;
    const struct parameter *parameters;
    const char *inputs, *outputs;           /* a letter, T or b, for each operand of the loop */
    char sized;                             /* the last number is how many elements there are */
    char total;                             /* s, m: the loop adds its elements to a double, and the result is that, or the mean */
    char moves;                             /* it only chooses among elements, of whichever type of that size */
    int (*guard)(const double *numbers);    /* whether it serves these numbers; NULL: any */
    loop_function demand;                   /* adds up for how many elements it does not serve the call; NULL: for any it does */
    loop_function as_numbers;               /* the same where the one result is bools, which become 0 and 1 of the kernel's dtype */
    loop_function run;
};

/* What a module of loops offers, in its capsule `forms`: a table for each dtype, which ends with an empty form. */
enum { TABLES = 8 };
struct tables {
    const struct form *of[TABLES];          /* in the order of DTYPES in leafward/derive/kernels/deriving.py */
};
#endif
