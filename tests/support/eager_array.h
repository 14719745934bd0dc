// A small eager array with NumPy's semantics, written to be obvious: storage is shared, a view is
// the list of places that its elements have in the storage. What lazy evaluation is tested against.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

namespace tg::test {

/// int32 elements that wrap.
struct EagerArray {
  std::shared_ptr<std::vector<int32_t>> storage;
  std::vector<int64_t> shape;
  std::vector<int64_t> places;  ///< row-major, one an element

  static EagerArray of(std::vector<int64_t> shape, std::vector<int32_t> data) {
    EagerArray a{std::make_shared<std::vector<int32_t>>(std::move(data)), std::move(shape), {}};
    a.places.resize(a.storage->size());
    std::iota(a.places.begin(), a.places.end(), 0);
    return a;
  }

  std::vector<int32_t> values() const {
    std::vector<int32_t> out;
    for (int64_t p : places) out.push_back((*storage)[static_cast<size_t>(p)]);
    return out;
  }

  /// In place; the values are known before the first is written.
  void assign(const std::vector<int32_t>& v) const {
    for (size_t i = 0; i < places.size(); ++i) (*storage)[static_cast<size_t>(places[i])] = v[i];
  }

  EagerArray reshape(std::vector<int64_t> to) const { return {storage, std::move(to), places}; }

  /// The elements at source(index) for every index of `to`.
  template <typename F>
  EagerArray view(std::vector<int64_t> to, F&& source) const {
    EagerArray out{storage, std::move(to), {}};
    std::vector<int64_t> index(out.shape.size(), 0);
    int64_t n = 1;
    for (int64_t d : out.shape) n *= d;
    for (int64_t flat = 0; flat < n; ++flat) {
      int64_t rest = flat, at = 0;
      for (size_t a = index.size(); a-- > 0; rest /= out.shape[a]) index[a] = rest % out.shape[a];
      const std::vector<int64_t> from = source(index);
      for (size_t a = 0; a < shape.size(); ++a) at = at * shape[a] + from[a];
      out.places.push_back(places[static_cast<size_t>(at)]);
    }
    return out;
  }
};

}  // namespace tg::test
