// See value.h. Conversions take what a program of another language would write: a whole number
// where a float, a tensor or a size is wanted, one element where a list is wanted, the name of a
// choice. Nothing is rounded or cut.
#include "tensor/records/value.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "support/check.h"
#include "tensor/records/call.h"

namespace tg {

FnObject::~FnObject() = default;

namespace {

constexpr std::array<std::string_view, kNumFnKinds> kKindNames = {
    "none",    "bool", "int",   "float", "dtype", "string", "ints",      "tensor",
    "tensors", "size", "sizes", "index", "bytes", "layer",  "optimizer", "choice"};

constexpr std::array<std::string_view, 3> kRoundingNames = {"None", "Trunc", "Floor"};
constexpr std::array<std::string_view, 3> kPadModeNames = {"Reflect", "Replicate", "Circular"};
constexpr std::array<std::string_view, 2> kGeluFormNames = {"Tanh", "Erf"};
constexpr std::array<std::string_view, 3> kReductionNames = {"None", "Mean", "Sum"};
constexpr std::array<std::string_view, 5> kScatterReductionNames = {"Sum", "Mean", "Prod", "Max",
                                                                    "Min"};
constexpr std::array<std::string_view, 3> kInterpolateModeNames = {"Linear", "Nearest",
                                                                   "NearestExact"};
constexpr std::array<std::string_view, 2> kGridIndexingNames = {"Ij", "Xy"};
constexpr std::array<std::string_view, 2> kGridSampleModeNames = {"Linear", "Nearest"};
constexpr std::array<std::string_view, 3> kGridSamplePaddingNames = {"Zeros", "Border",
                                                                     "Reflection"};
constexpr std::array<std::string_view, 2> kActivationNames = {"Relu", "Gelu"};
constexpr std::array<std::string_view, 6> kKeccakVariantNames = {
    "Sha3_224", "Sha3_256", "Sha3_384", "Sha3_512", "Shake128", "Shake256"};

[[noreturn]] void wrong(const FnPlace& place, std::string_view wanted, const FnValue& v) {
  user_error<ArgumentError>(place.function, fmt::format("{} must be {}, not {}", place.parameter,
                                                        wanted, fn_kind_name(kind_of(v))));
}

// "nearest-exact" and "nearest_exact" are NearestExact.
std::string letters_of(std::string_view name) {
  std::string out;
  for (const unsigned char c : name) {
    if (c != '-' && c != '_') out += static_cast<char>(std::tolower(c));
  }
  return out;
}
bool same_letters(std::string_view a, std::string_view b) { return letters_of(a) == letters_of(b); }

// The list of whole numbers that the value holds or lends.
std::optional<std::span<const int64_t>> ints_in(const FnValue& v) {
  if (const auto* lent = std::get_if<LentInts>(&v)) return lent->list;
  if (const auto* list = std::get_if<std::vector<int64_t>>(&v)) return *list;
  return std::nullopt;
}

std::string joined(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const FnChoices kRoundings = {"Rounding", kRoundingNames};
const FnChoices kPadModes = {"PadMode", kPadModeNames};
const FnChoices kGeluForms = {"GeluForm", kGeluFormNames};
const FnChoices kReductions = {"Reduction", kReductionNames};
const FnChoices kScatterReductions = {"ScatterReduction", kScatterReductionNames};
const FnChoices kInterpolateModes = {"InterpolateMode", kInterpolateModeNames};
const FnChoices kGridIndexings = {"GridIndexing", kGridIndexingNames};
const FnChoices kGridSampleModes = {"GridSampleMode", kGridSampleModeNames};
const FnChoices kGridSamplePaddings = {"GridSamplePadding", kGridSamplePaddingNames};
const FnChoices kActivations = {"Activation", kActivationNames};
const FnChoices kKeccakVariants = {"KeccakVariant", kKeccakVariantNames};

std::span<const FnChoices* const> fn_choices() {
  static constexpr std::array<const FnChoices*, 11> kAll = {
      &kActivations,        &kGeluForms,        &kGridIndexings,    &kGridSampleModes,
      &kGridSamplePaddings, &kInterpolateModes, &kKeccakVariants,   &kPadModes,
      &kReductions,         &kRoundings,        &kScatterReductions};
  return kAll;
}

std::string_view fn_kind_name(FnKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

FnKind kind_of(const FnValue& v) {
  if (const auto* object = std::get_if<std::shared_ptr<FnObject>>(&v)) return (*object)->kind();
  if (std::holds_alternative<LentTensor>(v)) return FnKind::Tensor;
  if (std::holds_alternative<LentInts>(v)) return FnKind::Ints;
  return static_cast<FnKind>(v.index());
}
static_assert(std::is_same_v<std::variant_alternative_t<size_t(FnKind::Bytes), FnValue>,
                             std::span<const std::byte>>,
              "the alternatives stand in the order of the kinds");

bool to_bool(const FnValue& v, const FnPlace& place) {
  if (const bool* b = std::get_if<bool>(&v)) return *b;
  const int64_t* i = std::get_if<int64_t>(&v);
  if (i == nullptr || (*i != 0 && *i != 1)) wrong(place, "true or false", v);
  return *i == 1;
}

int64_t to_int(const FnValue& v, const FnPlace& place) {
  if (const int64_t* i = std::get_if<int64_t>(&v)) return *i;
  if (const bool* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  if (const SymInt* s = std::get_if<SymInt>(&v); s != nullptr && s->is_number()) return s->number();
  wrong(place, "a whole number", v);
}

double to_double(const FnValue& v, const FnPlace& place) {
  if (const double* d = std::get_if<double>(&v)) return *d;
  if (const int64_t* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
  if (const bool* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  wrong(place, "a number", v);
}

DType to_dtype(const FnValue& v, const FnPlace& place) {
  if (const DType* d = std::get_if<DType>(&v)) return *d;
  wrong(place, "a dtype", v);
}

std::string to_string(const FnValue& v, const FnPlace& place) {
  if (const std::string* s = std::get_if<std::string>(&v)) return *s;
  wrong(place, "a string", v);
}

std::vector<int64_t> to_ints(const FnValue& v, const FnPlace& place) {
  if (const auto list = ints_in(v)) return {list->begin(), list->end()};
  if (const auto* sizes = std::get_if<std::vector<SymInt>>(&v)) {
    std::vector<int64_t> out;
    for (const SymInt& s : *sizes) out.push_back(to_int(FnValue(s), place));
    return out;
  }
  if (std::holds_alternative<int64_t>(v) || std::holds_alternative<SymInt>(v))
    return {to_int(v, place)};
  wrong(place, "whole numbers", v);
}

PairList to_pairs(const FnValue& v, const FnPlace& place) {
  const std::vector<int64_t> flat = to_ints(v, place);
  if (flat.size() % 2 != 0)
    user_error<ArgumentError>(place.function,
                              fmt::format("{} must be pairs of numbers, but there are {} numbers",
                                          place.parameter, flat.size()));
  PairList out;
  for (size_t i = 0; i < flat.size(); i += 2) out.emplace_back(flat[i], flat[i + 1]);
  return out;
}

const Tensor& as_tensor(const FnValue& v, const FnPlace& place) {
  if (const Tensor* t = tensor_in(v)) return *t;
  wrong(place, "a tensor", v);
}

Tensor to_tensor(const FnValue& v, const FnPlace& place) {
  if (const bool* b = std::get_if<bool>(&v)) return Tensor(*b);
  if (const int64_t* i = std::get_if<int64_t>(&v)) return Tensor(*i);
  if (const double* d = std::get_if<double>(&v)) return Tensor(*d);
  if (const SymInt* s = std::get_if<SymInt>(&v)) return Tensor(*s);
  return as_tensor(v, place);
}

std::vector<Tensor> to_tensors(const FnValue& v, const FnPlace& place) {
  if (const auto* list = std::get_if<std::vector<Tensor>>(&v)) return *list;
  return {to_tensor(v, place)};
}

SymInt to_size(const FnValue& v, const FnPlace& place) {
  if (const SymInt* s = std::get_if<SymInt>(&v)) return *s;
  return to_int(v, place);
}

std::vector<SymInt> to_sizes(const FnValue& v, const FnPlace& place) {
  if (const auto* sizes = std::get_if<std::vector<SymInt>>(&v)) return *sizes;
  if (const auto list = ints_in(v)) return {list->begin(), list->end()};
  if (const SymInt* s = std::get_if<SymInt>(&v)) return {*s};
  const std::vector<int64_t> list = to_ints(v, place);
  return {list.begin(), list.end()};
}

std::vector<IndexItem> to_items(const FnValue& v, const FnPlace& place) {
  if (const auto* items = std::get_if<std::vector<IndexItem>>(&v)) return *items;
  if (const Tensor* t = tensor_in(v)) return {IndexItem(*t)};
  std::vector<IndexItem> out;
  for (const SymInt& s : to_sizes(v, place)) out.emplace_back(s);
  return out;
}

std::span<const std::byte> to_bytes(const FnValue& v, const FnPlace& place) {
  if (const auto* bytes = std::get_if<std::span<const std::byte>>(&v)) return *bytes;
  wrong(place, "bytes", v);
}

int64_t to_choice(const FnValue& v, const FnChoices& choices, const FnPlace& place) {
  if (const std::string* s = std::get_if<std::string>(&v)) {
    for (size_t i = 0; i < choices.names.size(); ++i) {
      if (same_letters(*s, choices.names[i])) return static_cast<int64_t>(i);
    }
    user_error<ArgumentError>(
        place.function,
        fmt::format("{} must be one of {}, not '{}'", place.parameter, joined(choices.names), *s));
  }
  const int64_t i = to_int(v, place);
  if (i < 0 || i >= static_cast<int64_t>(choices.names.size()))
    user_error<ArgumentError>(place.function,
                              fmt::format("{} must be one of {}, which count from 0, not {}",
                                          place.parameter, joined(choices.names), i));
  return i;
}

FnValue parse_default(const FnPlace& place) {
  const std::string_view text = place.default_value;
  if (text == "true" || text == "false") return text == "true";
  const char* const end = text.data() + text.size();
  int64_t whole = 0;
  if (const auto [p, e] = std::from_chars(text.data(), end, whole); e == std::errc() && p == end)
    return whole;
  double number = 0;
  const auto [p, e] = std::from_chars(text.data(), end, number);
  if (e == std::errc() && p == end) return number;
  double divisor = 0;
  if (e == std::errc() && *p == '/') {
    if (const auto [q, f] = std::from_chars(p + 1, end, divisor); f == std::errc() && q == end)
      return number / divisor;
  }
  return std::string(text);
}

}  // namespace tg
