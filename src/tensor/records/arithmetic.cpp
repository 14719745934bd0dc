// Records of arithmetic, comparisons, logic and selection.
#include "tensor/records/record.h"

namespace tg {
namespace {

using namespace phrases;

// A function of this tensor and another, broadcast and promoted.
FnRecord binary(std::string_view name, std::string_view doc, std::string_view example,
                std::string_view result, std::string_view gradient = "",
                std::string_view dtype = kPromoted, std::string_view errors = kBroadcastError) {
  return {.name = name,
          .doc = doc,
          .params = {{"other", "Tensor", "", "the right operand, or a number"}},
          .shapes = kBroadcast,
          .dtype = dtype,
          .errors = errors,
          .gradient = gradient,
          .example = example,
          .result = result};
}

}  // namespace

FnFamily arithmetic_records() {
  constexpr std::string_view kSummed = "the derivative, summed over broadcast axes";
  return {
      "Arithmetic, comparison, selection",
      {
          binary("add", "Sum. Integers wrap; bool: or.", "Tensor{1, 2} + 1", "[2 3] int32[2]",
                 kSummed),
          binary("sub", "Difference. Integers wrap.", "Tensor{1, 2} - Tensor{3, 1}",
                 "[-2  1] int32[2]", kSummed),
          binary("mul", "Product. Integers wrap; bool: and.", "Tensor{1, 2} * 2.5",
                 "[2.5000 5.0000] float32[2]", kSummed),
          binary("div", "True division.", "Tensor{1, 2} / 2", "[0.5000 1.0000] float32[2]", kSummed,
                 "the promoted dtype; integers and bool become float32"),
          binary("floordiv", "Quotient rounded down; 0 for a whole division by 0.",
                 "Tensor{7, -7}.floordiv(2)", "[ 3 -4] int32[2]", "zero"),
          binary("mod", "Remainder with the divisor's sign; 0 for a whole division by 0.",
                 "Tensor{7, -7} % 3", "[1 2] int32[2]", kSummed),
          binary("maximum", "The larger; NaN if either is NaN.", "Tensor{1, 5}.maximum(3)",
                 "[3 5] int32[2]", "to the larger, halved between equals"),
          binary("minimum", "The smaller; NaN if either is NaN.", "Tensor{1, 5}.minimum(3)",
                 "[1 3] int32[2]", "to the smaller, halved between equals"),
          binary("bitwise_and", "And of bits.", "Tensor{12, 10} & 6", "[4 2] int32[2]", "",
                 kPromoted, kBits),
          binary("bitwise_or", "Or of bits.", "Tensor{12, 10} | 1", "[13 11] int32[2]", "",
                 kPromoted, kBits),
          binary("bitwise_xor", "Exclusive or of bits.", "Tensor{12, 10} ^ 6", "[10 12] int32[2]",
                 "", kPromoted, kBits),
          binary("eq", "Equal; false for NaN.", "Tensor{1, 2} == 2", "[false  true] bool[2]", "",
                 kBool),
          binary("ne", "Not equal; true for NaN.", "Tensor{1, 2} != 2", "[ true false] bool[2]", "",
                 kBool),
          binary("lt", "Less; false for NaN.", "Tensor{1, 2} < 2", "[ true false] bool[2]", "",
                 kBool),
          binary("le", "Less or equal; false for NaN.", "Tensor{1, 2, 3} <= 2",
                 "[ true  true false] bool[3]", "", kBool),
          binary("gt", "Greater; false for NaN.", "Tensor{1, 2} > 1", "[false  true] bool[2]", "",
                 kBool),
          binary("ge", "Greater or equal; false for NaN.", "Tensor{1, 2} >= 2",
                 "[false  true] bool[2]", "", kBool),
          binary("logical_and", "Both are not 0.", "Tensor{1, 0}.logical_and(2)",
                 "[ true false] bool[2]", "", kBool),
          binary("logical_or", "One is not 0.", "Tensor{1, 0}.logical_or(0)",
                 "[ true false] bool[2]", "", kBool),
          {.name = "pow",
           .doc = "This to the power of the exponent; 0 to the power 0 is 1; NaN for a broken "
                  "power of a negative "
                  "number.",
           .params = {{"exponent", "Tensor", "", "a number or a tensor"}},
           .shapes = kBroadcast,
           .dtype = kPromoted,
           .errors =
               "DTypeError for an integer base unless the exponent is a whole number, not negative",
           .gradient = kSummed,
           .example = "Tensor{1, 2, 3}.pow(2)",
           .result = "[1 4 9] int32[3]"},
          {.name = "clip",
           .doc = "Limited to [low, high].",
           .params = {{"low", "Tensor", "", "lower bound, or a number"},
                      {"high", "Tensor", "", "upper bound, or a number"}},
           .shapes = kBroadcast,
           .dtype = kPromoted,
           .errors = kBroadcastError,
           .gradient = "1 inside and at the bounds, 0 outside",
           .example = "Tensor{1, 5, 9}.clip(2, 6)",
           .result = "[2 5 6] int32[3]"},
          {.name = "bitwise_not",
           .doc = "Complement of bits; bool: not.",
           .errors = "DTypeError for floats",
           .example = "~Tensor{0, 5}",
           .result = "[-1 -6] int32[2]"},
          {.name = "lshift",
           .doc = "Bits moved up; counts of 64 and more give 0.",
           .params = {{"count", "Tensor", "", "how far", "bits"}},
           .shapes = kBroadcast,
           .errors = kBits,
           .example = "Tensor{1, 3} << 2",
           .result = "[ 4 12] int32[2]"},
          {.name = "rshift",
           .doc = "Bits moved down; the sign stays.",
           .params = {{"count", "Tensor", "", "how far", "bits"}},
           .shapes = kBroadcast,
           .errors = kBits,
           .example = "Tensor{-8, 8} >> 2",
           .result = "[-2  2] int32[2]"},
          {.name = "logical_not",
           .doc = "Is 0.",
           .dtype = kBool,
           .example = "!Tensor{1, 0}",
           .result = "[false  true] bool[2]"},
          {.name = "where",
           .doc = "a where this is true, else b.",
           .params = {{"a", "Tensor", "", "taken where true, or a number"},
                      {"b", "Tensor", "", "taken where false, or a number"}},
           .shapes = "all three, broadcast",
           .dtype = "the promoted dtype of a and b",
           .errors = "DTypeError unless this is bool; ShapeError if the shapes cannot be broadcast",
           .gradient = "to the one that was taken",
           .example = "(Tensor{1, 5} < 3).where(0, 7)",
           .result = "[0 7] int32[2]"},
          {.name = "masked_fill",
           .doc = "The value where the mask is true, else this.",
           .params = {{"mask", "Tensor", "", "bool"},
                      {"value", "Tensor", "", "a tensor or a number"}},
           .shapes = kBroadcast,
           .dtype = kPromoted,
           .errors =
               "DTypeError unless the mask is bool; ShapeError if the shapes cannot be broadcast",
           .gradient = "0 where masked",
           .example = "Tensor{1, 5}.masked_fill(Tensor{true, false}, 9)",
           .result = "[9 5] int32[2]"},
      }};
}

}  // namespace tg
