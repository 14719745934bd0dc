// The table of ggml's types.
#include "nn/format/ggml_type.h"

namespace tg::nn {
namespace {

using enum GgmlType;

constexpr GgmlLayout kLayouts[] = {
    {F32, "F32", 1, 4, DType::Float32},
    {F16, "F16", 1, 2, DType::Float16},
    {BF16, "BF16", 1, 2, DType::BFloat16},
    {F64, "F64", 1, 8, DType::Float64},
    {I8, "I8", 1, 1, DType::Int8},
    {I16, "I16", 1, 2, DType::Int16},
    {I32, "I32", 1, 4, DType::Int32},
    {I64, "I64", 1, 8, DType::Int64},
    {Q4_0, "Q4_0", 32, 18},
    {Q4_1, "Q4_1", 32, 20},
    {Q5_0, "Q5_0", 32, 22},
    {Q5_1, "Q5_1", 32, 24},
    {Q8_0, "Q8_0", 32, 34},
    {Q2_K, "Q2_K", 256, 84},
    {Q3_K, "Q3_K", 256, 110},
    {Q4_K, "Q4_K", 256, 144},
    {Q5_K, "Q5_K", 256, 176},
    {Q6_K, "Q6_K", 256, 210},
    {IQ3_XXS, "IQ3_XXS", 256, 98},
    {IQ4_NL, "IQ4_NL", 32, 18},
    {IQ3_S, "IQ3_S", 256, 110},
    {IQ2_S, "IQ2_S", 256, 82},
    {IQ4_XS, "IQ4_XS", 256, 136},
    {TQ1_0, "TQ1_0", 256, 54},
    {TQ2_0, "TQ2_0", 256, 66},
    {MXFP4, "MXFP4", 32, 17},
    {NVFP4, "NVFP4", 64, 36},
    {Q1_0, "Q1_0", 128, 18},
};

}  // namespace

std::optional<GgmlLayout> ggml_layout(uint32_t type) {
  for (const GgmlLayout& layout : kLayouts)
    if (static_cast<uint32_t>(layout.type) == type) return layout;
  return std::nullopt;
}

}  // namespace tg::nn
