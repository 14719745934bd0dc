// See ptx_block.h.
#include "renderer/ptx_block.h"

#include <fmt/format.h>

namespace tg {
namespace {

constexpr size_t kColumns = 100;

}  // namespace

void PtxBlock::declare(DType t, std::string text) {
  declared_.at(static_cast<size_t>(ptx_kind(t))).push_back(std::move(text));
}

std::string PtxBlock::fresh(std::string_view prefix, DType t) {
  return fresh_lanes(prefix, t, 1).front();
}

std::vector<std::string> PtxBlock::fresh_lanes(std::string_view prefix, DType t, int lanes) {
  const auto counter = counters_.try_emplace(std::string(prefix), 0).first;
  const std::string name = fmt::format("%{}{}", prefix, counter->second++);
  declare(t, lanes == 1 ? name : fmt::format("{}_<{}>", name, lanes));
  if (lanes == 1) return {name};
  std::vector<std::string> out;
  for (int k = 0; k < lanes; ++k) out.push_back(fmt::format("{}_{}", name, k));
  return out;
}

// Others may have been made since: of operands that had to be registers.
void PtxBlock::give_back(std::string_view prefix, DType t, std::span<const std::string> lanes) {
  const std::string& first = lanes.front();
  const std::string name = lanes.size() == 1 ? first : first.substr(0, first.rfind('_'));
  std::vector<std::string>& names = declared_.at(static_cast<size_t>(ptx_kind(t)));
  std::erase(names, lanes.size() == 1 ? name : fmt::format("{}_<{}>", name, lanes.size()));
  int& counter = counters_.find(prefix)->second;
  if (name == fmt::format("%{}{}", prefix, counter - 1)) --counter;
}

std::string PtxBlock::named(std::string_view name, DType t) {
  std::string out = fmt::format("%{}", name);
  declare(t, out);
  return out;
}

void PtxBlock::line(std::string_view text) { text_ += fmt::format("  {};\n", text); }

void PtxBlock::emit(std::string_view instruction, std::string_view result,
                    std::initializer_list<std::string_view> operands) {
  std::string text = fmt::format("{} {}", instruction, result);
  for (std::string_view o : operands) text += fmt::format(", {}", o);
  line(text);
}

std::string PtxBlock::temp(std::string_view instruction, DType t,
                           std::initializer_list<std::string_view> operands) {
  std::string out = fresh(is_bool(t) ? "m" : "t", t);
  emit(instruction, out, operands);
  return out;
}

std::string PtxBlock::reg(DType t, const std::string& operand) {
  if (!ptx_is_literal(operand)) return operand;
  return temp(fmt::format("mov.{}", ptx_bits(ptx_kind(t))), t, {operand});
}

void PtxBlock::label(std::string_view name, std::string_view comment) {
  text_ +=
      comment.empty() ? fmt::format("{}:\n", name) : fmt::format("{}:  // {}\n", name, comment);
}

void PtxBlock::close_scope() {
  for (const std::string& key : scopes_.back()) kept_.erase(key);
  scopes_.pop_back();
}

const std::string* PtxBlock::kept(const std::string& key) const {
  const auto found = kept_.find(key);
  return found == kept_.end() ? nullptr : &found->second;
}

void PtxBlock::keep(const std::string& key, std::string address) {
  if (kept_.emplace(key, std::move(address)).second) scopes_.back().push_back(key);
}

std::string PtxBlock::declarations() const {
  std::string out;
  for (size_t kind = 0; kind < declared_.size(); ++kind) {
    const std::string head = fmt::format("  .reg .{} ", ptx_bits(static_cast<PtxKind>(kind)));
    std::string line;
    for (const std::string& d : declared_[kind]) {
      if (!line.empty() && line.size() + d.size() + 3 > kColumns) {
        out += line + ";\n";
        line.clear();
      }
      line += (line.empty() ? head : ", ") + d;
    }
    if (!line.empty()) out += line + ";\n";
  }
  return out;
}

}  // namespace tg
