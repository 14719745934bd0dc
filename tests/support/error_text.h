// What a call complains of.
#pragma once

#include <functional>
#include <string>

#include "tg/error.h"

namespace tg::test {

/// The text of the tg::Error that `f` throws; empty if it throws none.
inline std::string error_text(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace tg::test
