// Schedules of the search's cache: src/kernel/saved_opts.h. The lines are those of a matrix product
// or, if the input begins with "S", of sums of rows that are gated.
#include "kernel/saved_opts.h"

#include "fuzz/fuzz.h"

namespace {

using namespace tg;

UOp kernel_of(const UOp& value, const std::vector<UOp>& at, const Shape& shape) {
  const UOp root = end(store_at(param(0, shape, DType::Float32), at, value), at);
  return sink(std::span(&root, 1));
}

UOp product() {
  const UOp i = range(64, 0), j = range(48, 1), k = range(32, 2);
  const UOp a = load(param(1, {64, 32}, DType::Float32), {{i, k}});
  const UOp b = load(param(2, {32, 48}, DType::Float32), {{k, j}});
  return kernel_of(reduce_ranges(a * b, ReduceOp::Add, {{k}}), {i, j}, {64, 48});
}

UOp gated_sums() {
  const UOp i = range(7, 0), k = range(1000, 1);
  const UOp row = load(param(1, {7, 900}, DType::Float32), {{i, k}}, lt(k, index_const(900)));
  return kernel_of(reduce_ranges(row, ReduceOp::Add, {{k}}), {i}, {7});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const UOp kernels[] = {product(), gated_sums()};
  std::string_view text = fuzz::text_of(data, size);
  const bool sums = text.starts_with("S");
  if (sums) text.remove_prefix(1);
  const UOp& kernel = kernels[sums ? 1 : 0];
  fuzz::read_or_refuse([&] {
    const auto schedule = load_opts(kernel, text);
    if (!schedule) return;
    const std::string saved = save_opts(kernel, *schedule);
    const auto again = load_opts(kernel, saved);
    fuzz::expect(again.has_value(), "what is saved is read");
    fuzz::expect(save_opts(kernel, *again) == saved, "and is what it was");
  });
  return 0;
}
