// See c_language.h.
#include "runtime/c_language.h"

#include "renderer/render.h"
#include "target/calibration.h"
#include "target/matrix_unit.h"

namespace tg {

void set_c_language(Target& t) {
  for (int i = 0; i < kNumOps; ++i)
    t.ops.set(static_cast<size_t>(i), c_supports(static_cast<Op>(i)));
  for (int i = 0; i < kNumDTypes; ++i)
    t.dtypes.set(static_cast<size_t>(i), c_supports(static_cast<DType>(i)));
}

void finish_c_target(Target& t, std::string_view backend) {
  if (const auto measured = load_calibration(backend, t.machine)) apply_calibration(t, *measured);
  set_c_language(t);
}

void add_matrix_units(Target& t, std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) t.matrix_units.push_back(find_matrix_unit(name));
}

}  // namespace tg
