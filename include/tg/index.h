// The items between the brackets of `x[{…}]`: integers, ranges with steps, "the rest", new axes,
// tensors of integers and masks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tg/export.h"
#include "tg/symbolic.h"

namespace tg {

class Tensor;

/// Python's `start:stop:step`; what is left out (std::nullopt) is the whole side. Negative numbers
/// count from the end, ends outside are clamped, the step may be negative but not 0. `Slice(1, -1,
/// 2)`, `Slice(std::nullopt, 3)`, `Slice()`. Ends may be expressions of variables, `Slice(0, n +
/// 1)`: these must be inside the axis for all values (IndexError), and the step is 1.
struct Slice {
  std::optional<SymInt> start;
  std::optional<SymInt> stop;
  std::optional<int64_t> step;
  explicit Slice(std::optional<SymInt> start = {}, std::optional<SymInt> stop = {},
                 std::optional<int64_t> step = {})
      : start(std::move(start)), stop(std::move(stop)), step(step) {}
};

/// All axes that no other item names; at most once.
struct EllipsisItem {};
inline constexpr EllipsisItem Ellipsis{};
/// A new axis of size 1 at this place.
struct NewAxisItem {};
inline constexpr NewAxisItem NewAxis{};

/// One item of an index. Every valid item converts implicitly.
class TG_API IndexItem {
 public:
  enum class Kind { Integer, Range, Rest, New, Gather };
  IndexItem(int i) : kind(Kind::Integer), integer(i) {}
  IndexItem(int64_t i) : kind(Kind::Integer), integer(i) {}
  IndexItem(SymInt i) : kind(Kind::Integer), integer(std::move(i)) {}
  IndexItem(Slice s) : kind(Kind::Range), slice(std::move(s)) {}
  IndexItem(EllipsisItem) : kind(Kind::Rest) {}
  IndexItem(NewAxisItem) : kind(Kind::New) {}
  IndexItem(const Tensor& t);

  Kind kind;
  SymInt integer = 0;
  Slice slice;
  std::shared_ptr<Tensor> tensor;  ///< of Kind::Gather: integers, any shape, or a mask (bool)
};

}  // namespace tg
