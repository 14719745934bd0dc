// Loads and stores as C: contiguous or gathered, aligned or not, gated by a scalar or by a lane
// mask.
#pragma once

#include <string>
#include <vector>

#include "renderer/c_value.h"

namespace tg {

/// One access: `lanes` elements of `dtype` at pointer + index.
struct CAccess {
  CValue pointer;
  CValue index;
  DType dtype = DType::Void;
  int lanes = 1;
  int64_t align = 1;      ///< bytes
  CValue gate;            ///< dtype Void if there is none
  bool streamed = false;  ///< a store that need not stay in a cache
};

CValue c_load(CUnit& u, const CAccess& at);
/// The statement that writes `value`, with its line end. Vector operands of a scatter must be
/// names.
std::string c_store(CUnit& u, const CAccess& at, const CValue& value, Combine combine);

/// The pointer to the first element.
std::string c_address(const CAccess& at);

/// The statements that begin to copy the elements at `from`, zeros where its gate is false, with
/// their line ends; or that do copy them.
std::vector<std::string> c_async_copy(CUnit& u, const CAccess& to, const CAccess& from);

}  // namespace tg
