// A program of Tensor functions as data: drawn at random (random_programs.h), written as a table
// (function_cases.cpp, regressions.cpp), made shorter (shrink.h), printed as C++ and Python
// (program_text.cpp) and run (run_program.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tensor/records/record.h"

namespace tg::conformance {

/// A value of the program by number.
struct Operand {
  int value = 0;
  friend bool operator==(const Operand&, const Operand&) = default;
};

/// One item between the brackets of x[…].
struct Item {
  IndexItem::Kind kind = IndexItem::Kind::Integer;
  int64_t integer = 0;                       ///< of an integer
  std::optional<int64_t> start, stop, step;  ///< of a range
  Operand tensor;                            ///< of a gather
};

/// What a function is given: nothing, or the alternatives of FnValue with operands for tensors.
using Argument =
    std::variant<std::monostate, bool, int64_t, double, DType, std::string, std::vector<int64_t>,
                 Operand, std::vector<Operand>, std::vector<Item>>;

/// Data that is there before the first call: multiples of `grain` in [low, high), drawn from the
/// seed; of integers whole numbers.
struct Input {
  Shape shape;
  DType dtype = DType::Float32;
  double low = -2, high = 2;
  double grain = 1.0 / 256;
  uint64_t seed = 0;
};

/// A call of a recorded function.
struct Step {
  std::string function;
  std::vector<Argument> arguments;  ///< of a method its tensor first
  int pick = -1;                    ///< of several results this one
};

/// What a value is: data, or the result of a call of values before it.
using Value = std::variant<Input, Step>;

struct Program {
  std::vector<Value> values;
  std::vector<int> outputs;   ///< values that are compared
  int loss = -1;              ///< a scalar float that is differentiated, or −1
  std::vector<int> targets;   ///< for what
  bool second_order = false;  ///< also the gradients of the sum of the squares of the gradients
  bool captured = false;      ///< called several times by a TinyJit, with other data each time
  uint64_t seed = 0;          ///< of random numbers that the program draws
};

/// Calls `visit` for every operand of the step, which may change it.
template <typename F>
void for_each_operand(Step& step, F visit) {
  for (Argument& a : step.arguments) {
    if (auto* one = std::get_if<Operand>(&a)) visit(*one);
    if (auto* list = std::get_if<std::vector<Operand>>(&a)) {
      for (Operand& o : *list) visit(o);
    }
    if (auto* items = std::get_if<std::vector<Item>>(&a)) {
      for (Item& i : *items) {
        if (i.kind == IndexItem::Kind::Gather) visit(i.tensor);
      }
    }
  }
}

/// The elements of an input, row-major. Of long ones the first few are repeated, so that a person
/// can read them: see drawn_elements.
std::vector<double> elements_of(const Input& input, uint64_t call = 0);
/// Those that are drawn; an input that has more repeats them.
std::vector<double> drawn_elements(const Input& input, uint64_t call = 0);
int64_t count_of(const Input& input);
/// The program without values that nothing uses; the others are numbered again.
Program without_unused(const Program& p);

/// The program as text that can be compiled and run: C++ with a main(), or Python.
std::string as_cpp(const Program& p);
std::string as_python(const Program& p);

}  // namespace tg::conformance
