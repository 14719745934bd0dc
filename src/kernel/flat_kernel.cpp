// See flat_kernel.h.
#include "kernel/flat_kernel.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "kernel/affine.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr int64_t kLongest = int64_t{1} << 40;  // elements; addresses of them are 64-bit numbers

class Form {
 public:
  explicit Form(const UOp& kernel) : order_(toposort(kernel)) {}

  bool find() {
    for (const Node* n : order_) {
      if (n->op == Op::Range && (range_ != nullptr || !set_range(n))) return false;
    }
    return range_ != nullptr &&
           std::ranges::all_of(order_, [this](const Node* n) { return is_flat(n); });
  }

  int64_t extent() const { return range_->src()[0]->arg()[0]; }

  // Extents become `longest`, accesses are gated.
  UOp with_size(const UOp& size, int64_t longest) const {
    const UOp r = range(longest, 0);
    std::unordered_map<const Node*, UOp> done{{range_, r}};
    std::vector<UOp> src;
    for (const Node* n : order_) {
      if (n == range_) continue;
      const UOp u = UOp::share(n);
      if (n->op == Op::Param && walked(n)) {
        done.emplace(n, param(static_cast<int>(n->arg()[0]), {longest}, n->dtype));
        continue;
      }
      src.clear();
      for (const Node* s : n->src()) src.push_back(done.at(s));
      if (is_access(n) && walked(n->src()[0])) src.push_back(lt(r, size));
      done.emplace(n, with_sources(u, src));
    }
    return done.at(order_.back());
  }

 private:
  static bool is_access(const Node* n) { return n->op == Op::Load || n->op == Op::Store; }

  bool set_range(const Node* n) {
    range_ = n;
    return n->src()[0]->op == Op::Const;
  }

  // An array that the range walks from end to end.
  bool walked(const Node* param) const {
    return param->n_dim == 1 && param->shape()[0] == extent() && extent() > 1;
  }

  bool is_flat(const Node* n) const {
    switch (n->op) {
      case Op::Reduce:
      case Op::Stage:
      case Op::Var:
        return false;
      case Op::Load:
      case Op::Store:
        return is_flat_access(n);
      case Op::End:
        return n->n_src == 2 && n->src()[1] == range_;
      default:
        return std::ranges::find(n->src(), range_) == n->src().end();
    }
  }

  bool is_flat_access(const Node* n) const {
    const Node* array = n->src()[0];
    const size_t plain = (n->op == Op::Store ? size_t{2} : size_t{1}) + array->n_dim;
    if (array->op != Op::Param || n->n_src != plain) return false;
    if (walked(array)) return n->src()[1] == range_;
    return n->op == Op::Load && std::ranges::all_of(n->src().subspan(1), [](const Node* i) {
             return i->op == Op::Const;
           });
  }

  std::vector<const Node*> order_;
  const Node* range_ = nullptr;
};

}  // namespace

std::optional<FlatKernel> flat_form(const UOp& kernel, int64_t most_cached) {
  Form form(kernel);
  if (!form.find()) return std::nullopt;
  const int64_t longest = form.extent() <= most_cached ? most_cached : kLongest;
  const UOp size = variable("size", 1, longest);
  return FlatKernel{form.with_size(size, longest), size, form.extent()};
}

}  // namespace tg
