/* Threads that take the shares of one job at a time.
 *
 * The caller takes shares too, and at the end waits only for threads that are inside one: where a thread is late because the
 * machine is busy, the caller has done the work by then. To wake a thread takes as long as a million additions: so one that
 * has nothing to do looks for its next job a moment longer, and then sleeps. A job that comes while another runs (from
 * another of the user's threads, or from inside a share) is done by its caller alone. A fork leaves the child without
 * threads; it makes new ones when it needs them. */
#include "pool.h"

static void alone(share_function run, void *job, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) run(job, i);
}

#ifdef _WIN32
const char *pool_obstacle = "kernels run on one thread: leafward's own threads are POSIX threads, which Windows lacks";
int pool_threads(void) { return 1; }
void pool_allow(int count) { (void)count; }
void pool_each_share(share_function run, void *job, Py_ssize_t count) { alone(run, job, count); }
#else
#ifdef __linux__
#include <sched.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Who waits looks so often before it sleeps: for 50 microseconds or so, those not counted in which another process has its core. */
enum { LOOKS = 2000, MOST_THREADS = 256 };

const char *pool_obstacle = NULL;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, owner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
/* Threads allowed, the caller's included (0: not asked yet); threads made; how many more may join the job; how many did. */
static int allowed, made, places, active;
static struct { share_function run; void *job; int parts; } now;
/* Each thread begins with a part of the shares of its own, the same in each job that has as many: what its core's cache holds of
 * the last job is read by the next. Then it takes what others have left. */
static struct { Py_ssize_t next, end; char apart[64 - 2 * sizeof(Py_ssize_t)]; } parts[MOST_THREADS];

/* As many as OpenBLAS starts with: what the environment says, or one for each core that this process may use. */
static int usual_threads(void)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"};
    for (int i = 0; i < 3; i++) {
        const char *said = getenv(names[i]);
        if (said != NULL && atoi(said) > 0) return atoi(said);
    }
#ifdef __linux__
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
#endif
    long cores_there = sysconf(_SC_NPROCESSORS_ONLN);
    return cores_there > 0 ? (int)cores_there : 1;
}

int pool_threads(void)
{
    int count = __atomic_load_n(&allowed, __ATOMIC_RELAXED);
    if (count == 0) pool_allow(count = usual_threads());
    return count;
}

void pool_allow(int count)
{
    __atomic_store_n(&allowed, count, __ATOMIC_RELAXED);
}

/* Back when `number` is 0, or is not, whichever was asked for, or after a moment. */
static void look_for(const int *number, int zero)
{
    for (int i = 0; i < LOOKS && (__atomic_load_n(number, __ATOMIC_ACQUIRE) == 0) != zero; i++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
}

static void take_shares(int mine)
{
    for (int k = 0; k < now.parts; k++) {
        int part = (mine + k) % now.parts;
        for (Py_ssize_t i; (i = __atomic_fetch_add(&parts[part].next, 1, __ATOMIC_RELAXED)) < parts[part].end;) now.run(now.job, i);
    }
}

static void *worker(void *number)
{
    int mine = (int)(intptr_t)number;
    sigset_t signals;
    sigfillset(&signals);                                /* they are the user's threads' business */
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_mutex_lock(&lock);
    for (;;) {
        if (places == 0) {
            pthread_mutex_unlock(&lock);
            look_for(&places, 0);
            pthread_mutex_lock(&lock);
        }
        while (places == 0) pthread_cond_wait(&work, &lock);
        places--;
        active++;
        pthread_mutex_unlock(&lock);
        take_shares(mine);
        pthread_mutex_lock(&lock);
        if (__atomic_sub_fetch(&active, 1, __ATOMIC_RELEASE) == 0) pthread_cond_signal(&done);
    }
    return number;
}

/* In the child of a fork: none of the threads is there, and nobody holds a lock. */
static void forget(void)
{
    made = places = active = 0;
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_init(&owner, NULL);
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&done, NULL);
}

static void make_threads(int count)
{
    static int watching;
    if (!watching++) pthread_atfork(NULL, NULL, forget);
    for (pthread_t thread; made < count && pthread_create(&thread, NULL, worker, (void *)(intptr_t)(made + 1)) == 0; made++)
        pthread_detach(thread);
}

void pool_each_share(share_function run, void *job, Py_ssize_t count)
{
    int threads = pool_threads();
    if (threads > count) threads = (int)count;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (threads < 2 || pthread_mutex_trylock(&owner) != 0) {
        alone(run, job, count);
        return;
    }
    pthread_mutex_lock(&lock);
    now.run = run;
    now.job = job;
    now.parts = threads;
    for (int k = 0; k < threads; k++) {
        parts[k].next = count * k / threads;
        parts[k].end = count * (k + 1) / threads;
    }
    make_threads(threads - 1);
    places = made < threads - 1 ? made : threads - 1;
    for (int i = 0; i < places; i++) pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    take_shares(0);
    pthread_mutex_lock(&lock);
    places = 0;                                          /* who has not come by now need not */
    pthread_mutex_unlock(&lock);
    look_for(&active, 1);
    pthread_mutex_lock(&lock);
    while (active > 0) pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&owner);
}
#endif
