/* A stranger's program in C, built with pkg-config: prints the sum of 1, 2 and 3. */
#include <stdio.h>
#include <tg/c/tg_ops.h>

int main(void) {
  const float data[] = {1, 2, 3};
  const int64_t shape[] = {3};
  tg_tensor t = NULL, sum = NULL;
  float out = 0;
  if (tg_tensor_from_data(data, sizeof data, TG_DTYPE_FLOAT32, shape, 1, NULL, &t) != TG_OK ||
      tg_sum(t, NULL, &sum) != TG_OK || tg_tensor_read(sum, &out, sizeof out) != TG_OK) {
    puts(tg_error_message());
    return 1;
  }
  tg_release(t);
  tg_release(sum);
  printf("%g\n", (double)out);
  return 0;
}
