// See torch_names.h.
#include "nn/format/torch_names.h"

#include <map>
#include <string>

namespace tg::nn {
namespace {

using Kind = TorchName::Kind;
using Names = std::map<std::string, TorchName, std::less<>>;

constexpr struct {
  const char* storage;
  const char* type;
  DType dtype;
} kTypes[] = {
    {"Half", "float16", DType::Float16},
    {"Float", "float32", DType::Float32},
    {"Double", "float64", DType::Float64},
    {"BFloat16", "bfloat16", DType::BFloat16},
    {"Char", "int8", DType::Int8},
    {"Byte", "uint8", DType::UInt8},
    {"Short", "int16", DType::Int16},
    {"Int", "int32", DType::Int32},
    {"Long", "int64", DType::Int64},
    {"Bool", "bool", DType::Bool},
    {nullptr, "half", DType::Float16},
    {nullptr, "float", DType::Float32},
    {nullptr, "double", DType::Float64},
    {nullptr, "short", DType::Int16},
    {nullptr, "int", DType::Int32},
    {nullptr, "long", DType::Int64},
    {nullptr, "uint16", DType::UInt16},
    {nullptr, "uint32", DType::UInt32},
    {nullptr, "uint64", DType::UInt64},
    {nullptr, "float8_e4m3fn", DType::Fp8E4M3},
    {nullptr, "float8_e5m2", DType::Fp8E5M2},
    {nullptr, "float8_e4m3fnuz", DType::Fp8E4M3Fnuz},
    {nullptr, "float8_e5m2fnuz", DType::Fp8E5M2Fnuz},
};

void add_types(Names& names) {
  for (const auto& [storage, type, dtype] : kTypes) {
    names[std::string("torch ") + type] = {Kind::Type, dtype};
    if (storage == nullptr) continue;
    names["torch " + std::string(storage) + "Storage"] = {Kind::Storage, dtype};
    // Files of the first format name the class of each tensor.
    names["torch " + std::string(storage) + "Tensor"] = {Kind::Type, dtype};
  }
  names["torch UntypedStorage"] = {Kind::Storage, DType::UInt8};
  for (const char* type : {"ComplexFloat", "ComplexDouble", "QInt8", "QUInt8", "QInt32"})
    names[std::string("torch ") + type + "Storage"] = {Kind::Refused};
  for (const char* type : {"complex32", "complex64", "complex128", "cfloat", "cdouble"})
    names[std::string("torch ") + type] = {Kind::Refused};
}

void add_python(Names& names) {
  names["collections OrderedDict"] = names["collections Counter"] = {Kind::Dict};
  names["collections defaultdict"] = {Kind::DefaultDict};
  names["_codecs encode"] = {Kind::Encode};
  for (const std::string module : {"builtins ", "__builtin__ "}) {
    for (const char* type : {"set", "frozenset", "list", "tuple"})
      names[module + type] = {Kind::FirstOf};
    names[module + "dict"] = {Kind::Dict};
    for (const char* type : {"int", "float", "bool", "str", "object"})
      names[module + type] = {Kind::Plain};
  }
}

void add_numpy(Names& names) {
  names["numpy ndarray"] = {Kind::Plain};
  names["numpy dtype"] = {Kind::ArrayType};
  for (const std::string module : {"numpy.core.multiarray ", "numpy._core.multiarray "}) {
    names[module + "_reconstruct"] = {Kind::Array};
    names[module + "scalar"] = {Kind::Scalar};
  }
}

Names all_names() {
  Names names;
  names["torch._utils _rebuild_tensor"] = {Kind::Rebuild};
  names["torch._utils _rebuild_tensor_v2"] = {Kind::Rebuild};
  names["torch._utils _rebuild_tensor_v3"] = {Kind::RebuildV3};
  names["torch._utils _rebuild_parameter"] = {Kind::FirstOf};
  names["torch._utils _rebuild_parameter_with_state"] = {Kind::FirstOf};
  names["torch.nn.parameter Parameter"] = {Kind::FirstOf};
  names["torch.nn.parameter Buffer"] = {Kind::FirstOf};
  names["torch Tensor"] = {Kind::Plain};
  names["torch._tensor _rebuild_from_type_v2"] = {Kind::OfClass};
  names["torch Size"] = {Kind::FirstOf};
  names["torch device"] = {Kind::Device};
  add_types(names);
  add_python(names);
  add_numpy(names);
  return names;
}

}  // namespace

std::optional<TorchName> torch_name(std::string_view name) {
  static const Names names = all_names();
  if (const auto found = names.find(name); found != names.end()) return found->second;
  // Storages also stand in the modules of devices, "torch.DEVICE FloatStorage".
  const size_t space = name.find(' ');
  if (!name.starts_with("torch.") || space == name.npos ||
      (!name.ends_with("Storage") && !name.ends_with("Tensor")) ||
      name.substr(6, space - 6).find('.') != name.npos)
    return std::nullopt;
  const auto found = names.find("torch" + std::string(name.substr(space)));
  const bool is_elements = found != names.end() && (found->second.kind == Kind::Storage ||
                                                    found->second.kind == Kind::Refused ||
                                                    found->second.dtype != DType::Void);
  return is_elements ? std::optional(found->second) : std::nullopt;
}

}  // namespace tg::nn
