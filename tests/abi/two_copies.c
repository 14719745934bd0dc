/* two_copies LIBRARY OTHER: two copies of the library in one process compute side by side; handles of
 * one mean nothing to the other. */
#include <dlfcn.h>
#include <stdio.h>

#include "tg/c/tg.h"

typedef struct Copy {
  tg_status (*from_data)(const void*, size_t, tg_dtype, const int64_t*, size_t, const char*, tg_tensor*);
  tg_status (*read)(tg_tensor, void*, size_t);
  tg_status (*find)(const char*, tg_function*);
  tg_status (*call)(tg_function, const tg_value*, size_t, tg_value*);
  tg_status (*set_option)(const char*, const char*);
  tg_status (*get_option)(const char*, tg_value*);
  int64_t (*live)(void);
} Copy;

/* ISO C has no conversion from an object's address to a function's. */
static void symbol(void* library, const char* name, void* function) {
  void* const address = dlsym(library, name);
  *(void**)function = address;
}

static int open_copy(const char* path, Copy* copy) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  symbol(library, "tg_tensor_from_data", &copy->from_data);
  symbol(library, "tg_tensor_read", &copy->read);
  symbol(library, "tg_find_function", &copy->find);
  symbol(library, "tg_call", &copy->call);
  symbol(library, "tg_set_option", &copy->set_option);
  symbol(library, "tg_get_option", &copy->get_option);
  symbol(library, "tg_live_handles", &copy->live);
  return 1;
}

static float twice(const Copy* c, float x) {
  const int64_t shape[] = {1};
  tg_tensor t = NULL;
  tg_function mul = NULL;
  tg_value result;
  float out = 0;
  if (c->from_data(&x, sizeof x, TG_DTYPE_FLOAT32, shape, 1, NULL, &t) != TG_OK) return -1;
  const tg_value arguments[] = {tg_of(t), tg_int(2)};
  if (c->find("mul", &mul) != TG_OK || c->call(mul, arguments, 2, &result) != TG_OK) return -2;
  if (c->read(result.as.tensor, &out, sizeof out) != TG_OK) return -3;
  return out;
}

int main(int argc, char** argv) {
  Copy a, b;
  if (argc != 3 || !open_copy(argv[1], &a) || !open_copy(argv[2], &b)) return 1;
  const float x = twice(&a, 3), y = twice(&b, 4), z = twice(&a, 5);
  tg_value option;
  a.set_option("SEED", "7");
  b.get_option("SEED", &option);
  printf("%g %g %g, handles %d and %d, seed of the other %s\n", (double)x, (double)y, (double)z,
         (int)a.live(), (int)b.live(), option.as.text);
  return x == 6 && y == 8 && z == 10 && a.live() == 4 && b.live() == 2 && option.as.text[0] != '7' ? 0 : 1;
}
