// PTX as data: the part of the language that the renderer writes, one statement a line, as
// registers, arrays and instructions. What they do: arithmetic.h and machine.h. Anything else in a
// text is an error that names the line.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tg::emulator::ptx {

/// What is wrong with a text or with what it does.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "s32", "b16", "f64", "pred": kind is 's', 'u', 'b', 'f', 'p', or 't' for tf32.
struct Type {
  char kind = 'b';
  int bits = 64;
  friend bool operator==(const Type&, const Type&) = default;
};

enum class Space : uint8_t { Global, Shared, Local };

struct Operand {
  enum class Kind : uint8_t { Register, Literal, Symbol, Special, Address, List };
  Kind kind = Kind::Literal;
  int reg = -1;       ///< of a Register, and of an Address that has one
  uint64_t bits = 0;  ///< of a Literal
  int64_t offset = 0;
  std::string name;           ///< "p0", "a5", "scratch"; "%tid.x" of a Special
  std::vector<Operand> list;  ///< "{%x0, %x1}"
};

enum class Name : uint8_t {
  Add,
  And,
  Bar,
  Bra,
  Cp,
  Cvt,
  Cvta,
  Div,
  Fma,
  Ld,
  Mad,
  Max,
  Min,
  Mma,
  Mov,
  Mul,
  Neg,
  Not,
  Or,
  Rem,
  Ret,
  Selp,
  Setp,
  Shfl,
  Shl,
  Shr,
  Sqrt,
  St,
  Sub,
  Xor
};

struct Instruction {
  Name name = Name::Ret;
  int line = 0;
  std::string text;
  int guard = -1;  ///< register of its predicate; -1: none
  bool negated = false;
  std::vector<std::string> parts;  ///< what stands between the points: "wide", "s32"
  Type type, from;                 ///< the last part, and the one before for cvt: to, from
  Space space = Space::Global;
  bool is_param = false;  ///< ld.param
  std::vector<Operand> operands;
  size_t target = 0;  ///< of a branch

  bool has(std::string_view part) const;
};

struct Register {
  std::string name;
  Type type;
};
struct Array {
  std::string name;
  Space space = Space::Shared;
  int64_t bytes = 0;  ///< 0: as much as the launch gives
};

struct Kernel {
  std::string name;
  std::vector<std::string> parameters;
  int64_t max_group_size = 0;
  std::vector<Register> registers;
  std::vector<Array> arrays;
  std::vector<Instruction> code;
};

/// Reads a module of one kernel. Throws Wrong.
Kernel parse(std::string_view text);
/// Throws Wrong for what is no type.
Type type_of(std::string_view text);

}  // namespace tg::emulator::ptx
