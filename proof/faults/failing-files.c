/*
 * Lets calls on files fail as a broken disk does. Preloaded into a program (LD_PRELOAD); built when it is needed by
 * failing-files.ts. FAILING_FILES names a file that says what fails: an error number, the calls and a part of the path, as in
 * "5 write,sync /base/". Nothing fails while there is no such file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Returns the number of the error with which a call on an open file has to fail, or 0. */
static int error_of(const char *call, int fd) {
  const char *name = getenv("FAILING_FILES");
  if (name == NULL) return 0;
  int saved = errno;
  int error = 0;
  int file = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    char text[512], calls[64], part[256], link[64], path[4096];
    int number;
    ssize_t length = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    text[length > 0 ? length : 0] = 0;
    if (sscanf(text, "%d %63s %255s", &number, calls, part) == 3 && strstr(calls, call) != NULL) {
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      ssize_t size = readlink(link, path, sizeof path - 1);
      path[size > 0 ? size : 0] = 0;
      if (strstr(path, part) != NULL) error = number;
    }
  }
  errno = saved;
  return error;
}

#define FAILING(type, name, call, parameters, ...)          \
  type name parameters {                                    \
    static type(*next) parameters;                          \
    if (next == NULL) next = dlsym(RTLD_NEXT, #name);       \
    int error = error_of(call, fd);                         \
    if (error == 0) return next(__VA_ARGS__);               \
    errno = error;                                          \
    return -1;                                              \
  }

FAILING(ssize_t, read, "read", (int fd, void *to, size_t size), fd, to, size)
FAILING(ssize_t, readv, "read", (int fd, const struct iovec *to, int count), fd, to, count)
FAILING(ssize_t, pread, "read", (int fd, void *to, size_t size, off_t at), fd, to, size, at)
FAILING(ssize_t, pread64, "read", (int fd, void *to, size_t size, off64_t at), fd, to, size, at)
FAILING(ssize_t, preadv, "read", (int fd, const struct iovec *to, int count, off_t at), fd, to, count, at)
FAILING(ssize_t, preadv64, "read", (int fd, const struct iovec *to, int count, off64_t at), fd, to, count, at)
FAILING(ssize_t, write, "write", (int fd, const void *from, size_t size), fd, from, size)
FAILING(ssize_t, writev, "write", (int fd, const struct iovec *from, int count), fd, from, count)
FAILING(ssize_t, pwrite, "write", (int fd, const void *from, size_t size, off_t at), fd, from, size, at)
FAILING(ssize_t, pwrite64, "write", (int fd, const void *from, size_t size, off64_t at), fd, from, size, at)
FAILING(ssize_t, pwritev, "write", (int fd, const struct iovec *from, int count, off_t at), fd, from, count, at)
FAILING(ssize_t, pwritev64, "write", (int fd, const struct iovec *from, int count, off64_t at), fd, from, count, at)
FAILING(int, fsync, "sync", (int fd), fd)
FAILING(int, fdatasync, "sync", (int fd), fd)
