// One walk over the table of values in its order: what a call needs stands before it, but for the
// states of NumPy's objects, which are looked at in a second walk. Meanings that are values of
// their own are added to the table.
#include "nn/format/torch_meaning.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "nn/format/npy.h"
#include "nn/format/torch_names.h"
#include "nn/format/utf8.h"
#include "support/check.h"

namespace tg::nn {

void fail_torch(const TorchFile& file, std::string_view problem) {
  user_error<FileError>("read_torch", fmt::format("\"{}\" {}", file.source.name(), problem));
}

std::string torch_key(const TorchFile& file, const PickleNode& node) {
  constexpr size_t kMostText = 4096, kMostBytes = 16;
  if (node.kind == PickleKind::Text && node.text.size() <= kMostText) return node.text;
  if (node.kind == PickleKind::Int) return fmt::format("{}", node.number);
  if (node.kind == PickleKind::LargeInt && node.text.size() <= kMostBytes) {
    std::string key = "large";
    for (const char c : node.text) key += fmt::format(" {:02x}", static_cast<uint8_t>(c));
    return key;
  }
  fail_torch(file, "has a storage whose name is neither a short text nor a number");
}

uint32_t add_torch_tensor(TorchFile& file, TorchTensor t) {
  constexpr size_t kMostAxes = 64;
  const auto refuse = [&](std::string_view problem) {
    fail_torch(
        file, fmt::format("has a tensor of sizes [{}], strides [{}] and offset {}: {}",
                          fmt::join(t.shape, ", "), fmt::join(t.strides, ", "), t.offset, problem));
  };
  if (t.shape.size() != t.strides.size() || t.shape.size() > kMostAxes)
    refuse("they do not fit together");
  const auto is_negative = [](int64_t n) { return n < 0; };
  if (std::any_of(t.shape.begin(), t.shape.end(), is_negative) ||
      std::any_of(t.strides.begin(), t.strides.end(), is_negative))
    refuse("one is negative");
  const TorchStorage& storage = file.storages[t.storage];
  const auto element = static_cast<uint64_t>(dtype_size(t.dtype));
  const bool is_empty = std::find(t.shape.begin(), t.shape.end(), 0) != t.shape.end();
  uint64_t last = t.offset, count = element;
  bool overflow = false;
  for (size_t i = 0; i < t.shape.size(); ++i) {
    const auto size = static_cast<uint64_t>(t.shape[i]);
    uint64_t reach = 0;
    overflow |= __builtin_mul_overflow(count, std::max<uint64_t>(size, 1), &count);
    if (is_empty) continue;
    overflow |= __builtin_mul_overflow(size - 1, static_cast<uint64_t>(t.strides[i]), &reach);
    overflow |= __builtin_add_overflow(last, reach, &last);
  }
  if (overflow || count > INT64_MAX) refuse("they overflow");
  if (!is_empty && last >= storage.bytes / element)
    refuse(fmt::format("it reads element {} of a storage of {}", last, storage.bytes / element));
  file.tensors.push_back(std::move(t));
  return static_cast<uint32_t>(file.tensors.size() - 1);
}

namespace {

using Kind = TorchName::Kind;
using Meaning = TorchMeaning::Kind;

class Interpreter {
 public:
  Interpreter(TorchFile& file, TorchParts& parts, UnknownClass unknown)
      : file_(file), parts_(parts), unknown_(unknown) {}

  void run() {
    const auto count = static_cast<uint32_t>(file_.pickle.nodes.size());
    file_.meanings.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
      const PickleKind kind = node(i).kind;
      if (kind == PickleKind::Global) meet_global(i);
      if (kind == PickleKind::Persistent) meet_persistent(i);
      if (kind == PickleKind::Call) meet_call(i);
    }
    for (const auto& [i, what] : later_) what == Kind::Array ? meet_array(i) : meet_scalar(i);
    for (const uint32_t i : dicts_) add_pairs(i);
  }

 private:
  const PickleNode& node(uint32_t i) const { return file_.pickle.nodes[i]; }
  [[noreturn]] void fail(std::string_view problem) const { fail_torch(file_, problem); }
  void mean(uint32_t i, Meaning kind, uint32_t index, DType dtype = DType::Void) {
    file_.meanings[i] = {kind, index, dtype};
  }

  // A new value, and that `i` is it.
  PickleNode& mean_new(uint32_t i, PickleKind kind) {
    mean(i, Meaning::SameAs, static_cast<uint32_t>(file_.pickle.nodes.size()));
    file_.meanings.emplace_back();
    PickleNode& made = file_.pickle.nodes.emplace_back();
    made.kind = kind;
    return made;
  }

  // ---- values as what they must be

  const PickleNode& resolved(uint32_t i) const { return node(file_.resolve(i)); }
  const std::vector<uint32_t>& items(uint32_t i, std::string_view what) const {
    const PickleNode& n = resolved(i);
    if (n.kind != PickleKind::Tuple && n.kind != PickleKind::List)
      fail(fmt::format("has {} that are no list", what));
    return n.items;
  }
  int64_t whole(uint32_t i, std::string_view what) const {
    const PickleNode& n = resolved(i);
    if (n.kind != PickleKind::Int) fail(fmt::format("has {} that is no whole number", what));
    return n.number;
  }
  uint64_t count(uint32_t i, std::string_view what) const {
    const int64_t n = whole(i, what);
    if (n < 0) fail(fmt::format("has {} of {}", what, n));
    return static_cast<uint64_t>(n);
  }
  std::vector<int64_t> wholes(uint32_t i, std::string_view what) const {
    constexpr size_t kMost = 64;
    if (items(i, what).size() > kMost)
      fail(fmt::format("has {} that are more than {}", what, kMost));
    std::vector<int64_t> out;
    for (const uint32_t item : items(i, what)) out.push_back(whole(item, what));
    return out;
  }
  const std::string& text(uint32_t i, std::string_view what) const {
    const PickleNode& n = resolved(i);
    if (n.kind != PickleKind::Text && n.kind != PickleKind::Bytes)
      fail(fmt::format("has {} that is no text", what));
    return n.text;
  }
  // What a call was given. A tuple never changes, so all of it stands before the call.
  const std::vector<uint32_t>& arguments(uint32_t call) const {
    const PickleNode& given = node(node(call).items[1]);
    if (given.kind != PickleKind::Tuple)
      fail(fmt::format("has a call of {} whose arguments are no tuple", name_of(call)));
    return given.items;
  }
  uint32_t argument(uint32_t call, size_t i) const {
    if (i >= arguments(call).size())
      fail(
          fmt::format("has a call of {} with {} arguments", name_of(call), arguments(call).size()));
    return arguments(call)[i];
  }
  std::string name_of(uint32_t call) const {
    std::string name = node(node(call).items[0]).text;
    std::replace(name.begin(), name.end(), ' ', '.');
    return name;
  }

  // ---- names

  void meet_global(uint32_t i) {
    const std::optional<TorchName> known = torch_name(node(i).text);
    if (!known) return meet_unknown(i, i);
    if (known->kind == Kind::Refused)
      fail(fmt::format("has elements of {}, which are not read", dotted(node(i).text)));
    if (known->kind == Kind::Type) mean(i, Meaning::Type, 0, known->dtype);
  }
  static std::string dotted(std::string name) {
    std::replace(name.begin(), name.end(), ' ', '.');
    return name;
  }
  void meet_unknown(uint32_t i, uint32_t named) {
    if (unknown_ == UnknownClass::Keep) return mean(i, Meaning::Unknown, named);
    user_error<FileError>(
        "read_torch",
        fmt::format("\"{}\" names {}, which no tensor is made of", file_.source.name(),
                    dotted(node(named).text)),
        "Nothing in a file is run. Hint: {.skip_unknown = true} leaves out what is made by it.");
  }

  // ---- storages

  void meet_persistent(uint32_t i) {
    const uint32_t name = node(i).items[0];
    if (node(name).kind != PickleKind::Tuple) return meet_listed_tensor(i, name);
    const auto& parts = node(name).items;
    if (parts.size() < 5 || text(parts[0], "the kind of a storage") != "storage")
      fail("has something stored that is no storage");
    const PickleNode& type = resolved(parts[1]);
    const auto known = type.kind == PickleKind::Global ? torch_name(type.text) : std::nullopt;
    if (!known || known->kind != Kind::Storage) fail("has a storage of an unknown type");
    const auto element = static_cast<uint64_t>(dtype_size(known->dtype));
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(count(parts[4], "the size of a storage"), element, &bytes))
      fail("has a storage whose size overflows");
    const uint32_t storage = storage_of(torch_key(file_, resolved(parts[2])), bytes);
    mean(i, Meaning::Storage, storage, known->dtype);
    if (parts.size() > 5 && resolved(parts[5]).kind != PickleKind::None)
      file_.meanings[i].begin = begin_of_part(storage, parts[5], element);
  }
  // In the first format a name is that of a tensor.
  void meet_listed_tensor(uint32_t i, uint32_t name) {
    const std::string key = torch_key(file_, node(name));
    const auto found = parts_.tensors.find(key);
    if (found == parts_.tensors.end()) fail(fmt::format("has no tensor {}", printable(key)));
    mean(i, Meaning::Tensor, found->second);
  }
  uint32_t storage_of(const std::string& key, uint64_t bytes) {
    const auto [found, is_new] =
        parts_.storages.emplace(key, static_cast<uint32_t>(file_.storages.size()));
    if (is_new) file_.storages.push_back({.key = key, .bytes = bytes});
    if (file_.storages[found->second].bytes != bytes)
      fail(fmt::format("has a storage {} of {} bytes and of {}", printable(key),
                       file_.storages[found->second].bytes, bytes));
    return found->second;
  }
  // The first byte of a part of a storage: (its name, offset, elements).
  uint64_t begin_of_part(uint32_t storage, uint32_t description, uint64_t element) const {
    const auto& parts = items(description, "the parts of a storage");
    if (parts.size() != 3) fail("has a part of a storage with other than three numbers");
    uint64_t begin = 0, bytes = 0;
    const TorchStorage& root = file_.storages[storage];
    if (__builtin_mul_overflow(count(parts[1], "the offset of a storage"), element, &begin) ||
        __builtin_mul_overflow(count(parts[2], "the size of a storage"), element, &bytes) ||
        begin > root.bytes || bytes > root.bytes - begin)
      fail(fmt::format("has a part of storage {} that reaches beyond it", printable(root.key)));
    return begin;
  }

  // ---- calls

  void meet_call(uint32_t i) {
    const uint32_t called = file_.resolve(node(i).items[0]);
    if (file_.meanings[called].kind == Meaning::Unknown)
      return mean(i, Meaning::Unknown, file_.meanings[called].index);
    const auto known =
        node(called).kind == PickleKind::Global ? torch_name(node(called).text) : std::nullopt;
    if (!known) fail("calls what is no function");
    meet_known(i, called, known->kind);
  }
  void meet_known(uint32_t i, uint32_t called, Kind kind) {
    switch (kind) {
      case Kind::Rebuild:
      case Kind::RebuildV3:
        return meet_tensor(i, kind);
      case Kind::FirstOf:
        if (arguments(i).empty()) {
          mean_new(i, PickleKind::Tuple);
          return;
        }
        return mean(i, Meaning::SameAs, argument(i, 0));
      case Kind::OfClass:
        return meet_subclass(i);
      case Kind::Dict:
      case Kind::DefaultDict:
        dicts_.push_back(i);
        return mean(i, Meaning::Dict, kind == Kind::Dict ? 0 : 1);
      case Kind::Device:
        return meet_device(i);
      case Kind::Encode:
        return meet_encode(i);
      case Kind::Array:
      case Kind::Scalar:
        return later_.emplace_back(i, kind), void();
      case Kind::ArrayType:
        return;
      default:
        fail(fmt::format("calls {}", dotted(node(called).text)));
    }
  }

  void meet_tensor(uint32_t i, Kind kind) {
    const TorchMeaning& storage = file_.meanings[file_.resolve(argument(i, 0))];
    if (storage.kind != Meaning::Storage) fail("has a tensor without a storage");
    TorchTensor t = {.storage = storage.index,
                     .dtype = storage.dtype,
                     .offset = count(argument(i, 1), "the offset of a tensor"),
                     .shape = wholes(argument(i, 2), "the sizes of a tensor"),
                     .strides = wholes(argument(i, 3), "the strides of a tensor")};
    if (kind == Kind::RebuildV3) {
      const TorchMeaning& type = file_.meanings[file_.resolve(argument(i, 6))];
      if (type.kind != Meaning::Type) fail("has a tensor of an unknown type");
      t.dtype = type.dtype;
    }
    const uint64_t first = storage.begin / static_cast<uint64_t>(dtype_size(t.dtype));
    if (__builtin_add_overflow(t.offset, first, &t.offset)) fail("has an offset that overflows");
    mean(i, Meaning::Tensor, add_torch_tensor(file_, std::move(t)));
  }
  // (function, class, arguments, state): the function's call stands nowhere, so it is made.
  void meet_subclass(uint32_t i) {
    const uint32_t made = static_cast<uint32_t>(file_.pickle.nodes.size());
    const std::vector<uint32_t> call = {argument(i, 0), argument(i, 2)};
    mean_new(i, PickleKind::Call).items = call;
    if (const auto known = torch_name(node(file_.resolve(call[0])).text);
        known && known->kind == Kind::OfClass)
      fail("has a tensor whose class is made by itself");
    meet_call(made);
  }
  void meet_device(uint32_t i) {
    std::string name = text(argument(i, 0), "a device");
    if (arguments(i).size() > 1) name += fmt::format(":{}", whole(argument(i, 1), "a device"));
    mean_new(i, PickleKind::Text).text = std::move(name);
  }
  void meet_encode(uint32_t i) {
    const std::string& utf8 = text(argument(i, 0), "bytes");
    const std::string coding = arguments(i).size() > 1 ? text(argument(i, 1), "a coding") : "utf-8";
    if (coding != "latin1" && coding != "latin-1" && coding != "utf-8" && coding != "utf8")
      fail(fmt::format("has bytes in the coding \"{}\"", printable(coding)));
    const bool is_latin = !coding.starts_with("utf");
    const auto [found, is_new] =
        encoded_.emplace(std::pair(file_.resolve(argument(i, 0)), is_latin), 0);
    if (!is_new) return mean(i, Meaning::SameAs, found->second);
    found->second = static_cast<uint32_t>(file_.pickle.nodes.size());
    std::string bytes = is_latin ? latin1_of(utf8) : utf8;
    mean_new(i, PickleKind::Bytes).text = std::move(bytes);
  }
  std::string latin1_of(std::string_view utf8) const {
    std::string out;
    for (size_t k = 0; k < utf8.size(); ++k) {
      const auto c = static_cast<uint8_t>(utf8[k]);
      const bool two = (c == 0xc2 || c == 0xc3) && k + 1 < utf8.size();
      if (c >= 0x80 && !two) fail("has bytes that are not Latin-1");
      out.push_back(two ? static_cast<char>((c & 3) << 6 | (utf8[++k] & 0x3f)) : utf8[k]);
    }
    return out;
  }

  // ---- dicts that are made from pairs, as Python 2 wrote them

  void add_pairs(uint32_t i) {
    const size_t first = file_.meanings[i].index;
    if (arguments(i).size() <= first) return;
    std::vector<uint32_t> entries;
    const PickleNode& made_of = resolved(argument(i, first));
    if (made_of.kind == PickleKind::Dict) entries = made_of.entries;
    if (made_of.kind != PickleKind::Dict) {
      for (const uint32_t pair : items(argument(i, first), "the pairs of a dict")) {
        const auto& both = items(pair, "the pairs of a dict");
        if (both.size() != 2) fail("has a pair of other than two values");
        entries.insert(entries.end(), both.begin(), both.end());
      }
    }
    constexpr size_t kMostPairs = 1 << 23;
    pairs_ += entries.size() / 2;
    if (pairs_ > kMostPairs) fail(fmt::format("has dicts made of more than {} pairs", kMostPairs));
    PickleNode& dict = file_.pickle.nodes[i];
    entries.insert(entries.end(), dict.entries.begin(), dict.entries.end());
    dict.entries = std::move(entries);
  }

  // ---- NumPy

  // What numpy.dtype("f4") with the state (3, "<", …) is in the header of a file of NumPy: "<f4".
  NpyType array_type(uint32_t i) const {
    const PickleNode& call = resolved(i);
    const auto known =
        call.kind == PickleKind::Call && node(call.items[0]).kind == PickleKind::Global
            ? torch_name(node(call.items[0]).text)
            : std::nullopt;
    if (!known || known->kind != Kind::ArrayType) fail("has an array of an unknown type");
    std::string name = "|";
    if (call.state != PickleNode::kNoState) {
      const auto& state = items(call.state, "the state of a type");
      if (state.size() > 1) name = text(state[1], "an order of bytes");
    }
    name += text(argument(file_.resolve(i), 0), "the name of a type");
    const auto type = npy_type(name);
    if (!type) fail(fmt::format("has an array of type \"{}\", which is not read", printable(name)));
    return *type;
  }
  void meet_array(uint32_t i) {
    if (node(i).state == PickleNode::kNoState) fail("has an array without contents");
    const auto& state = items(node(i).state, "the state of an array");
    if (state.size() != 5) fail("has an array whose state has other than five parts");
    const NpyType type = array_type(state[2]);
    const bool fortran =
        resolved(state[3]).kind == PickleKind::Bool && resolved(state[3]).number != 0;
    const auto swapped = static_cast<uint32_t>(type.swapped ? dtype_size(type.dtype) : 0);
    TorchTensor t = {.storage = array_storage(state[4], swapped),
                     .dtype = type.dtype,
                     .shape = wholes(state[1], "the sizes of an array")};
    t.strides = dense_strides(t.shape, fortran);
    mean(i, Meaning::Tensor, add_torch_tensor(file_, std::move(t)));
  }
  // The storage in a value of the pickle; arrays of the same bytes share it.
  uint32_t array_storage(uint32_t contents, uint32_t swapped) {
    const uint32_t at = file_.resolve(contents);
    const uint64_t bytes = text(at, "the contents of an array").size();
    const auto [found, is_new] =
        arrays_.emplace(std::pair(at, swapped), static_cast<uint32_t>(file_.storages.size()));
    if (is_new)
      file_.storages.push_back({.key = "array", .bytes = bytes, .node = at, .swapped = swapped});
    return found->second;
  }
  // Strides of elements without gaps; sizes that overflow are noticed by who checks the tensor.
  static std::vector<int64_t> dense_strides(const std::vector<int64_t>& shape, bool fortran) {
    std::vector<int64_t> strides(shape.size());
    uint64_t step = 1;
    for (size_t k = 0; k < shape.size(); ++k) {
      const size_t axis = fortran ? k : shape.size() - 1 - k;
      strides[axis] = static_cast<int64_t>(step & INT64_MAX);
      step *= static_cast<uint64_t>(std::max<int64_t>(shape[axis], 1));
    }
    return strides;
  }
  void meet_scalar(uint32_t i) {
    const NpyType type = array_type(argument(i, 0));
    std::string bytes = text(argument(i, 1), "the contents of a scalar");
    if (bytes.size() != static_cast<size_t>(dtype_size(type.dtype)))
      fail("has a scalar of another size than its type");
    if (type.swapped) swap_bytes(bytes, bytes.size());
    const auto number = number_of(bytes, type.dtype);
    const bool real = is_float(type.dtype);
    PickleNode& made = mean_new(i, real                        ? PickleKind::Float
                                   : type.dtype == DType::Bool ? PickleKind::Bool
                                                               : PickleKind::Int);
    if (real)
      made.real = number.second;
    else
      made.number = number.first;
  }

  TorchFile& file_;
  TorchParts& parts_;
  UnknownClass unknown_;
  std::vector<std::pair<uint32_t, Kind>> later_;
  std::vector<uint32_t> dicts_;
  size_t pairs_ = 0;  ///< of which dicts are made
  std::map<std::pair<uint32_t, bool>, uint32_t> encoded_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> arrays_;
};

}  // namespace

void find_meanings(TorchFile& file, TorchParts& parts, UnknownClass unknown) {
  Interpreter(file, parts, unknown).run();
}

}  // namespace tg::nn
