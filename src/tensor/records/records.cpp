// The list of families; see record.h.
#include "tensor/records/record.h"

namespace tg {

const std::vector<FnFamily>& fn_families() {
  static const std::vector<FnFamily> families = {
      creation_records(),   random_records(),      fact_records(),    movement_records(),
      arrange_records(),    index_records(),       order_records(),   arithmetic_records(),
      elementwise_records(), activation_records(), reduce_records(),  scan_records(),
      product_records(),    algebra_records(),     fourier_records(), norm_records(),
      loss_records(),       storage_records(),     gradient_records(),
  };
  return families;
}

const FnRecord* find_fn(std::string_view name) {
  for (const FnFamily& family : fn_families()) {
    for (const FnRecord& r : family.functions) {
      if (r.name == name) return &r;
    }
  }
  return nullptr;
}

}  // namespace tg
