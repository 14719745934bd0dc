// Files of PyTorch (.pt, .pth, .bin): a pickle in which tensors are calls that name storages, and
// the storages' bytes: members of a zip archive since PyTorch 1.6, before that behind the pickle,
// in the beginning in a tar archive. Here the calls that tensors are made of get their meaning;
// nothing is run, and whatever else a file names is refused by its name. How values become tensors:
// nn/torch_load.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nn/format/pickle.h"
#include "nn/format/zip.h"
#include "support/file.h"
#include "tg/dtype.h"

namespace tg::nn {

/// Bytes that tensors show.
struct TorchStorage {
  static constexpr uint32_t kNoNode = UINT32_MAX;

  std::string key;          ///< what the file calls it
  uint64_t bytes = 0;       ///< as many as tensors may show
  uint64_t begin = 0;       ///< in the file, where that is no zip archive
  uint32_t node = kNoNode;  ///< of an array of NumPy: the value of the pickle that has the bytes
  uint32_t swapped = 0;     ///< bytes that stand the other way round together; 0: none
};

/// A view of a storage; offset and strides count elements, all are checked to lie inside.
struct TorchTensor {
  uint32_t storage = 0;
  DType dtype = DType::Float32;
  uint64_t offset = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

/// What a value of the pickle stands for.
struct TorchMeaning {
  enum class Kind : uint8_t {
    Itself,   ///< plain data
    SameAs,   ///< the value `index`
    Tensor,   ///< tensors[index]
    Storage,  ///< storages[index], elements of `dtype`
    Dict,     ///< the entries of the node
    Type,     ///< `dtype`
    Unknown,  ///< an object of a class that is not known here: the text of value `index`
  };
  Kind kind = Kind::Itself;
  uint32_t index = 0;
  DType dtype = DType::Void;
  uint64_t begin = 0;  ///< of a part of a storage: its first byte
};

struct TorchFile {
  ByteSource source;
  std::shared_ptr<const ZipArchive> archive;  ///< null in the older formats
  std::string folder;                         ///< in the archive, with its slash
  Pickle pickle;
  std::vector<TorchMeaning> meanings;  ///< one a value
  std::vector<TorchStorage> storages;
  std::vector<TorchTensor> tensors;

  /// The value that node `i` stands for: never one that is SameAs another.
  uint32_t resolve(uint32_t i) const;
  /// The bytes of a storage. Throws FileError if they are damaged or missing.
  std::string read(const TorchStorage& storage) const;
};

/// What becomes of classes and functions that no tensor is made of.
enum class UnknownClass : uint8_t { Refuse, Keep };

/// Reads everything but the storages' bytes. Throws FileError naming file and fault; for what is
/// Unknown also the name, unless it is kept.
TorchFile read_torch(ByteSource source, UnknownClass unknown = UnknownClass::Refuse);

/// Whether the file begins as one of PyTorch's own formats, or is a zip archive with a pickle.
bool is_torch(const ByteSource& source);

}  // namespace tg::nn
