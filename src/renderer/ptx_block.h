// The function under construction: its instructions line by line, registers that are declared as
// they are named, and addresses that were computed before. Knows the grammar of PTX, not ours; what
// an op becomes is in ptx_elementwise.cpp, ptx_convert.cpp, ptx_lanes.cpp and ptx_memory.cpp.
#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/ptx_value.h"

namespace tg {

class PtxBlock {
 public:
  /// `index` is the integer that Index is: Int32 or Int64.
  explicit PtxBlock(DType index) : index_(index) {}
  DType spelled(DType t) const { return t == DType::Index ? index_ : t; }

  // ---- registers
  /// A new register that starts with `prefix`: "%x0", "%x1", …
  std::string fresh(std::string_view prefix, DType t);
  /// New registers for a vector: "%x2_0", "%x2_1"; for one lane just "%x2".
  std::vector<std::string> fresh_lanes(std::string_view prefix, DType t, int lanes);
  /// These new registers of this prefix and type are not needed: their value lies elsewhere.
  void give_back(std::string_view prefix, DType t, std::span<const std::string> lanes);
  /// A register with a name of its own: "%end".
  std::string named(std::string_view name, DType t);

  // ---- instructions
  /// A line without its ";".
  void line(std::string_view text);
  /// `instruction` with its operands, the result first.
  void emit(std::string_view instruction, std::string_view result,
            std::initializer_list<std::string_view> operands);
  /// The same, into a new register for what is used at once.
  std::string temp(std::string_view instruction, DType t,
                   std::initializer_list<std::string_view> operands);
  /// `operand` of type `t` as a register: a literal is moved to one.
  std::string reg(DType t, const std::string& operand);
  void label(std::string_view name, std::string_view comment = {});
  /// The number of a new loop or branch.
  int fresh_label() { return labels_++; }

  // ---- addresses
  /// What is computed between the two is known only there: the body of a loop or a branch.
  void open_scope() { scopes_.emplace_back(); }
  void close_scope();
  /// The register that was kept under `key`, or null.
  const std::string* kept(const std::string& key) const;
  void keep(const std::string& key, std::string address);

  /// ".reg" lines, by kind.
  std::string declarations() const;
  const std::string& text() const { return text_; }

 private:
  void declare(DType t, std::string text);

  const DType index_;
  std::map<std::string, int, std::less<>> counters_;
  std::array<std::vector<std::string>, 6> declared_;  // by PtxKind
  std::vector<std::vector<std::string>> scopes_ = {{}};
  std::map<std::string, std::string> kept_;
  std::string text_;
  int labels_ = 0;
};

}  // namespace tg
