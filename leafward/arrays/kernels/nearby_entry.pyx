# cython: boundscheck=False, wraparound=False, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/nearby_sums.c
"""Sums over the processes of one machine, made where the numbers lie (``nearby_sums.c``)."""
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
cimport numpy as cnp

from leafward.arrays.kernels.row_arrays cimport width_of

cnp.import_array()

cdef extern from "nearby_sums.h":
    ctypedef struct nearby_group:
        void* board
        int rank, ranks
        const int* pids
        char* room
        uint64_t calls
    ctypedef struct nearby_call:
        nearby_group* group
        uint64_t number
        int64_t count
        const uint64_t* starts
        uint64_t* places
        uint64_t* theirs
        double scale
        int wide, begun, read, over, nan
    int NEARBY_WAITS, NEARBY_OVER, NEARBY_DIFFERS
    const char* nearby_obstacle
    int prepare_nearby() except -1
    size_t nearby_board_size(int ranks)
    size_t nearby_room(int ranks)
    void nearby_board_begin(void* board, int ranks)
    int nearby_read(int pid, uint64_t address, void* out, size_t size) nogil
    int nearby_begin(nearby_call* call)
    int nearby_ask(nearby_call* call) nogil

prepare_nearby()

#: Why there is nothing of this here, or None.
obstacle = None if nearby_obstacle == NULL else nearby_obstacle.decode()
#: What a sum answers when it is asked.
WAITS, OVER, DIFFERS = NEARBY_WAITS, NEARBY_OVER, NEARBY_DIFFERS


def place_of(const unsigned char[::1] memory not None):
    """Where memory lies in this process."""
    return <uint64_t> &memory[0]


def read(int pid, uint64_t address, unsigned char[::1] out not None):
    """Fill ``out`` with what another process has at an address: 0, or the error of the system."""
    return nearby_read(pid, address, &out[0], out.shape[0])


def board_size(int ranks):
    """How many bytes the board of so many ranks has."""
    return nearby_board_size(ranks)


def begin_board(unsigned char[::1] memory not None, int ranks):
    """Make a board; by one rank, before the others know of it."""
    nearby_board_begin(&memory[0], ranks)


cdef class Group:
    """What this rank has of a group: the memory of the board, and the processes of all ranks."""

    cdef nearby_group group
    cdef unsigned char[::1] memory
    cdef cnp.ndarray pids, room

    def __cinit__(self, unsigned char[::1] memory not None, int rank, pids):
        self.memory = memory
        self.pids = cnp.PyArray_ZEROS(1, [len(pids)], cnp.NPY_INT32, 0)
        for number, pid in enumerate(pids):
            self.pids[number] = pid
        self.group.rank, self.group.ranks, self.group.board = rank, <int> len(pids), &memory[0]
        cdef cnp.npy_intp size = nearby_room(self.group.ranks)
        self.room = cnp.PyArray_EMPTY(1, &size, cnp.NPY_UINT8, 0)
        self.group.pids = <const int*> cnp.PyArray_DATA(self.pids)
        self.group.room = <char*> cnp.PyArray_DATA(self.room)


cdef class Sum:
    """One rank's part in a sum of arrays over the ranks of a group, which begins with the others': its own become the sums.

    arrays: flat ones, which may be written, of float32 or all of float64: as many and as long as those of the others
    scale: what this rank's numbers are multiplied by
    """

    cdef nearby_call call
    cdef Group group
    cdef object arrays

    def __cinit__(self, Group group not None, arrays, double scale):
        cdef Py_ssize_t k, count = len(arrays), ranks = group.group.ranks
        cdef uint64_t* starts
        self.group, self.arrays = group, list(arrays)
        starts = <uint64_t*> calloc(count + 1, sizeof(uint64_t))
        self.call.starts = starts
        self.call.places = <uint64_t*> calloc(2 * count + 1, sizeof(uint64_t))
        self.call.theirs = <uint64_t*> calloc(ranks * count + 1, sizeof(uint64_t))
        if starts == NULL or self.call.places == NULL or self.call.theirs == NULL:
            raise MemoryError
        for k, array in enumerate(self.arrays):
            width = width_of(array)
            if width == 0 or k and (width == 8) != self.call.wide or not cnp.PyArray_ISCARRAY(<cnp.ndarray> array):
                raise ValueError("sums are of arrays in one piece, of float32 or all of float64")
            self.call.wide = width == 8
            starts[k + 1] = starts[k] + <uint64_t> cnp.PyArray_SIZE(<cnp.ndarray> array)
            self.call.places[k] = <uint64_t> cnp.PyArray_DATA(<cnp.ndarray> array)
        self.call.group, self.call.count, self.call.scale = &group.group, count, scale
        self.call.number = group.group.calls
        group.group.calls += 1

    def __dealloc__(self):
        free(<void*> self.call.starts)
        free(self.call.places)
        free(self.call.theirs)

    def begin(self):
        """Say what this rank has, as soon as there is room for it: an :meth:`ask` does it otherwise."""
        nearby_begin(&self.call)

    def ask(self):
        """Do what can be done now: ``WAITS``, ``OVER``, ``DIFFERS``, or minus an error of the system."""
        cdef int answer
        with nogil:
            answer = nearby_ask(&self.call)
        return answer

    @property
    def nan(self):
        """Whether numbers of some rank had NaN, once it is over."""
        return bool(self.call.nan)

    def with_nan(self):
        """Which of this rank's arrays had NaN."""
        return [k for k in range(self.call.count) if self.call.places[self.call.count + k]]
