// See values.h. Memory of results comes from malloc: a value is plain data until tg_value_clear.
#include "capi/values.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

#include "capi/guard.h"

namespace tg::capi {
namespace {

// More axes, tensors or items than that are a mistake, most likely of an argument's order.
constexpr size_t kMostElements = size_t{1} << 24;

template <typename T>
std::span<const T> list(const T* data, size_t count, const char* function) {
  if (count > kMostElements || (data == nullptr && count > 0))
    user_error<ArgumentError>(function,
                              fmt::format("a list of {} elements at {}", count, fmt::ptr(data)),
                              "Hint: a list needs an address and its number of elements.");
  return {data, count};
}

std::optional<SymInt> end_from_c(const tg_value& value, const char* function) {
  if (value.kind == TG_NONE) return std::nullopt;
  return size_from_c(value, function);
}

IndexItem item_from_c(const tg_index_item& item, const char* function) {
  switch (item.kind) {
    case TG_INDEX_AT:
      return size_from_c(item.at, function);
    case TG_INDEX_SLICE: {
      std::optional<int64_t> step;
      if (item.step.kind == TG_INT)
        step = item.step.as.integer;
      else if (item.step.kind != TG_NONE)
        user_error<ArgumentError>(function, "the step of a slice must be a whole number");
      return Slice(end_from_c(item.start, function), end_from_c(item.stop, function), step);
    }
    case TG_INDEX_ELLIPSIS:
      return Ellipsis;
    case TG_INDEX_NEW_AXIS:
      return NewAxis;
    case TG_INDEX_GATHER:
      if (item.at.kind != TG_TENSOR)
        user_error<ArgumentError>(function, "an item that gathers must hold a tensor");
      return IndexItem(object<Tensor>(item.at.as.tensor, function));
  }
  user_error<ArgumentError>(
      function, fmt::format("an index item of unknown kind {}", static_cast<int>(item.kind)));
}

void* allocate(size_t bytes) {
  void* const p = std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

char* copied_text(const std::string& text) {
  auto* const out = static_cast<char*>(allocate(text.size() + 1));
  std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

tg_value integer(tg_kind kind, int64_t i) {
  tg_value v = {};
  v.kind = kind;
  v.as.integer = i;
  return v;
}

tg_value from_tensors(std::vector<Tensor> tensors) {
  OwnedValue out(tg_value{});
  auto* const handles = static_cast<tg_tensor*>(allocate(tensors.size() * sizeof(tg_tensor)));
  out.get().as.tensors = handles;
  out.get().kind = TG_TENSORS;
  for (Tensor& t : tensors) {
    handles[out.get().count] = make_handle<tg_tensor>(std::move(t));
    ++out.get().count;
  }
  return out.hand_on();
}

tg_value from_sizes(std::vector<SymInt> sizes) {
  OwnedValue out(tg_value{});
  auto* const values = static_cast<tg_value*>(allocate(sizes.size() * sizeof(tg_value)));
  out.get().as.values = values;
  out.get().kind = TG_SIZES;
  for (SymInt& s : sizes) {
    values[out.get().count] = to_c(std::move(s));
    ++out.get().count;
  }
  return out.hand_on();
}

// One function an alternative of FnValue.
struct ToC {
  FnKind kind;
  tg_value operator()(std::monostate) const { return {}; }
  tg_value operator()(bool b) const { return integer(TG_BOOL, b ? 1 : 0); }
  tg_value operator()(int64_t i) const {
    return integer(kind == FnKind::Choice ? TG_CHOICE : TG_INT, i);
  }
  tg_value operator()(double d) const {
    tg_value v = {};
    v.kind = TG_FLOAT;
    v.as.number = d;
    return v;
  }
  tg_value operator()(DType t) const { return integer(TG_DTYPE, static_cast<int64_t>(t)); }
  tg_value operator()(const std::string& s) const {
    tg_value v = {};
    v.count = s.size();
    if (kind == FnKind::Bytes) {
      v.kind = TG_BYTES;
      v.as.bytes = copied_text(s);
    } else {
      v.kind = TG_STRING;
      v.as.text = copied_text(s);
    }
    return v;
  }
  tg_value operator()(const std::vector<int64_t>& ints) const {
    tg_value v = {};
    v.kind = TG_INTS;
    v.count = ints.size();
    auto* const out = static_cast<int64_t*>(allocate(ints.size() * sizeof(int64_t)));
    std::copy(ints.begin(), ints.end(), out);
    v.as.ints = out;
    return v;
  }
  tg_value operator()(Tensor&& t) const {
    tg_value v = {};
    v.as.tensor = make_handle<tg_tensor>(std::move(t));
    v.kind = TG_TENSOR;
    return v;
  }
  tg_value operator()(std::vector<Tensor> tensors) const {
    return from_tensors(std::move(tensors));
  }
  tg_value operator()(SymInt s) const {
    if (s.is_number()) return integer(TG_INT, s.number());
    tg_value v = {};
    v.as.size = make_handle<tg_size>(std::move(s));
    v.kind = TG_SIZE;
    return v;
  }
  tg_value operator()(std::vector<SymInt> sizes) const { return from_sizes(std::move(sizes)); }
  tg_value operator()(std::shared_ptr<FnObject> o) const {
    tg_value v = {};
    const bool layer = o->kind() == FnKind::Layer;
    if (layer)
      v.as.layer = make_handle<tg_layer>(std::move(o));
    else
      v.as.optimizer = make_handle<tg_optimizer>(std::move(o));
    v.kind = layer ? TG_LAYER : TG_OPTIMIZER;
    return v;
  }
  // No function returns these.
  tg_value operator()(const std::vector<IndexItem>&) const { return {}; }
  tg_value operator()(std::span<const std::byte>) const { return {}; }
  tg_value operator()(LentTensor) const { return {}; }
  tg_value operator()(LentInts) const { return {}; }
};

}  // namespace

FnValue from_c(const tg_value& v, const char* function) {
  switch (v.kind) {
    case TG_NONE:
      return {};
    case TG_BOOL:
      return v.as.integer != 0;
    case TG_INT:
    case TG_CHOICE:
      return v.as.integer;
    case TG_FLOAT:
      return v.as.number;
    case TG_DTYPE:
      return dtype_from_c(v.as.integer, function);
    case TG_STRING:
      return std::string(given(v.as.text, function, "the text of a value"));
    case TG_INTS: {
      const auto ints = list(v.as.ints, v.count, function);
      return std::vector<int64_t>(ints.begin(), ints.end());
    }
    case TG_TENSOR:
      return object<Tensor>(v.as.tensor, function);
    case TG_TENSORS: {
      std::vector<Tensor> out;
      for (const tg_tensor t : list(v.as.tensors, v.count, function))
        out.push_back(object<Tensor>(t, function));
      return out;
    }
    case TG_SIZE:
      return object<SymInt>(v.as.size, function);
    case TG_SIZES: {
      std::vector<SymInt> out;
      for (const tg_value& s : list(v.as.values, v.count, function))
        out.push_back(size_from_c(s, function));
      return out;
    }
    case TG_INDEX: {
      std::vector<IndexItem> out;
      for (const tg_index_item& i : list(v.as.items, v.count, function))
        out.push_back(item_from_c(i, function));
      return out;
    }
    case TG_BYTES:
      if (v.as.bytes == nullptr && v.count > 0) given(v.as.bytes, function, "the bytes of a value");
      return std::span(static_cast<const std::byte*>(v.as.bytes), v.count);
    case TG_LAYER:
      return object<std::shared_ptr<FnObject>>(v.as.layer, function);
    case TG_OPTIMIZER:
      return object<std::shared_ptr<FnObject>>(v.as.optimizer, function);
  }
  user_error<ArgumentError>(function,
                            fmt::format("a value of unknown kind {}", static_cast<int>(v.kind)));
}

FnValue lent_from_c(const tg_value& v, const char* function, Pin& pin) {
  if (v.kind == TG_TENSOR) return LentTensor(pinned<Tensor>(pin, v.as.tensor, function));
  if (v.kind == TG_INTS) return LentInts(list(v.as.ints, v.count, function));
  return from_c(v, function);
}

SymInt size_from_c(const tg_value& v, const char* function) {
  if (v.kind == TG_INT) return v.as.integer;
  if (v.kind == TG_SIZE) return object<SymInt>(v.as.size, function);
  user_error<ArgumentError>(function, "a size or an index must be TG_INT or TG_SIZE");
}

tg_value to_c(FnValue&& value, FnKind kind) {
  return std::visit([&](auto&& v) { return ToC{kind}(std::move(v)); }, std::move(value));
}

void clear(tg_value& v) noexcept {
  const auto drop = [](const void* handle) {
    if (handle != nullptr) tg_release(handle);
  };
  switch (v.kind) {
    case TG_STRING:
      std::free(const_cast<char*>(v.as.text));
      break;
    case TG_INTS:
      std::free(const_cast<int64_t*>(v.as.ints));
      break;
    case TG_BYTES:
      std::free(const_cast<void*>(v.as.bytes));
      break;
    case TG_TENSOR:
      drop(v.as.tensor);
      break;
    case TG_TENSORS:
      for (size_t i = 0; i < v.count; ++i) drop(v.as.tensors[i]);
      std::free(const_cast<tg_tensor*>(v.as.tensors));
      break;
    case TG_SIZE:
      drop(v.as.size);
      break;
    case TG_SIZES:
      for (size_t i = 0; i < v.count; ++i) {
        if (v.as.values[i].kind == TG_SIZE) drop(v.as.values[i].as.size);
      }
      std::free(const_cast<tg_value*>(v.as.values));
      break;
    case TG_LAYER:
      drop(v.as.layer);
      break;
    case TG_OPTIMIZER:
      drop(v.as.optimizer);
      break;
    default:
      break;
  }
  v = {};
}

DType dtype_from_c(int64_t number, const char* function) {
  if (number < TG_DTYPE_BOOL || number > TG_DTYPE_FLOAT64)
    user_error<ArgumentError>(function, fmt::format("there is no dtype {}", number));
  return static_cast<DType>(number);
}

Shape shape_from_c(const int64_t* shape, size_t ndim, const char* function) {
  const auto sizes = list(shape, ndim, function);
  return {sizes.begin(), sizes.end()};
}

}  // namespace tg::capi

tg_status tg_value_clear(tg_value* value) {
  if (value != nullptr) tg::capi::clear(*value);
  return TG_OK;
}
