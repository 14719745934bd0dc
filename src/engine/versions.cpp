// See versions.h.
#include "engine/versions.h"

#include "runtime/buffer.h"
#include "schedule/window.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

Buffer* buffer_of(const UOp& buffer_node) {
  return static_cast<Buffer*>(buffer_node.node()->resource);
}

}  // namespace

void check_versions(std::span<const UOp> buffers) {
  for (const UOp& b : buffers) {
    const Buffer* s = buffer_of(b);
    if (s == nullptr || s->executed_version() == 0 || s->executed_version() == b.arg(0)) continue;
    user_error<ArgumentError>(
        "realize",
        fmt::format("a value reads a tensor of shape {} that was overwritten in place by {} before "
                    "it was computed",
                    format_shape(b.shape()), overwriter_name(s->overwritten_by())),
        "Hint: realize() it before.");
  }
}

UOp next_version(const UOp& before) {
  Buffer* s = buffer_of(before);
  UOp now = buffer(before.shape_vec(), before.dtype(), before.device(), s);
  s->set_version(now.arg(0), Overwriter::Assignment);
  return now;
}

UOp over_versions(const UOp& view, const std::unordered_map<const Node*, UOp>& now) {
  const Node* below = storage_below(view.node());
  const Node* base = below;
  while (base->op == Op::After) base = base->src()[0];
  auto it = now.find(base);
  return substitute(view, {{below, it == now.end() ? UOp::share(base) : it->second}});
}

}  // namespace tg
