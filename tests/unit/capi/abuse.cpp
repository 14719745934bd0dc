// See abuse.h.
#include "unit/capi/abuse.h"

#include <algorithm>
#include <limits>

namespace tg::capi::testing {
namespace {

// Sizes are small, so that what succeeds is cheap: nothing here computes.
constexpr int64_t kNumbers[] = {0,
                                1,
                                2,
                                3,
                                -1,
                                -2,
                                7,
                                64,
                                1 << 20,
                                std::numeric_limits<int64_t>::max(),
                                std::numeric_limits<int64_t>::min()};
constexpr double kFloats[] = {0,
                              1,
                              -1,
                              0.5,
                              1e300,
                              -1e-300,
                              std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()};
constexpr const char* kTexts[] = {"", "mean", "floor", "ij,jk->ik", "NOWHERE", "reflect"};
// Those compute, or would fill the memory with what they are asked for.
constexpr std::string_view kComputes[] = {"realize",       "to_bytes", "str", "item",
                                          "masked_select", "einsum",   "to"};

template <typename T, size_t N>
const T& pick(std::mt19937& random, const T (&from)[N]) {
  return from[random() % N];
}

}  // namespace

Abuser::Abuser(unsigned seed, bool compute) : compute_(compute), random_(seed) {
  const std::vector<std::vector<int64_t>> shapes = {{}, {3}, {2, 3}, {1, 2, 4, 4}, {0}, {5}};
  for (const auto& shape : shapes) {
    size_t n = 1;
    for (const int64_t d : shape) n *= static_cast<size_t>(d);
    for (const tg_dtype dtype : {TG_DTYPE_FLOAT32, TG_DTYPE_INT32, TG_DTYPE_BOOL}) {
      const std::vector<char> bytes(n * (dtype == TG_DTYPE_BOOL ? 1 : 4), 1);
      tg_tensor t = nullptr;
      if (tg_tensor_from_data(bytes.data(), bytes.size(), dtype, shape.data(), shape.size(),
                              nullptr, &t) == TG_OK)
        tensors_.push_back(t);
    }
  }
  tg_release(tensors_.back());
}

Abuser::~Abuser() {
  tensors_.pop_back();
  for (tg_tensor t : tensors_) tg_release(t);
}

int64_t Abuser::number() {
  const int64_t n = pick(random_, kNumbers);
  // A window of 2^63 elements is lawful; computing it takes years.
  return compute_ && n > 64 ? 9 : n;
}

tg_value Abuser::argument(FnKind kind) {
  tg_value v = {};
  v.kind = static_cast<tg_kind>(kind);
  switch (kind) {
    case FnKind::Float:
      v.as.number = pick(random_, kFloats);
      break;
    case FnKind::DType:
      v.as.integer = static_cast<int64_t>(random_() % 22) - 1;
      break;
    case FnKind::String:
      v.as.text = pick(random_, kTexts);
      break;
    case FnKind::Ints:
      lists_.emplace_back(random_() % 5);
      for (int64_t& i : lists_.back()) i = number();
      v.count = lists_.back().size();
      v.as.ints = lists_.back().data();
      break;
    case FnKind::Tensor:
      v.as.tensor = random_() % 50 == 0 ? nullptr : tensors_[random_() % tensors_.size()];
      break;
    case FnKind::Tensors:
      handles_.emplace_back(random_() % 4);
      for (tg_tensor& t : handles_.back()) t = tensors_[random_() % tensors_.size()];
      v.count = handles_.back().size();
      v.as.tensors = handles_.back().data();
      break;
    case FnKind::Index:
      items_.emplace_back(random_() % 4);
      for (tg_index_item& i : items_.back()) {
        i = {};
        i.kind = static_cast<tg_index_kind>(random_() % 6);
        i.at = random_() % 2 == 0 ? argument(FnKind::Int) : argument(FnKind::Tensor);
        if (random_() % 2 == 0) i.start = argument(FnKind::Int);
        if (random_() % 2 == 0) i.stop = argument(FnKind::Int);
        if (random_() % 4 == 0) i.step = argument(FnKind::Int);
      }
      v.count = items_.back().size();
      v.as.items = items_.back().data();
      break;
    case FnKind::Sizes:
      return argument(FnKind::Ints);
    case FnKind::Size:
      return argument(FnKind::Int);
    case FnKind::Bool:
    case FnKind::Int:
    case FnKind::Choice:
      v.as.integer = number();
      break;
    default:
      v.kind = TG_NONE;
  }
  return v;
}

tg_value Abuser::any() { return argument(static_cast<FnKind>(random_() % kNumFnKinds)); }

// Reads what is small, with a buffer of the right size or of another, and keeps some of it.
void Abuser::use(const tg_value& result) {
  constexpr int64_t kSmall = 4096, kKept = 64;
  tg_tensor_info info = {};
  info.struct_size = sizeof info;
  if (result.kind != TG_TENSOR || tg_tensor_get_info(result.as.tensor, &info) != TG_OK) return;
  if (info.nbytes > kSmall) return;
  std::vector<char> bytes(static_cast<size_t>(info.nbytes) + random_() % 2);
  void* address = nullptr;
  switch (random_() % 4) {
    case 0:
      tg_tensor_read(result.as.tensor, bytes.data(), bytes.size());
      break;
    case 1:
      tg_tensor_host_pointer(result.as.tensor, &address);
      break;
    case 2: {
      if (info.numel > kKept || tg_tensor_host_pointer(result.as.tensor, &address) != TG_OK) break;
      const size_t slot = random_() % (tensors_.size() - 1);
      tg_release(tensors_[slot]);
      tensors_[slot] = result.as.tensor;
      tg_retain(result.as.tensor);
      break;
    }
    default:
      break;
  }
}

void Abuser::call(const tg_function_record& f) {
  if (std::ranges::find(kComputes, f.name) != std::end(kComputes)) return;
  const FnRecord& r = *f.record;
  std::vector<tg_value> arguments;
  if (r.call.method) arguments.push_back(argument(FnKind::Tensor));
  for (size_t i = 0; i < r.params.size(); ++i) {
    const unsigned choice = random_() % 16;
    arguments.push_back(choice == 0 ? any()
                        : choice < 6 && !r.params[i].default_value.empty()
                            ? tg_value{}
                            : argument(r.param_type(i).kind));
  }
  tg_value result = {};
  (tg_call(&f, arguments.data(), arguments.size(), &result) == TG_OK ? succeeded_ : failed_) += 1;
  if (compute_) use(result);
  tg_value_clear(&result);
  lists_.clear();
  handles_.clear();
  items_.clear();
}

}  // namespace tg::capi::testing
