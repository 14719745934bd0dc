// The element types of ggml (https://github.com/ggml-org/ggml), which GGUF numbers: how many
// elements a block has, and how many bytes. IQ1, IQ2_XXS and IQ2_XS are not read. How blocks become
// floats: nn/ggml.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tg/dtype.h"

namespace tg::nn {

enum class GgmlType : uint32_t {
  F32 = 0,
  F16 = 1,
  Q4_0 = 2,
  Q4_1 = 3,
  Q5_0 = 6,
  Q5_1 = 7,
  Q8_0 = 8,
  Q2_K = 10,
  Q3_K = 11,
  Q4_K = 12,
  Q5_K = 13,
  Q6_K = 14,
  IQ3_XXS = 18,
  IQ4_NL = 20,
  IQ3_S = 21,
  IQ2_S = 22,
  IQ4_XS = 23,
  I8 = 24,
  I16 = 25,
  I32 = 26,
  I64 = 27,
  F64 = 28,
  BF16 = 30,
  TQ1_0 = 34,
  TQ2_0 = 35,
  MXFP4 = 39,
  NVFP4 = 40,
  Q1_0 = 41,
};

/// What a type is made of.
struct GgmlLayout {
  GgmlType type = GgmlType::F32;
  std::string_view name;
  int64_t elements = 1;       ///< of a block
  int64_t bytes = 4;          ///< of a block
  DType plain = DType::Void;  ///< of a type of numbers; Void for quantised ones
};

/// Empty for a number that no type has here.
std::optional<GgmlLayout> ggml_layout(uint32_t type);

}  // namespace tg::nn
