// See llvm_block.h.
#include "renderer/llvm_block.h"

namespace tg {
std::string LlvmBlock::fresh(std::string_view prefix) {
  const auto it = counters_.try_emplace(std::string(prefix), 0).first;
  return fmt::format("%{}{}", prefix, it->second++);
}

void LlvmBlock::line(std::string_view text) { lines_.push_back(fmt::format("  {}\n", text)); }

LlvmValue LlvmBlock::set(std::string_view prefix, DType t, int lanes,
                         std::string_view instruction) {
  LlvmValue v{.text = fresh(prefix), .dtype = t, .lanes = lanes, .constant = {}, .known = {}};
  line(fmt::format("{} = {}", v.text, instruction));
  return v;
}

LlvmValue LlvmBlock::binary(std::string_view name, const LlvmValue& a, const LlvmValue& b) {
  return make(a.dtype, a.lanes, "{} {}, {}", name, typed(a), b.text);
}

LlvmValue LlvmBlock::compare(std::string_view name, const LlvmValue& a, const LlvmValue& b) {
  return set("m", DType::Bool, a.lanes, fmt::format("{} {}, {}", name, typed(a), b.text));
}

LlvmValue LlvmBlock::select(const LlvmValue& condition, const LlvmValue& a, const LlvmValue& b) {
  return make(a.dtype, a.lanes, "select {}, {}, {}", typed(condition), typed(a), typed(b));
}

LlvmValue LlvmBlock::convert(std::string_view name, const LlvmValue& v, DType t) {
  return make(t, v.lanes, "{} {} to {}", name, typed(v), llvm_type(t, v.lanes));
}

LlvmValue LlvmBlock::call(const std::string& name, DType t, int lanes,
                          std::initializer_list<LlvmOperand> operands) {
  return make(t, lanes, "{}", call_text(name, llvm_type(t, lanes), operands));
}

void LlvmBlock::call_void(const std::string& name, std::initializer_list<LlvmOperand> operands) {
  line(call_text(name, "void", operands));
}

std::string LlvmBlock::call_text(const std::string& name, const std::string& result,
                                 std::initializer_list<LlvmOperand> operands) {
  std::string types, values;
  for (const LlvmOperand& o : operands) {
    const std::string_view comma = types.empty() ? "" : ", ";
    types += fmt::format("{}{}", comma, o.type);
    values += fmt::format("{}{} {}", comma, o.type, o.text);
  }
  declarations_.insert(fmt::format("declare {} @{}({})\n", result, name, types));
  return fmt::format("call {} @{}({})", result, name, values);
}

void LlvmBlock::fall_into(const std::string& label) {
  line(fmt::format("br label %{}", label));
  open(label);
}

void LlvmBlock::branch(const std::string& condition, const std::string& yes,
                       const std::string& no) {
  line(fmt::format("br i1 {}, label %{}, label %{}", condition, yes, no));
}

void LlvmBlock::open(const std::string& label) {
  lines_.push_back(label + ":\n");
  label_ = label;
}

size_t LlvmBlock::reserve_line() {
  lines_.emplace_back();
  return lines_.size() - 1;
}

void LlvmBlock::fill_line(size_t at, std::string text) { lines_[at] = fmt::format("  {}\n", text); }

std::string LlvmBlock::text() const {
  std::string out;
  for (const std::string& l : lines_) out += l;
  return out;
}

std::string llvm_suffix(DType t, int lanes) {
  const bool real = t == DType::Float32 || t == DType::Float64;
  const std::string item = fmt::format("{}{}", real ? 'f' : 'i', 8 * llvm_bytes(t));
  return lanes == 1 ? item : fmt::format("v{}{}", lanes, item);
}

}  // namespace tg
