/*
 * MNIST in C99: a network of two layers learns digits through the C interface. The step is captured
 * once and replayed. Usage: c_mnist [steps].
 *
 * Every call can fail; `must` ends the program with the library's message then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tg/c/tg_ops.h"

enum { kBatch = 128, kHidden = 128, kClasses = 10, kPixels = 28 * 28 };

static void must(tg_status status, const char* what) {
  if (status == TG_OK) return;
  fprintf(stderr, "%s: %s\n", what, tg_error_message());
  exit(1);
}

/* The network, its optimiser, and the data that the step draws from. */
typedef struct Training {
  tg_layer first, second;
  tg_optimizer optimizer;
} Training;

/* images [n, 28, 28] as bytes to logits [n, 10]. Gives up at the first failure; releases what it
 * made on the way. */
static tg_status logits_of(const Training* t, tg_tensor images, tg_tensor* result) {
  const int64_t flat[] = {-1, kPixels};
  tg_tensor x[4] = {NULL};
  tg_status s = tg_reshape(images, flat, 2, &x[0]);
  if (s == TG_OK) s = tg_cast(x[0], TG_DTYPE_FLOAT32, &x[1]);
  if (s == TG_OK) s = tg_div(x[1], tg_int(255), NULL, &x[2]);
  if (s == TG_OK) s = tg_layer_call(t->first, x[2], &x[3]);
  tg_tensor active = NULL;
  if (s == TG_OK) s = tg_relu(x[3], &active);
  if (s == TG_OK) s = tg_layer_call(t->second, active, result);
  for (int i = 0; i < 4; ++i) {
    if (x[i] != NULL) tg_release(x[i]);
  }
  if (active != NULL) tg_release(active);
  return s;
}

/* The captured step: images and labels of a batch in, its loss out. */
static tg_status step(void* user, const tg_value* arguments, size_t count, tg_value* results,
                      size_t capacity, size_t* result_count) {
  const Training* t = user;
  tg_tensor logits = NULL, labels = NULL, loss = NULL;
  if (count != 2 || capacity < 1) return tg_fail(TG_ERROR_ARGUMENT, "step: two tensors in, one out.");
  tg_status s = logits_of(t, arguments[0].as.tensor, &logits);
  if (s == TG_OK) s = tg_cast(arguments[1].as.tensor, TG_DTYPE_INT32, &labels);
  if (s == TG_OK) s = tg_cross_entropy(logits, labels, NULL, &loss);
  if (s == TG_OK) s = tg_optimizer_step(t->optimizer, loss);
  if (logits != NULL) tg_release(logits);
  if (labels != NULL) tg_release(labels);
  if (loss == NULL) return s;
  results[0] = tg_of(loss);
  *result_count = 1;
  return s;
}

static tg_tensor tensor_named(tg_state state, const char* name) {
  tg_tensor t = NULL;
  must(tg_state_get(state, name, &t), name);
  return t;
}

/* An optimiser of the tensors of both layers. */
static void make_optimizer(Training* t) {
  const tg_layer layers[] = {t->first, t->second};
  tg_tensor parameters[4] = {NULL};
  size_t n = 0;
  for (int l = 0; l < 2; ++l) {
    tg_state state = NULL;
    must(tg_layer_get_state(layers[l], &state), "state of a layer");
    parameters[n++] = tensor_named(state, "weight");
    parameters[n++] = tensor_named(state, "bias");
    tg_release(state);
  }
  must(tg_nn_Adam(parameters, n, NULL, &t->optimizer), "Adam");
  while (n > 0) tg_release(parameters[--n]);
}

/* Rows of a batch: x[indices]. */
static tg_tensor rows(tg_tensor x, tg_tensor indices) {
  tg_index_item item;
  memset(&item, 0, sizeof item);
  item.kind = TG_INDEX_GATHER;
  item.at = tg_of(indices);
  tg_tensor out = NULL;
  must(tg_index(x, &item, 1, &out), "index");
  return out;
}

static float number_in(tg_tensor t) {
  float value = 0;
  must(tg_tensor_read(t, &value, sizeof value), "read");
  return value;
}

static double accuracy(const Training* t, tg_tensor images, tg_tensor labels) {
  tg_tensor logits = NULL, found = NULL, right = NULL, same = NULL, mean = NULL;
  tg_argmax_options by_row;
  memset(&by_row, 0, sizeof by_row);
  by_row.struct_size = sizeof by_row;
  by_row.axis = tg_int(1);
  must(logits_of(t, images, &logits), "logits");
  must(tg_argmax(logits, &by_row, &found), "argmax");
  must(tg_cast(labels, TG_DTYPE_INT32, &right), "cast");
  must(tg_eq(found, tg_of(right), &same), "eq");
  must(tg_mean(same, NULL, &mean), "mean");
  const double share = number_in(mean);
  const tg_tensor all[] = {logits, found, right, same, mean};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tg_release(all[i]);
  return share;
}

static void train(tg_jit jit, tg_state digits, int steps) {
  const tg_tensor images = tensor_named(digits, "train.images");
  const tg_tensor labels = tensor_named(digits, "train.labels");
  int64_t shape[3] = {0};
  size_t ndim = 0;
  must(tg_tensor_shape(images, shape, 3, &ndim), "shape");
  const int64_t batch[] = {kBatch};
  tg_randint_options range;
  memset(&range, 0, sizeof range);
  range.struct_size = sizeof range;
  range.high = tg_int(shape[0]);
  bool before = false;
  tg_set_training(true, &before);
  for (int i = 1; i <= steps; ++i) {
    tg_tensor chosen = NULL, loss = NULL;
    size_t count = 0;
    must(tg_randint(batch, 1, &range, &chosen), "randint");
    tg_tensor x = rows(images, chosen), y = rows(labels, chosen);
    const tg_value arguments[] = {tg_of(x), tg_of(y)};
    must(tg_jit_call(jit, arguments, 2, &loss, 1, &count), "step");
    if (i % 50 == 0 || i == steps) printf("step %4d  loss %.4f\n", i, (double)number_in(loss));
    tg_release(chosen);
    tg_release(x);
    tg_release(y);
    tg_release(loss);
  }
  tg_set_training(before, NULL);
  tg_release(images);
  tg_release(labels);
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 500;
  if (steps < 1) {
    fprintf(stderr, "usage: c_mnist [steps]\n");
    return 2;
  }
  Training t = {NULL, NULL, NULL};
  tg_state digits = NULL;
  tg_value name;
  must(tg_manual_seed(1), "seed");
  must(tg_dataset_mnist(NULL, &digits, &name), "digits");
  must(tg_nn_Linear(kPixels, kHidden, NULL, &t.first), "Linear");
  must(tg_nn_Linear(kHidden, kClasses, NULL, &t.second), "Linear");
  make_optimizer(&t);
  tg_jit jit = NULL;
  must(tg_jit_create(step, &t, NULL, NULL, &jit), "jit");

  train(jit, digits, steps);
  const tg_tensor images = tensor_named(digits, "test.images");
  const tg_tensor labels = tensor_named(digits, "test.labels");
  printf("%s: accuracy %.1f%% ", name.as.text, 100 * accuracy(&t, images, labels));

  const void* const all[] = {images, labels, jit, t.optimizer, t.first, t.second, digits};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tg_release(all[i]);
  tg_value_clear(&name);
  printf("with tinygrad.cpp %s, %s\n", tg_version(),
         tg_live_handles() == 0 ? "no handles left" : "handles left over");
  return tg_live_handles() == 0 ? 0 : 1;
}
