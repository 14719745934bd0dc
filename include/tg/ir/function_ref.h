// A non-owning reference to a callable: two words, no allocation, for arguments that are called
// during the call only. Not a replacement for std::function where the callable must outlive the
// call.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace tg {

template <typename Signature>
class FunctionRef;

/// Refers to any callable with this signature; the callable must live as long as the reference is
/// used.
template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
             std::is_invocable_r_v<R, F&, Args...>)
  FunctionRef(F&& f) noexcept {  // NOLINT(google-explicit-constructor): lambdas convert silently
    using Target = std::remove_reference_t<F>;
    if constexpr (std::is_function_v<Target>) {
      target_.function = reinterpret_cast<void (*)()>(&f);
      call_ = [](Storage s, Args... args) -> R {
        return reinterpret_cast<Target*>(s.function)(std::forward<Args>(args)...);
      };
    } else {
      target_.object = const_cast<void*>(static_cast<const void*>(std::addressof(f)));
      call_ = [](Storage s, Args... args) -> R {
        return (*static_cast<Target*>(s.object))(std::forward<Args>(args)...);
      };
    }
  }

  R operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

 private:
  union Storage {
    void* object;
    void (*function)();
  };
  Storage target_;
  R (*call_)(Storage, Args...);
};

}  // namespace tg
