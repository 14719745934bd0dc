// See c_unit.h.
#include "renderer/c_unit.h"

#include "support/check.h"

namespace tg {

int c_bytes(DType t) { return t == DType::Index ? 8 : static_cast<int>(dtype_size(t)); }

DType c_mask_dtype(int bytes) {
  switch (bytes) {
    case 1:
      return DType::Int8;
    case 2:
      return DType::Int16;
    case 4:
      return DType::Int32;
    default:
      return DType::Int64;
  }
}

std::string CDialect::multiply(CUnit&, const MatrixUnit&) const { return {}; }
std::string CDialect::multiply_async(CUnit&, const MatrixUnit&, bool, bool) const { return {}; }
std::string CDialect::mma_begin() const { return {}; }
std::string CDialect::mma_commit() const { return {}; }
std::string CDialect::mma_wait(int64_t, std::span<const std::string>) const { return {}; }
std::string CDialect::subgroup_shuffle(const std::string&, int64_t) const { return {}; }
std::string CDialect::async_copy(CUnit&, int64_t) const { return {}; }
std::string CDialect::async_wait(CUnit&, int64_t) const { return {}; }

std::string CUnit::vector(DType t, int lanes) {
  TG_CHECK(lanes > 1 && (lanes & (lanes - 1)) == 0, "vectors have a power of two of lanes, not {}",
           lanes);
  return dialect_.vector(*this, is_bool(t) ? DType::UInt8 : spelled(t), lanes);
}

std::string CUnit::type(DType t, int lanes) {
  return lanes == 1 ? std::string(scalar(t)) : vector(t, lanes);
}

void CUnit::declare(const std::string& name, FunctionRef<std::string()> text) {
  if (known_.insert(name).second) types_.push_back(text());
}

std::string CUnit::helper(std::string name, FunctionRef<std::string()> text) {
  if (known_.insert(name).second) {
    std::string body = text();
    helpers_.push_back(std::move(body));
  }
  return name;
}

std::string CUnit::preamble() const {
  std::string out(dialect_.prologue());
  for (const std::string& t : types_) out += t;
  for (const std::string& h : helpers_) out += "\n" + h;
  return out;
}

}  // namespace tg
