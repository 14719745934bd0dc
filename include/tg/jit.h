// TinyJit: records the calls of a tensor function once and then replays them without building,
// scheduling or looking up anything.
//
//   tg::TinyJit step([&](const tg::Tensor& x, const tg::Tensor& y) {
//     const tg::Tensor loss = net(x).cross_entropy(y);
//     adam.step(loss);
//     return loss;
//   });
//   for (const auto& [x, y] : batches) loss = step(x, y);
//
// The first call runs the function, the second runs and records it, and later ones replay the
// recording on the new arguments without calling the function. So a replay sees only: the tensors
// among the arguments, other tensors that the function reads or assigns to (weights, running
// statistics, optimiser state: by their storage, so assignments between calls are seen), and the
// random number source. Numbers, shapes, branches and everything else on the host are as they were
// in the second call. More: docs/jit.md.
#pragma once

#include <array>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tg/export.h"
#include "tg/symbolic.h"
#include "tg/tensor.h"

namespace tg {

struct JitOptions {
  /// All calls return the same tensors, overwritten: cheaper, but the results of an earlier call
  /// change with the next.
  bool alias_outputs = false;
};

/// What a TinyJit has recorded.
struct JitStats {
  bool captured = false;
  int64_t launches = 0;  ///< of a replay
  int64_t kernels = 0;   ///< that these launches run: small ones that are independent share one
  int64_t launches_once =
      0;  ///< kernels more that run once, for they depend on nothing that calls change
  int64_t arena_bytes = 0;  ///< temporaries of all launches
  int64_t arena_bound = 0;  ///< bytes that live at once at least
};

namespace detail {

/// The tensors, the sizes and the numbers among the arguments of a call, in order.
struct JitArguments {
  std::vector<Tensor> tensors;
  std::vector<SymInt> sizes;
  std::vector<double> numbers;

  void add(const Tensor& t) { tensors.push_back(t); }
  void add(const std::vector<Tensor>& list) {
    tensors.insert(tensors.end(), list.begin(), list.end());
    numbers.push_back(static_cast<double>(list.size()));
  }
  void add(const SymInt& size) { sizes.push_back(size); }
  void add(const std::vector<SymInt>& list) {
    sizes.insert(sizes.end(), list.begin(), list.end());
    numbers.push_back(static_cast<double>(list.size()));
  }
  template <Number T>
  void add(T value) {
    numbers.push_back(static_cast<double>(value));
  }
};

/// The function on arguments whose tensors all have storage.
struct TG_API JitBody {
  virtual std::vector<Tensor> run(const std::vector<Tensor>& bound) = 0;

 protected:
  ~JitBody() = default;
};

/// Everything that does not depend on the function's type.
class TG_API JitCore {
 public:
  explicit JitCore(const JitOptions& options);
  ~JitCore();
  JitCore(JitCore&&) noexcept;
  JitCore& operator=(JitCore&&) noexcept;
  std::vector<Tensor> call(const JitArguments& arguments, JitBody& body);
  JitStats stats() const;
  void reset();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

inline const Tensor& bound_again(const Tensor&, const std::vector<Tensor>& bound, size_t& next) {
  return bound[next++];
}
inline std::vector<Tensor> bound_again(const std::vector<Tensor>& list,
                                       const std::vector<Tensor>& bound, size_t& next) {
  const auto first = bound.begin() + static_cast<std::ptrdiff_t>(next);
  next += list.size();
  return {first, first + static_cast<std::ptrdiff_t>(list.size())};
}
inline const SymInt& bound_again(const SymInt& size, const std::vector<Tensor>&, size_t&) {
  return size;
}
inline const std::vector<SymInt>& bound_again(const std::vector<SymInt>& list,
                                              const std::vector<Tensor>&, size_t&) {
  return list;
}
template <Number T>
T bound_again(T value, const std::vector<Tensor>&, size_t&) {
  return value;
}

template <typename A>
concept JitArgument =
    Number<A> || std::is_same_v<A, Tensor> || std::is_same_v<A, std::vector<Tensor>> ||
    std::is_same_v<A, SymInt> || std::is_same_v<A, std::vector<SymInt>>;

inline std::vector<Tensor> result_list(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> result_list(std::vector<Tensor> list) { return list; }
template <typename Tuple>
std::vector<Tensor> result_list(Tuple&& t) {
  return std::apply([](auto&&... x) { return std::vector<Tensor>{Tensor(x)...}; }, t);
}

template <typename R>
R result_from(std::vector<Tensor> list) {
  if constexpr (std::is_same_v<R, Tensor>) {
    return std::move(list[0]);
  } else if constexpr (std::is_same_v<R, std::vector<Tensor>>) {
    return list;
  } else {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return R{list[I]...};
    }(std::make_index_sequence<std::tuple_size_v<R>>());
  }
}

}  // namespace detail

/// Captures the function object `F`. Arguments: tensors, vectors of tensors, bound variables
/// (SymInt, expressions of them, vectors of them: with the values of each call), numbers. Result:
/// void, a tensor, a vector, pair, tuple or array of tensors; results are computed, in their own
/// storage. Every call must match the second in number, shape, dtype, device, view and shared
/// storage of its tensors, and in its numbers (ArgumentError); a Tensor made of a number is bound
/// at every call. Tensors cannot be read on the host inside the function (ArgumentError in the call
/// that records). Inside another captured function it becomes part of that one. Only one thread at
/// a time may use an object. Storage that replays need lives as long as the object.
template <typename F>
class TinyJit {
 public:
  explicit TinyJit(F f, const JitOptions& options = {}) : f_(std::move(f)), core_(options) {}

  template <typename... A>
  auto operator()(const A&... arguments) {
    static_assert((detail::JitArgument<A> && ...),
                  "a captured function takes tensors, sizes, vectors of these, and numbers");
    using R = std::decay_t<std::invoke_result_t<F&, const A&...>>;
    detail::JitArguments given;
    (given.add(arguments), ...);
    Body<A...> body(f_, arguments...);
    std::vector<Tensor> results = core_.call(given, body);
    if constexpr (!std::is_void_v<R>) return detail::result_from<R>(std::move(results));
  }

  JitStats stats() const { return core_.stats(); }
  /// Forgets the recording: the next call is a first one.
  void reset() { core_.reset(); }

 private:
  template <typename... A>
  struct Body final : detail::JitBody {
    Body(F& f, const A&... arguments) : f(f), arguments(arguments...) {}
    std::vector<Tensor> run(const std::vector<Tensor>& bound) override {
      size_t next = 0;
      return std::apply(
          [&](const A&... a) {
            // Braces: evaluated from left to right.
            std::tuple<A...> again{detail::bound_again(a, bound, next)...};
            if constexpr (std::is_void_v<std::invoke_result_t<F&, const A&...>>) {
              std::apply(f, std::as_const(again));
              return std::vector<Tensor>{};
            } else {
              return detail::result_list(std::apply(f, std::as_const(again)));
            }
          },
          arguments);
    }
    F& f;
    std::tuple<const A&...> arguments;
  };

  F f_;
  detail::JitCore core_;
};

/// `jit(f)`: a TinyJit of `f`.
template <typename F>
TinyJit<F> jit(F f, const JitOptions& options = {}) {
  return TinyJit<F>(std::move(f), options);
}

}  // namespace tg
