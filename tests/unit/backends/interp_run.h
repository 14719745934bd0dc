// Runs a linear kernel in the interpreter on vectors.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "backends/interp/execute.h"
#include "support/linear_builder.h"
#include "tg/error.h"

namespace tg::test {

template <typename... T>
void run(const LinearKernel& k, std::vector<int64_t> vars, std::vector<T>&... buffers) {
  const std::vector<void*> pointers = {static_cast<void*>(buffers.data())...};
  interp::execute(interp::decode(k), pointers, vars);
}

/// The message of the InternalError that `action` throws.
std::string internal_error(auto&& action) {
  try {
    action();
  } catch (const InternalError& e) {
    return e.what();
  }
  return "no InternalError";
}

}  // namespace tg::test
