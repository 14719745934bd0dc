// Makes a record's implementation from a C++ function: `call<&Tensor::softmax>()` reads the
// function's signature, so that kinds in the manifest cannot differ from the code, and gives a
// function of values that converts, calls and wraps the result. Options of a function (its last
// parameter, an aggregate) are filled field by field from the parameters made by
// `field<&ReduceOptions::axis>()`.
#pragma once

#include <array>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tensor/records/record.h"
#include "tensor/records/value.h"
#include "tg/options.h"

namespace tg {

// ---- which C++ types arguments may have

/// The text of a record's "field of …"; only aggregates of options have one.
template <typename T>
inline constexpr std::string_view kOptionsOf = "";
template <>
inline constexpr std::string_view kOptionsOf<TensorOptions> = "field of TensorOptions";
template <>
inline constexpr std::string_view kOptionsOf<ReduceOptions> = "field of ReduceOptions";
template <>
inline constexpr std::string_view kOptionsOf<VarOptions> = "field of VarOptions";
template <>
inline constexpr std::string_view kOptionsOf<NormalizeOptions> = "field of NormalizeOptions";
template <>
inline constexpr std::string_view kOptionsOf<CloseOptions> = "field of CloseOptions";
template <>
inline constexpr std::string_view kOptionsOf<MaskedSelectOptions> = "field of MaskedSelectOptions";
template <>
inline constexpr std::string_view kOptionsOf<ArgOptions> = "field of ArgOptions";
template <>
inline constexpr std::string_view kOptionsOf<ConvOptions> = "field of ConvOptions";
template <>
inline constexpr std::string_view kOptionsOf<ConvTransposeOptions> =
    "field of ConvTransposeOptions";
template <>
inline constexpr std::string_view kOptionsOf<PoolOptions> = "field of PoolOptions";
template <>
inline constexpr std::string_view kOptionsOf<UnpoolOptions> = "field of UnpoolOptions";
template <>
inline constexpr std::string_view kOptionsOf<AttentionOptions> = "field of AttentionOptions";
template <>
inline constexpr std::string_view kOptionsOf<KeccakOptions> = "field of KeccakOptions";
template <>
inline constexpr std::string_view kOptionsOf<GridSampleOptions> = "field of GridSampleOptions";
template <>
inline constexpr std::string_view kOptionsOf<SolveTriangularOptions> =
    "field of SolveTriangularOptions";
template <>
inline constexpr std::string_view kOptionsOf<BatchNormOptions> = "field of BatchNormOptions";
template <>
inline constexpr std::string_view kOptionsOf<LayerNormOptions> = "field of LayerNormOptions";
template <>
inline constexpr std::string_view kOptionsOf<RmsNormOptions> = "field of RmsNormOptions";
template <>
inline constexpr std::string_view kOptionsOf<GroupNormOptions> = "field of GroupNormOptions";
template <>
inline constexpr std::string_view kOptionsOf<LossOptions> = "field of LossOptions";
template <>
inline constexpr std::string_view kOptionsOf<RangeOptions> = "field of RangeOptions";
template <>
inline constexpr std::string_view kOptionsOf<FullOptions> = "field of FullOptions";
template <>
inline constexpr std::string_view kOptionsOf<RandintOptions> = "field of RandintOptions";
template <>
inline constexpr std::string_view kOptionsOf<UniformOptions> = "field of UniformOptions";
template <>
inline constexpr std::string_view kOptionsOf<NormalOptions> = "field of NormalOptions";
template <>
inline constexpr std::string_view kOptionsOf<KaimingOptions> = "field of KaimingOptions";

/// The names of an enumeration's values; specialised for each that functions take.
template <typename E>
inline constexpr const FnChoices* kChoicesOf = nullptr;
extern const FnChoices kRoundings, kPadModes, kGeluForms, kReductions, kScatterReductions,
    kInterpolateModes, kGridIndexings, kGridSampleModes, kGridSamplePaddings, kKeccakVariants,
    kActivations;  // of layers: nn/sequence_records.cpp
template <>
inline constexpr const FnChoices* kChoicesOf<Rounding> = &kRoundings;
template <>
inline constexpr const FnChoices* kChoicesOf<PadMode> = &kPadModes;
template <>
inline constexpr const FnChoices* kChoicesOf<GeluForm> = &kGeluForms;
template <>
inline constexpr const FnChoices* kChoicesOf<Reduction> = &kReductions;
template <>
inline constexpr const FnChoices* kChoicesOf<ScatterReduction> = &kScatterReductions;
template <>
inline constexpr const FnChoices* kChoicesOf<InterpolateMode> = &kInterpolateModes;
template <>
inline constexpr const FnChoices* kChoicesOf<GridIndexing> = &kGridIndexings;
template <>
inline constexpr const FnChoices* kChoicesOf<GridSampleMode> = &kGridSampleModes;
template <>
inline constexpr const FnChoices* kChoicesOf<GridSamplePadding> = &kGridSamplePaddings;
template <>
inline constexpr const FnChoices* kChoicesOf<KeccakVariant> = &kKeccakVariants;

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

using PairList = std::vector<std::pair<int64_t, int64_t>>;

/// What a parameter `const Tensor&` is given: the tensor in the argument, or one made of a number.
class TensorArgument {
 public:
  explicit TensorArgument(const Tensor* in_argument) : in_argument_(in_argument) {}
  explicit TensorArgument(Tensor made) : made_(std::move(made)) {}
  const Tensor& operator*() const { return in_argument_ != nullptr ? *in_argument_ : *made_; }
  operator const Tensor&() const { return **this; }

 private:
  const Tensor* in_argument_ = nullptr;
  std::optional<Tensor> made_;
};

/// The kind of a C++ parameter or result type.
template <typename T>
constexpr FnType fn_type() {
  if constexpr (kIsOptional<T>)
    return fn_type<typename T::value_type>();
  else if constexpr (std::is_void_v<T>)
    return {};
  else if constexpr (std::is_enum_v<T> && !std::is_same_v<T, DType>)
    return {FnKind::Choice, kChoicesOf<T>};
  else if constexpr (std::is_same_v<T, bool>)
    return {FnKind::Bool};
  else if constexpr (std::is_integral_v<T>)
    return {FnKind::Int};
  else if constexpr (std::is_floating_point_v<T>)
    return {FnKind::Float};
  else if constexpr (std::is_same_v<T, DType>)
    return {FnKind::DType};
  else if constexpr (std::is_same_v<T, std::string>)
    return {FnKind::String};
  else if constexpr (std::is_same_v<T, Axes> || std::is_same_v<T, PerAxis> ||
                     std::is_same_v<T, std::vector<int64_t>>)
    return {FnKind::Ints};
  else if constexpr (std::is_same_v<T, PairList>)
    return {FnKind::Ints, nullptr, true};
  else if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, TensorArgument> ||
                     std::is_same_v<T, const Tensor*> || std::is_same_v<T, Tensor*>)
    return {FnKind::Tensor};
  else if constexpr (std::is_same_v<T, std::vector<Tensor>> ||
                     std::is_same_v<T, std::pair<Tensor, Tensor>>)
    return {FnKind::Tensors};
  else if constexpr (std::is_same_v<T, SymInt>)
    return {FnKind::Size};
  else if constexpr (std::is_same_v<T, Sizes> || std::is_same_v<T, std::vector<SymInt>>)
    return {FnKind::Sizes};
  else if constexpr (std::is_same_v<T, std::vector<IndexItem>>)
    return {FnKind::Index};
  else if constexpr (std::is_same_v<T, std::span<const std::byte>> ||
                     std::is_same_v<T, std::vector<std::byte>>)
    return {FnKind::Bytes};
  else
    return T::kFnType;  // objects: see nn/records
}

// ---- values to arguments

/// The tensor itself where only a tensor will do; it lives as long as the value. Functions that
/// take its address change what it stands for, never the Tensor.
const Tensor& as_tensor(const FnValue& v, const FnPlace& place);
PairList to_pairs(const FnValue& v, const FnPlace& place);

/// The value as a T; what was not given becomes "none" where T knows one, else the record's
/// default.
template <typename T>
T to_argument(const FnValue& v, const FnPlace& place) {
  if (!is_given(v)) {
    if constexpr (kIsOptional<T> || std::is_pointer_v<T>)
      return T{};
    else if constexpr (std::is_same_v<T, Axes> || std::is_same_v<T, std::string>)
      return T{};
    else
      return to_argument<T>(parse_default(place), place);
  }
  if constexpr (kIsOptional<T>)
    return to_argument<typename T::value_type>(v, place);
  else if constexpr (std::is_same_v<T, bool>)
    return to_bool(v, place);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(to_int(v, place));
  else if constexpr (std::is_floating_point_v<T>)
    return to_double(v, place);
  else if constexpr (std::is_same_v<T, DType>)
    return to_dtype(v, place);
  else if constexpr (std::is_enum_v<T>)
    return static_cast<T>(to_choice(v, *kChoicesOf<T>, place));
  else if constexpr (std::is_same_v<T, std::string>)
    return to_string(v, place);
  else if constexpr (fn_type<T>().pairs)
    return to_pairs(v, place);
  else if constexpr (fn_type<T>().kind == FnKind::Ints)
    return T(to_ints(v, place));
  else if constexpr (std::is_pointer_v<T>)
    return const_cast<T>(&as_tensor(v, place));
  else if constexpr (std::is_same_v<T, Tensor>)
    return to_tensor(v, place);
  else if constexpr (std::is_same_v<T, TensorArgument>) {
    const Tensor* const given = tensor_in(v);
    return given != nullptr ? T(given) : T(to_tensor(v, place));
  } else if constexpr (std::is_same_v<T, std::vector<Tensor>>)
    return to_tensors(v, place);
  else if constexpr (std::is_same_v<T, SymInt>)
    return to_size(v, place);
  else if constexpr (fn_type<T>().kind == FnKind::Sizes)
    return T(to_sizes(v, place));
  else if constexpr (std::is_same_v<T, std::vector<IndexItem>>)
    return to_items(v, place);
  else if constexpr (std::is_same_v<T, std::span<const std::byte>>)
    return to_bytes(v, place);
  else
    return T::from(v, place);
}

/// A function's result as a value.
template <typename R>
FnValue from_result(R&& r) {
  using T = std::decay_t<R>;
  if constexpr (std::is_same_v<T, std::pair<Tensor, Tensor>>)
    return std::vector<Tensor>{r.first, r.second};
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return static_cast<int64_t>(r);
  else if constexpr (std::is_same_v<T, std::vector<std::byte>>)
    return std::string(reinterpret_cast<const char*>(r.data()), r.size());
  else if constexpr (std::is_base_of_v<FnObject, T>)
    return std::static_pointer_cast<FnObject>(std::make_shared<T>(std::forward<R>(r)));
  else
    return FnValue(std::forward<R>(r));
}

// ---- functions to records

namespace detail {

/// The arguments of one call, read in order.
class FnReader {
 public:
  /// ArgumentError if there are more arguments than parameters or a required one is missing.
  FnReader(const FnRecord& record, std::span<const FnValue> arguments);

  template <typename T>
  T next() {
    if constexpr (!kOptionsOf<T>.empty()) {
      T options{};
      while (param_ < record_.params.size()) set_field(&options);
      return options;
    } else {
      const FnPlace place = this->place();
      const FnValue& v = take();
      return to_argument<T>(v, place);
    }
  }

 private:
  FnPlace place() const {
    if (self_) return {record_.name, "the tensor", ""};
    const FnParam& p = record_.params[param_];
    return {record_.name, p.name, p.default_value};
  }
  const FnValue& take() {
    const FnValue& v = next_ < arguments_.size() ? arguments_[next_] : kNotGiven;
    if (!is_given(v) && (self_ || record_.params[param_].default_value.empty())) missing();
    ++next_;
    if (!std::exchange(self_, false)) ++param_;
    return v;
  }
  [[noreturn]] void missing() const;
  void set_field(void* options);

  static const FnValue kNotGiven;

  const FnRecord& record_;
  std::span<const FnValue> arguments_;
  size_t param_ = 0;  // of the record; the tensor of a method stands before the first
  size_t next_ = 0;   // of the arguments
  bool self_;         // whether that tensor is next
};

// What an argument is read as before the function takes it.
template <typename A>
using Read = std::conditional_t<std::is_same_v<A, const Tensor&>, TensorArgument, std::decay_t<A>>;

template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename R, typename... A>
struct Signature<R (*)(A...)> {
  using Result = R;
  using Arguments = std::tuple<Read<A>...>;
};
template <typename R, typename C, typename... A>
struct Signature<R (C::*)(A...) const> {
  using Result = R;
  // The members of a closure are called without it, those of Tensor with it.
  using Arguments =
      std::conditional_t<std::is_same_v<C, Tensor>, std::tuple<TensorArgument, Read<A>...>,
                         std::tuple<Read<A>...>>;
};

template <auto F, typename... A>
FnValue invoke(const FnRecord& record, std::span<const FnValue> arguments, std::tuple<A...>*) {
  FnReader reader(record, arguments);
  // Braces: read from left to right.
  const std::tuple<A...> values{reader.next<A>()...};
  using R = typename Signature<decltype(F)>::Result;
  if constexpr (std::is_void_v<R>) {
    std::apply(F, values);
    return {};
  } else {
    return from_result(std::apply(F, values));
  }
}

template <typename... A>
constexpr bool takes_self(std::tuple<A...>*) {
  if constexpr (sizeof...(A) == 0)
    return false;
  else
    return std::is_same_v<std::tuple_element_t<0, std::tuple<A...>>, Tensor> ||
           std::is_same_v<std::tuple_element_t<0, std::tuple<A...>>, TensorArgument>;
}

// The types of all parameters but a method's tensor and the options.
template <typename... A>
std::vector<FnType> positional(std::tuple<A...>*) {
  std::vector<FnType> types;
  (
      [&] {
        if constexpr (kOptionsOf<A>.empty()) types.push_back(fn_type<A>());
      }(),
      ...);
  if (takes_self(static_cast<std::tuple<A...>*>(nullptr))) types.erase(types.begin());
  return types;
}

template <typename M>
struct Member;
template <typename C, typename T>
struct Member<T C::*> {
  using Class = C;
  using Type = T;
};

}  // namespace detail

/// The implementation of a record: a function pointer, a member function of Tensor, or a closure
/// without captures. One whose first parameter is a Tensor is a method of it.
template <auto F>
FnCall call() {
  using S = detail::Signature<decltype(F)>;
  using Arguments = typename S::Arguments;
  constexpr Arguments* kNone = nullptr;
  return {.invoke =
              [](const FnRecord& record, std::span<const FnValue> arguments) {
                return detail::invoke<F>(record, arguments, static_cast<Arguments*>(nullptr));
              },
          .takes = detail::positional(kNone),
          .result = fn_type<std::decay_t<typename S::Result>>(),
          .method = detail::takes_self(kNone)};
}

/// A parameter that is a tensor or a number.
FnParam operand(std::string_view name, std::string_view default_value, std::string_view meaning);

/// The parameter that fills a field of the function's options.
template <auto M>
FnParam field(std::string_view name, std::string_view default_value, std::string_view meaning,
              std::string_view unit = "") {
  using Class = typename detail::Member<decltype(M)>::Class;
  using Type = typename detail::Member<decltype(M)>::Type;
  return {.name = name,
          .type = kOptionsOf<Class>,
          .default_value = default_value,
          .meaning = meaning,
          .unit = unit,
          .field = fn_type<Type>(),
          .set = [](void* options, const FnValue& v, const FnPlace& place) {
            static_cast<Class*>(options)->*M = to_argument<Type>(v, place);
          }};
}

}  // namespace tg
