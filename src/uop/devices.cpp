// Two walks: from users to sources, which devices want a value that lives nowhere; then from
// sources to users, the nodes again. See devices.h.
#include "uop/devices.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "support/check.h"
#include "support/symbol.h"
#include "tg/ir/walk.h"
#include "uop/device_groups.h"

namespace tg {
namespace {

class Resolver {
 public:
  explicit Resolver(std::span<const UOp> roots)
      : roots_(roots),
        order_(toposort(roots)),
        plain_(order_.size()),
        places_(order_.size()),
        kept_(order_.size()) {
    for (size_t i = 0; i < order_.size(); ++i) index_.emplace(order_[i], i);
  }

  std::vector<UOp> run(DeviceId home) {
    for (size_t i = 0; i < order_.size(); ++i) plain_[i] = is_plain(order_[i]);
    for (const UOp& r : roots_) {
      if (r.device() == 0 && home != 0) want(r.node(), home);
    }
    for (size_t i = order_.size(); i-- > 0;) want_sources(i);
    if (!any_wanted_) return {roots_.begin(), roots_.end()};
    for (size_t i = 0; i < order_.size(); ++i) rebuild(i);
    std::vector<UOp> out;
    for (const UOp& r : roots_) out.push_back(at(r.node(), r.device() == 0 ? home : r.device()));
    return out;
  }

 private:
  struct Place {
    DeviceId device;
    UOp node;
  };

  // A constant behind nothing but movement.
  bool is_plain(const Node* n) const {
    if (n->op == Op::Const) return true;
    return in_group(n->op, kMovement) && plain_[index_.at(n->src()[0])];
  }

  // Of movement only the first source is a value; the others are scalars in its indices, and sizes.
  static size_t values_of(const Node* n) {
    return in_group(n->op, kMovement) ? 1 : static_cast<size_t>(n->n_src);
  }

  void want(const Node* n, DeviceId device) {
    std::vector<Place>& places = places_[index_.at(n)];
    const auto is = [&](const Place& p) { return p.device == device; };
    if (std::ranges::any_of(places, is)) return;
    places.push_back({device, {}});
    any_wanted_ = true;
  }

  void want_sources(size_t i) {
    const Node* n = order_[i];
    for (const Node* s : n->src().first(values_of(n))) {
      if (s->device != 0) continue;
      if (n->device != 0) {
        if (n->op == Op::Copy || !plain_[index_.at(s)]) want(s, n->device);
      } else {
        for (const Place& p : places_[i]) want(s, p.device);
      }
    }
  }

  void rebuild(size_t i) {
    const Node* n = order_[i];
    kept_[i] = n->device == 0 ? UOp::share(n) : on(n, n->device);
    for (Place& p : places_[i]) p.node = on(n, p.device);
  }

  // The node as `device` reads it.
  UOp at(const Node* n, DeviceId device) const {
    const size_t i = index_.at(n);
    for (const Place& p : places_[i]) {
      if (p.device == device) return p.node;
    }
    return kept_[i];
  }

  UOp on(const Node* n, DeviceId device) const {
    switch (n->op) {
      case Op::Const:
      case Op::Iota:
        return make(n->op, {}, n->arg(), n->dtype, device);
      case Op::Var:
      case Op::Bind:
        return UOp::share(n);  // variables are known by their node
      case Op::Copy: {
        const Node* s = n->src()[0];
        const UOp source = at(s, s->device == 0 ? device : s->device);
        if (s->device == 0 && source.device() == device) return source;
        const bool same = source.node() == s && n->device == device;
        return same ? UOp::share(n) : make(Op::Copy, {source}, n->arg(), DType::Void, device);
      }
      default:
        break;
    }
    std::vector<UOp> src;
    const size_t values = values_of(n);
    for (size_t k = 0; k < n->n_src; ++k) {
      const Node* s = n->src()[k];
      src.push_back(k < values ? at(s, s->device == 0 ? device : s->device) : UOp::share(s));
    }
    // What variables alone make: an index is never stored, but what is computed from it may be.
    const bool of_indices = n->device == 0 && n->dtype != DType::Index && !src.empty() &&
                            src[0].dtype() == DType::Index;
    if (of_indices && std::ranges::all_of(src, [](const UOp& s) { return s.device() == 0; }))
      src[0] = src[0] + zero_like(src[0], device);
    return with_sources(UOp::share(n), src);
  }

  static UOp zero_like(const UOp& x, DeviceId device) {
    const auto bits = static_cast<int64_t>(Scalar::of_int(0, x.dtype()).bits());
    const UOp zero = make(Op::Const, {}, {{bits}}, x.dtype(), device);
    return expand(reshape(zero, Shape(x.shape().size(), 1)), x.shape_vec());
  }

  std::span<const UOp> roots_;
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, size_t> index_;
  std::vector<bool> plain_;
  std::vector<std::vector<Place>> places_;  // of what lives nowhere: where it is wanted
  std::vector<UOp> kept_;                   // what lives somewhere, and what nobody wants elsewhere
  bool any_wanted_ = false;
};

}  // namespace

DeviceId device_id_of(int64_t symbol) {
  if (symbol >= 0 && symbol <= std::numeric_limits<DeviceId>::max())
    return static_cast<DeviceId>(symbol);
  user_error<DeviceError>("device",
                          fmt::format("too many names are in use: the device is number {} of at "
                                      "most {}",
                                      symbol, std::numeric_limits<DeviceId>::max()),
                          "Hint: use the device before so many variables get names.");
}

DeviceId device_id(std::string_view name) {
  const DeviceId id = device_id_of(intern_symbol(name));
  note_group(id, name);
  return id;
}

UOp placed(const UOp& x, DeviceId device) {
  if (x.device() != 0 || device == 0) return x;
  return Resolver(std::span(&x, 1)).run(device).front();
}

std::vector<UOp> resolve_devices(std::span<const UOp> roots, DeviceId home) {
  return Resolver(roots).run(home);
}

}  // namespace tg
