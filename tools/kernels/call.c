// SPDX-License-Identifier: GPL-3.0-or-later
// Calls kernels from Python: reads the arguments of an entry into the words that machine code takes.
//
// Nothing here is linked with Python, so one library serves all versions: functions of its stable interface come by
// address (`struct python`). The head of numpy's arrays is read as its own headers tell it; `ves_begin` makes sure.
// A process may import the solver more than once (Blender does when an extension is switched off and on): each import
// has its own classes, so whatever belongs to one import is in a `user`, in memory that the loader keeps.
// Plans are numbers, which tools/kernels/plans.py writes and solver/library/loader.py hands over:
//     variant   count, that many nodes, result
//     node      NONE | INT | FLOAT | BOOL | ARRAY dimensions any_order dtype | STRUCT number
//     struct    class or -1, size, count, that many (offset, node)
//     result    NONE | INT | FLOAT | BOOL | TUPLE count, that many of these
#include <stdint.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
#endif

typedef struct object { intptr_t count; struct object *type; } object;
typedef struct { object head; char *data; int dimensions; intptr_t *shape, *strides; object *base, *dtype; int flags; } array;
typedef object *(*fast_call)(object *self, object *const *arguments, intptr_t count);
typedef struct { const char *name; fast_call call; int flags; const char *text; } method;
typedef int (*machine_code)(void **arguments, void *result);

enum { NONE, INT, FLOAT, BOOL, ARRAY, STRUCT, TUPLE };
enum { MEMORY = 1 << 15, MOST_ARGUMENTS = 32, KNOWN = 16, MOST_DTYPES = 512, FAST_CALL = 0x80, C_ORDER = 1, ALIGNED = 0x100 };

static struct python {
  intptr_t (*tuple_size)(object *);
  object *(*tuple_item)(object *, intptr_t);
  object *(*new_tuple)(intptr_t);
  int (*set_item)(object *, intptr_t, object *);
  object *(*list_item)(object *, intptr_t);
  long long (*as_int)(object *);
  object *(*from_int)(long long);
  double (*as_float)(object *);
  object *(*from_float)(double);
  int (*is_true)(object *);
  object *(*from_bool)(long);
  object *(*has_failed)(void);
  void (*clear)(void);
  object *(*new_capsule)(void *, const char *, void *);
  void *(*in_capsule)(object *, const char *);
  object *(*call)(object *, ...);
  object *(*new_function)(method *, object *, object *);
  void (*keep)(object *);
  void (*drop)(object *);
} py;

typedef struct {
  const int64_t *const *structs;
  object *none, *array_type, *records_type, *classes, *resolve, *is_dtype;
  object *known[MOST_DTYPES][KNOWN];
  int next_known[MOST_DTYPES];
} user;

typedef struct {
  user *of;
  const int64_t *code;
  const machine_code *functions;
  object *refuse;
  int64_t variants, last;
} entry;

static int is_class(user *of, int64_t number, object *type) {
  object *class = py.list_item(of->classes, number);
  if (class == of->none) {
    object *which = py.from_int(number), *answer = py.call(of->resolve, which, type, (object *)0);
    py.drop(which);
    if (!answer) { py.clear(); return 0; }
    py.drop(answer);
    class = py.list_item(of->classes, number);
  }
  return class == type;
}

static int has_dtype(user *of, int64_t number, array *value) {
  object **of_number = of->known[number];
  for (int k = 0; k < KNOWN; k++)
    if (of_number[k] == value->dtype) return 1;
  object *which = py.from_int(number), *answer = py.call(of->is_dtype, which, (object *)value, (object *)0);
  py.drop(which);
  if (!answer) { py.clear(); return 0; }
  int is = py.is_true(answer) == 1;
  py.drop(answer);
  if (is) {
    int k = of->next_known[number]++ % KNOWN;
    py.keep(value->dtype);
    if (of_number[k]) py.drop(of_number[k]);
    of_number[k] = value->dtype;
  }
  return is;
}

// An array as numba sees it: two owners, which nobody asks, length, size of an item, address, shape, strides.
static int put_array(user *of, const int64_t *node, object *value, int64_t *words) {
  if (value->type != of->array_type && value->type != of->records_type) return 0;
  array *given = (array *)value;
  int dimensions = (int)node[1], order = node[2] ? ALIGNED : C_ORDER | ALIGNED;
  if (given->dimensions != dimensions || (given->flags & order) != order || !has_dtype(of, node[3], given)) return 0;
  words[0] = words[1] = 0;
  words[2] = 1;
  words[3] = node[4];
  words[4] = (int64_t)(intptr_t)given->data;
  for (int k = 0; k < dimensions; k++) {
    words[2] *= given->shape[k];
    words[5 + k] = given->shape[k];
    words[5 + dimensions + k] = given->strides[k];
  }
  return 1;
}

static int length_of(const int64_t *node) { return node[0] == ARRAY ? 5 : node[0] == STRUCT ? 2 : 1; }

static int put(user *of, const int64_t *node, object *value, char *to) {
  switch (node[0]) {
    case NONE: return value == of->none;
    case INT: *(int64_t *)to = py.as_int(value); return 1;
    case FLOAT: *(double *)to = py.as_float(value); return 1;
    case BOOL: *to = (char)(py.is_true(value) == 1); return 1;
    case ARRAY: return put_array(of, node, value, (int64_t *)to);
  }
  const int64_t *plan = of->structs[node[1]], *each = plan + 3;
  if (plan[0] >= 0 && !is_class(of, plan[0], value->type)) return 0;
  for (int64_t k = 0; k < plan[2]; k++) {
    if (!put(of, each + 1, py.tuple_item(value, k), to + each[0])) return 0;
    each += 1 + length_of(each + 1);
  }
  return 1;
}

static object *single(user *of, int64_t kind, const char *from) {
  switch (kind) {
    case INT: return py.from_int(*(const int64_t *)from);
    case FLOAT: return py.from_float(*(const double *)from);
    case BOOL: return py.from_bool(*from);
  }
  py.keep(of->none);
  return of->none;
}

static object *result_of(user *of, const int64_t *plan, const char *from) {
  if (plan[0] != TUPLE) return single(of, plan[0], from);
  object *all = py.new_tuple(plan[1]);
  for (int64_t k = 0; all && k < plan[1]; k++) py.set_item(all, k, single(of, plan[2 + k], from + 8 * k));
  return all;
}

// Fills the memory by a plan and runs the code; returns 0 if the arguments are of other types.
static int run(user *of, const int64_t *plan, machine_code code, object *const *arguments, intptr_t count,
               object **answer) {
  _Alignas(16) char memory[MEMORY];
  void *addresses[MOST_ARGUMENTS];
  char *next = memory;
  _Alignas(8) char result[64];
  const int64_t *node = plan + 1;
  if (plan[0] != count) return 0;
  for (intptr_t k = 0; k < count; k++) {
    addresses[k] = next;
    if (!put(of, node, arguments[k], next)) return 0;
    next += node[0] == ARRAY ? 8 * (5 + 2 * node[1]) : node[0] == STRUCT ? of->structs[node[1]][1] : 8;
    node += length_of(node);
  }
  *answer = py.has_failed() ? 0 : (code(addresses, result), result_of(of, node, result));
  return 1;
}

static object *call(object *self, object *const *arguments, intptr_t count) {
  entry *called = py.in_capsule(self, 0);
  for (int64_t turn = 0; turn <= called->variants; turn++) {  // the one that was right last comes first
    int64_t number = turn ? turn - 1 : called->last;
    const int64_t *code = called->code + 1;
    for (int64_t k = 0; k < number; k++) code += 1 + code[0];
    object *answer;
    if (run(called->of, code + 1, called->functions[number], arguments, count, &answer)) {
      called->last = number;
      return answer;
    }
    py.clear();
  }
  object *given = py.new_tuple(count);
  for (intptr_t k = 0; k < count; k++) {
    py.keep(arguments[k]);
    py.set_item(given, k, arguments[k]);
  }
  object *refused = py.call(called->refuse, given, (object *)0);
  py.drop(given);
  return refused;
}

static method how = {"entry", call, FAST_CALL, 0};

EXPORT long long ves_bytes_of_user(void) { return sizeof(user); }
EXPORT long long ves_bytes_of_entry(void) { return sizeof(entry); }

// `of` is all zero. Returns the address at which numpy keeps the numbers of `probe`, as it is understood here.
EXPORT long long ves_begin(user *of, const void **python, const int64_t *const *plans, object *a, object *b, object *c,
                           object *d, object *e, object *f, object *probe) {
  for (int k = 0; k < (int)(sizeof py / sizeof(void *)); k++) ((const void **)&py)[k] = python[k];
  of->structs = plans;
  of->none = a, of->array_type = b, of->records_type = c, of->classes = d, of->resolve = e, of->is_dtype = f;
  array *seen = (array *)probe;
  int is_right = seen->dimensions == 2 && seen->shape[1] == 3 && seen->strides[0] == 24 && seen->flags & C_ORDER;
  return is_right ? (long long)(intptr_t)seen->data : 0;
}

// The functions of link.py's UNLIKE, in the same order, and sincos: for tests, whose numba computes with them too.
double ves_libm_sin(double), ves_libm_cos(double), ves_libm_tan(double), ves_libm_asin(double), ves_libm_acos(double);
double ves_libm_atan(double), ves_libm_atan2(double, double), ves_libm_exp(double), ves_libm_exp2(double);
double ves_libm_log(double), ves_libm_log1p(double), ves_libm_pow(double, double);

static void sincos_of(double x, double *sine, double *cosine) { *sine = ves_libm_sin(x), *cosine = ves_libm_cos(x); }

EXPORT void *ves_libm(int number) {
  static void *const all[] = {ves_libm_sin, ves_libm_cos, ves_libm_tan, ves_libm_asin, ves_libm_acos, ves_libm_atan,
                              ves_libm_atan2, ves_libm_exp, ves_libm_exp2, ves_libm_log, ves_libm_log1p, ves_libm_pow,
                              sincos_of};
  return all[number];
}

EXPORT object *ves_entry(user *of, entry *made, const int64_t *code, const machine_code *functions, object *refuse) {
  *made = (entry){of, code, functions, refuse, code[0], 0};
  object *self = py.new_capsule(made, 0, 0);
  object *function = py.new_function(&how, self, 0);
  py.drop(self);
  return function;
}
