// Tensors and facts of a file of PyTorch, by names with dots, and whole modules as theirs. The
// format is nn/format/torch.h.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "nn/format/torch.h"
#include "nn/format/utf8.h"
#include "nn/load.h"
#include "support/check.h"

namespace tg::nn {
namespace {

constexpr size_t kMostDepth = 100;
constexpr size_t kMostVisits = 1 << 22;
constexpr size_t kMostName = 1 << 12;

// Storages become tensors when the first view of them does.
class Storages {
 public:
  Storages(const TorchFile& file, std::string device) : file_(file), device_(std::move(device)) {}

  Tensor view(const TorchTensor& t) {
    if (std::find(t.shape.begin(), t.shape.end(), 0) != t.shape.end())
      return Tensor::empty(t.shape, {.dtype = t.dtype, .device = device_});
    return strided(elements(t), t);
  }

 private:
  // All elements of a storage in a row.
  const Tensor& elements(const TorchTensor& t) {
    const auto key = std::pair(t.storage, t.dtype);
    const auto found = loaded_.find(key);
    if (found != loaded_.end()) return found->second;
    const std::string bytes = file_.read(file_.storages[t.storage]);
    const int64_t count = static_cast<int64_t>(bytes.size()) / dtype_size(t.dtype);
    const auto used =
        std::as_bytes(std::span(bytes)).first(static_cast<size_t>(count * dtype_size(t.dtype)));
    return loaded_.emplace(key, Tensor::from_bytes(used, {count}, t.dtype, {.device = device_}))
        .first->second;
  }

  // Axes of stride 0 are stretched; elements without gaps are a part of the row whose axes change
  // places; of all others the places are computed and picked.
  Tensor strided(const Tensor& row, const TorchTensor& t) const {
    Shape size = t.shape;
    for (size_t i = 0; i < size.size(); ++i)
      if (t.strides[i] == 0) size[i] = 1;
    const Tensor whole = dense(row, t, size);
    return size == t.shape ? whole : whole.expand(Sizes(t.shape));
  }
  Tensor dense(const Tensor& row, const TorchTensor& t, const Shape& size) const {
    std::vector<int64_t> axes(size.size());
    std::iota(axes.begin(), axes.end(), 0);
    const auto at = [](const auto& list, int64_t i) { return list[static_cast<size_t>(i)]; };
    std::sort(axes.begin(), axes.end(), [&](int64_t a, int64_t b) {
      return at(t.strides, a) != at(t.strides, b) ? at(t.strides, a) > at(t.strides, b) : a < b;
    });
    int64_t step = 1;
    bool has_gaps = false;
    Shape ordered(size.size());
    std::vector<int64_t> back(size.size());
    for (size_t i = axes.size(); i-- > 0;) {
      const int64_t axis = axes[i];
      has_gaps |= at(size, axis) != 1 && at(t.strides, axis) != step;
      step *= at(size, axis);
      ordered[i] = at(size, axis);
      back[static_cast<size_t>(axis)] = static_cast<int64_t>(i);
    }
    if (has_gaps) return picked(row, t, size);
    const auto begin = static_cast<int64_t>(t.offset);
    const Tensor part = row.shrink({{begin, begin + step}}).reshape(Sizes(ordered));
    return axes.empty() ? part : part.permute(back);
  }
  Tensor picked(const Tensor& row, const TorchTensor& t, const Shape& size) const {
    const Shape ones(size.size(), 1);
    Tensor place =
        Tensor::full(Sizes(ones), static_cast<int64_t>(t.offset), {.dtype = DType::Int64});
    for (size_t i = 0; i < size.size(); ++i) {
      Shape own = ones;
      own[i] = size[i];
      const Tensor along =
          Tensor::arange(static_cast<double>(size[i]), {.dtype = DType::Int64}) * t.strides[i];
      place = place + along.reshape(Sizes(own));
    }
    return row[place.expand(Sizes(size))];
  }

  const TorchFile& file_;
  std::string device_;
  std::map<std::pair<uint32_t, DType>, Tensor> loaded_;
};

// Walks from the root to everything that has a name.
class Flattener {
 public:
  Flattener(const TorchFile& file, const std::string& device, bool opens_objects = false)
      : file_(file), storages_(file, device), opens_objects_(opens_objects) {}

  detail::ModuleFile run() {
    open_.push_back({.node = file_.pickle.root});
    while (!open_.empty()) {
      const Visit v = std::move(open_.back());
      open_.pop_back();
      visit(v);
    }
    return std::move(out_);
  }

 private:
  struct Visit {
    uint32_t node = 0;
    std::string name = {};
    size_t depth = 0;
    bool is_attribute = false;  ///< of an object, or inside of one
  };

  [[noreturn]] void fail(std::string_view problem) const {
    user_error<FileError>("torch_load", fmt::format("\"{}\" {}", file_.source.name(), problem));
  }

  // Values that many others hold are met once for each: who made the file decides how often.
  void count_visits(size_t more) {
    visits_ += more;
    if (visits_ > kMostVisits) fail(fmt::format("holds more than {} values", kMostVisits));
  }
  void spend(size_t bytes) {
    constexpr size_t kMost = size_t{1} << 29;
    spent_ += bytes;
    if (spent_ > kMost) fail(fmt::format("has names and texts of more than {} bytes", kMost));
  }

  void visit(const Visit& v) {
    if (v.depth > kMostDepth)
      fail(fmt::format("holds values more than {} deep in one another", kMostDepth));
    const uint32_t i = file_.resolve(v.node);
    const TorchMeaning& meaning = file_.meanings[i];
    switch (meaning.kind) {
      case TorchMeaning::Kind::Tensor:
        if (v.is_attribute) {
          out_.attributes.insert_or_assign(v.name, storages_.view(file_.tensors[meaning.index]));
          return;
        }
        if (!out_.tensors.emplace(v.name, storages_.view(file_.tensors[meaning.index])).second)
          fail(fmt::format("has two tensors named \"{}\"", v.name));
        return;
      case TorchMeaning::Kind::Dict:
        return open_entries(file_.pickle[i], v);
      case TorchMeaning::Kind::Itself:
        return visit_plain(file_.pickle[i], v);
      case TorchMeaning::Kind::Unknown:
        if (opens_objects_) open_object(i, v);
        return;
      default:
        return;
    }
  }

  // ---- objects as their attributes

  // The dict that a value is; null if it is none.
  const PickleNode* dict_of(uint32_t i) const {
    const uint32_t at = file_.resolve(i);
    const PickleNode& n = file_.pickle[at];
    return file_.meanings[at].kind == TorchMeaning::Kind::Dict || n.kind == PickleKind::Dict
               ? &n
               : nullptr;
  }
  void open_object(uint32_t i, const Visit& v) {
    const PickleNode& object = file_.pickle[i];
    if (object.kind != PickleKind::Call || object.state == PickleNode::kNoState) return;
    const PickleNode* state = dict_of(object.state);
    // Attributes may lead back to an object that holds them, and are then met once.
    if (state == nullptr || (v.is_attribute && !met_.insert(i).second)) return;
    Visit attribute = v;
    attribute.is_attribute = true;
    open_entries(*state, attribute, /*skips_parts=*/!v.is_attribute);
    if (v.is_attribute) return;
    for (size_t k = 0; k + 1 < state->entries.size(); k += 2) {
      if (!is_part(state->entries[k])) continue;
      if (const PickleNode* members = dict_of(state->entries[k + 1])) open_entries(*members, v);
    }
  }
  // Whether the key is one under which a module has what its state_dict() lists.
  bool is_part(uint32_t key) const {
    constexpr std::array<std::string_view, 3> kParts = {"_parameters", "_buffers", "_modules"};
    const PickleNode& n = file_.pickle[file_.resolve(key)];
    return n.kind == PickleKind::Text &&
           std::find(kParts.begin(), kParts.end(), n.text) != kParts.end();
  }

  void visit_plain(const PickleNode& n, const Visit& v) {
    switch (n.kind) {
      case PickleKind::Dict:
        return open_entries(n, v);
      case PickleKind::List:
      case PickleKind::Tuple:
      case PickleKind::Set:
        for (size_t k = n.items.size(); k-- > 0;) open(n.items[k], v, fmt::format("{}", k));
        return;
      case PickleKind::Bool:
        return state(v, {n.number != 0});
      case PickleKind::Int:
        return state(v, {n.number});
      case PickleKind::Float:
        return state(v, {n.real});
      case PickleKind::Text:
        if (valid_utf8_prefix(n.text) == n.text.size()) state(v, {n.text});
        return;
      default:
        return;
    }
  }
  void state(const Visit& v, Fact fact) {
    if (const auto* text = std::get_if<std::string>(&fact.value)) spend(text->size());
    out_.facts.insert_or_assign(v.name, std::move(fact));
  }

  void open_entries(const PickleNode& dict, const Visit& v, bool skips_parts = false) {
    count_visits(dict.entries.size() / 2);
    // From the end, so that of equal keys the last is met first and the others are passed over.
    std::set<std::string> keys;
    for (size_t k = dict.entries.size(); k >= 2; k -= 2) {
      if (skips_parts && is_part(dict.entries[k - 2])) continue;
      if (v.is_attribute && !is_plain_key(dict.entries[k - 2])) continue;
      std::string key = key_of(dict.entries[k - 2]);
      if (keys.insert(key).second) open(dict.entries[k - 1], v, std::move(key));
    }
  }
  // Dicts among attributes may have keys of any kind, whose values nobody needs.
  bool is_plain_key(uint32_t i) const {
    const PickleNode& n = file_.pickle[file_.resolve(i)];
    return n.kind == PickleKind::Text || n.kind == PickleKind::Int;
  }
  std::string key_of(uint32_t i) const {
    const PickleNode& n = file_.pickle[file_.resolve(i)];
    switch (n.kind) {
      case PickleKind::Text:
        if (n.text.size() > kMostName)
          fail(fmt::format("has a name of more than {} bytes", kMostName));
        if (valid_utf8_prefix(n.text) != n.text.size()) fail("has a name that is not UTF-8");
        return n.text;
      case PickleKind::Int:
        return fmt::format("{}", n.number);
      case PickleKind::Bool:
        return n.number != 0 ? "True" : "False";
      case PickleKind::Float:
        return fmt::format("{}", n.real);
      case PickleKind::None:
        return "None";
      case PickleKind::Tuple: {
        std::string key;
        if (n.items.size() > 16) fail("has a name of more than 16 parts");
        for (const uint32_t item : n.items) {
          const PickleNode& part = file_.pickle[file_.resolve(item)];
          if (part.kind != PickleKind::Text && part.kind != PickleKind::Int)
            fail("has a name that is neither a text nor a number");
          key += (key.empty() ? "" : ",") + key_of(item);
        }
        return key;
      }
      default:
        fail("has a name that is neither a text nor a number");
    }
  }
  void open(uint32_t node, const Visit& parent, std::string key) {
    count_visits(1);
    spend(parent.name.size() + key.size());
    if (parent.name.size() + key.size() > kMostName)
      fail(fmt::format("has a name of more than {} bytes", kMostName));
    open_.push_back({node, parent.depth == 0 ? std::move(key) : parent.name + "." + key,
                     parent.depth + 1, parent.is_attribute});
  }

  const TorchFile& file_;
  Storages storages_;
  bool opens_objects_;
  std::vector<Visit> open_;
  std::set<uint32_t> met_;  ///< objects among attributes
  size_t visits_ = 0;
  size_t spent_ = 0;
  detail::ModuleFile out_;
};

}  // namespace

StateFile torch_state(const ByteSource& source, const TorchOptions& options) {
  const TorchFile file =
      read_torch(source, options.skip_unknown ? UnknownClass::Keep : UnknownClass::Refuse);
  detail::ModuleFile all = Flattener(file, options.device).run();
  return {.tensors = std::move(all.tensors), .facts = std::move(all.facts)};
}

detail::ModuleFile torch_modules(const ByteSource& source, const std::string& device) {
  const TorchFile file = read_torch(source, UnknownClass::Keep);
  return Flattener(file, device, /*opens_objects=*/true).run();
}

StateDict torch_load(const std::filesystem::path& file, const TorchOptions& options) {
  return torch_state(ByteSource::open(file), options).tensors;
}

}  // namespace tg::nn
