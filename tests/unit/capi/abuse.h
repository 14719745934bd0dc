// Calls of recorded functions with random arguments: kinds that fit, kinds that do not, numbers at
// the ends of their ranges, handles of every sort. For the quick test and the fuzzer.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "capi/functions.h"
#include "tg/c/tg.h"

namespace tg::capi::testing {

class Abuser {
 public:
  /// `compute`: results are also computed and read, and become arguments of later calls.
  explicit Abuser(unsigned seed, bool compute = false);
  ~Abuser();
  Abuser(const Abuser&) = delete;
  Abuser& operator=(const Abuser&) = delete;

  /// One call with random arguments; what it gives is given back.
  void call(const tg_function_record& function);
  int64_t succeeded() const { return succeeded_; }
  int64_t failed() const { return failed_; }

 private:
  tg_value argument(FnKind kind);
  tg_value any();
  int64_t number();
  void use(const tg_value& result);

  const bool compute_;
  std::mt19937 random_;
  std::vector<tg_tensor> tensors_;  // the last was released
  std::vector<std::vector<int64_t>> lists_;
  std::vector<std::vector<tg_tensor>> handles_;
  std::vector<std::vector<tg_index_item>> items_;
  int64_t succeeded_ = 0, failed_ = 0;
};

}  // namespace tg::capi::testing
