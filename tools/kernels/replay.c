// SPDX-License-Identifier: GPL-3.0-or-later
// Calls entries of a library as they were called on another platform, and compares what they leave behind, bit by bit.
//
// usage: replay LIBRARY < calls      (tools/kernels/replay.py writes them; all words have 8 bytes)
//     call      symbol's length, symbol, result, memories, arguments
//     memory    size, bytes before, bytes after
//     argument  size, bytes, places that are addresses: count, that many (place, memory, byte of it)
//     result    size, bytes: after the arguments
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#define OPEN(path) ((void *)LoadLibraryA(path))
#define FIND(library, name) ((void *)GetProcAddress((HMODULE)library, name))
#else
#include <dlfcn.h>
#define OPEN(path) dlopen(path, RTLD_NOW)
#define FIND(library, name) dlsym(library, name)
#endif

enum { MOST_NAME = 256, MOST_ARGUMENTS = 32, MOST_RESULT = 64, MOST_NAMED = 20 };

static void stop(const char *why) {
  printf("%s\n", why);
  fflush(stdout);
  exit(2);
}

static void read_all(void *to, size_t size) {
  if (fread(to, 1, size, stdin) != size) stop("the calls end too early");
}

static int64_t word(void) {
  int64_t value;
  read_all(&value, sizeof value);
  return value;
}

static char *bytes(int64_t size) {
  char *data = malloc(size + 16);
  if (!data) stop("no memory");
  read_all(data, size);
  return data;
}

static int is_nan(uint64_t bits) { return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u; }

// What is not a number may have another sign and payload: processors differ in it, and nothing reads it.
static int alike(const char *a, const char *b, int64_t size) {
  int64_t k = 0;
  for (; k + 8 <= size; k += 8) {
    uint64_t x, y;
    memcpy(&x, a + k, 8);
    memcpy(&y, b + k, 8);
    if (x != y && !(is_nan(x) && is_nan(y))) return 0;
  }
  return !memcmp(a + k, b + k, size - k);
}

int main(int count, char **arguments) {
  void *library = count == 2 ? OPEN(arguments[1]) : 0;
  if (!library) stop("the library cannot be loaded");
#ifdef _WIN32
  _setmode(_fileno(stdin), _O_BINARY);
#endif
  int64_t calls = 0, unlike = 0, length;
  while (fread(&length, sizeof length, 1, stdin) == 1) {
    char name[MOST_NAME] = "";
    if (length >= MOST_NAME) stop("a name is too long");
    read_all(name, length);
    int64_t memories = word(), given = word();
    int64_t *sizes = malloc(8 * memories + 8);
    char **before = malloc(8 * memories + 8), **after = malloc(8 * memories + 8);
    for (int64_t k = 0; k < memories; k++) {
      sizes[k] = word();
      before[k] = bytes(sizes[k]);
      after[k] = bytes(sizes[k]);
    }
    void *values[MOST_ARGUMENTS];
    if (given > MOST_ARGUMENTS) stop("too many arguments");
    for (int64_t k = 0; k < given; k++) {
      char *value = values[k] = bytes(word());
      for (int64_t places = word(); places; places--) {
        int64_t place = word(), memory = word(), offset = word();
        char *address = before[memory] + offset;
        memcpy(value + place, &address, 8);
      }
    }
    int64_t size = word();
    char *expected = bytes(size);
    _Alignas(16) char result[MOST_RESULT] = "";
    int (*code)(void **, void *) = FIND(library, name);
    if (!code) stop(name);
    code(values, result);
    int64_t first = alike(result, expected, size) ? memories : -1;
    for (int64_t k = 0; k < memories && first == memories; k++)
      if (!alike(before[k], after[k], sizes[k])) first = k;
    calls++;
    if (first < memories && ++unlike <= MOST_NAMED)
      printf("unlike: %s, call %lld, memory %lld\n", name, (long long)calls, (long long)first);
    for (int64_t k = 0; k < memories; k++) free(before[k]), free(after[k]);
    for (int64_t k = 0; k < given; k++) free(values[k]);
    free(expected), free(sizes), free(before), free(after);
  }
  printf("%lld calls, %lld unlike\n", (long long)calls, (long long)unlike);
  return 0;
}
