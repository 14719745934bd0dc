// The classes and functions that files of PyTorch may name: those that tensors, and what stands
// around them in state dicts, are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tg/dtype.h"

namespace tg::nn {

/// What a name in a pickle stands for.
struct TorchName {
  enum class Kind : uint8_t {
    Rebuild,      ///< a tensor: storage, offset, sizes, strides…
    RebuildV3,    ///< the same of a storage of bytes, with the dtype behind
    FirstOf,      ///< its first argument: parameters, sizes, sets
    OfClass,      ///< function, class, arguments, state: what the function gives
    Dict,         ///< entries, perhaps made from pairs
    DefaultDict,  ///< the same behind what makes missing values
    Device,       ///< its name and number
    Encode,       ///< text as Latin-1
    Array,        ///< a NumPy array, described by its state
    Scalar,       ///< a NumPy scalar: dtype, bytes
    ArrayType,    ///< a dtype of NumPy: "f4"
    Storage,      ///< the class of storages of `dtype`; UInt8 for those of bytes
    Type,         ///< a dtype
    Plain,        ///< a class that is named, but not called
    Refused,      ///< known, but of elements that are not read
  };
  Kind kind = Kind::Plain;
  DType dtype = DType::Void;
};

/// Empty for every other name. `name`: "module name".
std::optional<TorchName> torch_name(std::string_view name);

}  // namespace tg::nn
