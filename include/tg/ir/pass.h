// User-defined compiler passes: functions and rewrite rules that see, and may change, every tensor
// graph before it is cut into kernels, or every kernel before it is lowered. Rules and passes
// themselves: rule.h, rewrite.h. Graphs of tensors, to try them on: graph.h. How to write one:
// docs/adding-a-rule.md.
//
// The graph is the compiler's own and changes with it: these headers (tg/ir) promise to compile
// with the version of the library that they come with, not that a program built against one
// version runs with the next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tg/export.h"
#include "tg/ir/rewrite.h"

namespace tg {

/// An added pass; the destructor removes it. Can be moved, not copied.
class TG_API AddedPass {
 public:
  AddedPass() = default;
  explicit AddedPass(uint64_t id) : id_(id) {}
  AddedPass(AddedPass&& o) noexcept : id_(std::exchange(o.id_, 0)) {}
  AddedPass& operator=(AddedPass o) noexcept {
    std::swap(id_, o.id_);
    return *this;
  }
  ~AddedPass() { remove(); }
  /// Removes the pass now. Evaluations already in progress may still run it.
  void remove() noexcept;

 private:
  uint64_t id_ = 0;  // 0: none
};

/// Adds a pass for everything evaluated from now on, on every device and by every thread: after the
/// pass `after`, else before the compiler's own (see compiler_passes). Passes at one place run in
/// the order in which they were added. Kernels and schedules made earlier are discarded, but a
/// captured call keeps its kernels.
///
/// The result of a pass is checked: it must be a graph of the same stage, with as many roots, each
/// with its old shape, dtype and device, over no other storage (a kernel: over just the same
/// PARAMs). If it is not, the evaluation throws ArgumentError naming the pass. Equal values are the
/// pass's own responsibility. Exceptions from `run` pass through. A pass must not evaluate tensors:
/// that, too, is an ArgumentError.
///
/// Throws ArgumentError for a name that is empty or in use, for no function, and for an `after`
/// that is no pass there. Thread-safe.
///
///     using namespace tg::patterns;
///     const auto sqrt = [](tg::Pattern p) { return tg::op(tg::Op::Sqrt, {p}); };
///     const tg::AddedPass mine = tg::add_pass(
///         tg::PassPoint::Graph,
///         tg::pass_of("join-roots", "one root instead of a product of two",
///                     {tg::rule("sqrt-product", sqrt(x) * sqrt(y), sqrt(x * y))}));
[[nodiscard]] TG_API AddedPass add_pass(PassPoint at, Pass pass, std::string_view after = {});

/// A row of the table of passes.
struct PassInfo {
  std::string name;
  std::string purpose;
  bool added;  ///< by the program
};
/// The passes in the order in which they run there, those that were added among them. The
/// compiler's own that only make kernels faster are left out under NOOPT.
TG_API std::vector<PassInfo> compiler_passes(PassPoint at);

}  // namespace tg
