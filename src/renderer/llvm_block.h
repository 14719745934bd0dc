// The function under construction: its instructions line by line, names that are used once, the
// basic block that is open, and the intrinsics that it calls. Knows LLVM's grammar, not ours; what
// an op becomes is in llvm_elementwise.cpp, llvm_convert.cpp, llvm_lanes.cpp and llvm_memory.cpp.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/llvm_value.h"
#include "renderer/render.h"

namespace tg {

/// An argument of a call: a value, or anything else with its type.
struct LlvmOperand {
  std::string type;
  std::string text;
  LlvmOperand(const LlvmValue& v) : type(llvm_type(v.dtype, v.lanes)), text(v.text) {}
  LlvmOperand(std::string t, std::string x) : type(std::move(t)), text(std::move(x)) {}
};

class LlvmBlock {
 public:
  explicit LlvmBlock(const LlvmMachine& machine) : machine_(machine) {}

  const LlvmMachine& machine() const { return machine_; }

  /// A name that starts with `prefix`: "%x0", "%x1", …
  std::string fresh(std::string_view prefix);
  /// The same for a block, without the sign.
  std::string fresh_label(std::string_view prefix) { return fresh(prefix).substr(1); }
  /// A line of the open block.
  void line(std::string_view text);
  /// An instruction whose result gets a fresh name.
  LlvmValue set(std::string_view prefix, DType t, int lanes, std::string_view instruction);
  template <typename... Args>
  LlvmValue make(DType t, int lanes, fmt::format_string<Args...> form, Args&&... args) {
    return set("v", t, lanes, fmt::format(form, std::forward<Args>(args)...));
  }
  /// `name` of two operands of one type: make(…, "add <4 x i32> %a, %b").
  LlvmValue binary(std::string_view name, const LlvmValue& a, const LlvmValue& b);
  /// A comparison, bool of the same lanes: compare("icmp slt", a, b).
  LlvmValue compare(std::string_view name, const LlvmValue& a, const LlvmValue& b);
  /// `condition` ? a : b, lane by lane.
  LlvmValue select(const LlvmValue& condition, const LlvmValue& a, const LlvmValue& b);
  /// One of LLVM's conversions: convert("sext", v, t).
  LlvmValue convert(std::string_view name, const LlvmValue& v, DType t);
  /// A call of an intrinsic, which is declared: call("llvm.sqrt.v4f32", t, 4, {x}).
  LlvmValue call(const std::string& name, DType t, int lanes,
                 std::initializer_list<LlvmOperand> operands);
  /// The same for one without a result.
  void call_void(const std::string& name, std::initializer_list<LlvmOperand> operands);

  /// Ends the open block with a branch to `label` and opens it.
  void fall_into(const std::string& label);
  /// Ends the open block with a conditional branch; open() says what comes next.
  void branch(const std::string& condition, const std::string& yes, const std::string& no);
  void open(const std::string& label);
  /// Name of the open block, for phis.
  const std::string& label() const { return label_; }

  /// A line that is filled in later, for phis whose second value is not yet known.
  size_t reserve_line();
  void fill_line(size_t at, std::string text);

  std::string text() const;
  const std::set<std::string>& declarations() const { return declarations_; }

 private:
  /// Declares the intrinsic; the call's text.
  std::string call_text(const std::string& name, const std::string& result,
                        std::initializer_list<LlvmOperand> operands);

  const LlvmMachine& machine_;
  std::map<std::string, int, std::less<>> counters_;
  std::set<std::string> declarations_;
  std::vector<std::string> lines_;
  std::string label_ = "entry";
};

/// "v8f32", the way intrinsics name the types that they are made for.
std::string llvm_suffix(DType t, int lanes);

}  // namespace tg
