// Reads ONNX files: bytes to checked graphs. Whatever is wrong with a file is a FileError that
// names it and the place. Tensors of files: read_tensor.cpp. No operator is known here except by
// the table.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "frontend/onnx/graph.h"

namespace tg_onnx_file {
class Tensor;
}

namespace tg::onnx {

/// Where a file's tensors come from and go to.
struct Source {
  std::string name;              ///< of the file, in messages
  std::filesystem::path folder;  ///< of external data; empty: there is none
  std::string device;            ///< of the initialisers
};

/// A model with its initialisers.
Parsed read_model(std::span<const std::byte> bytes, const Source& source);

/// Data files beside a model: each part is read once, and no two parts overlap.
class ExternalData {
 public:
  explicit ExternalData(const Source& source) : source_(source) {}
  /// The bytes of a tensor. FileError if they are not inside the file, overlap another tensor's in
  /// part, or the file is not inside the folder.
  std::string bytes(const tg_onnx_file::Tensor& tensor, const std::string& place,
                    uint64_t expected);
  /// Tensors that were read: the same part with the same shape and dtype is one tensor.
  const Value* find(const std::string& key) const {
    const auto found = kept_.find(key);
    return found == kept_.end() ? nullptr : &found->second;
  }
  void keep(const std::string& key, const Value& value) { kept_[key] = value; }

 private:
  std::filesystem::path resolve(const std::string& location, const std::string& place) const;

  const Source& source_;
  std::map<std::string, std::map<uint64_t, uint64_t>> ranges_;  // of each file: begin to end
  std::map<std::string, Value> kept_;
};

/// A tensor of a file. `place` says where it is; of a small one the numbers are kept, too.
/// Absent for element types that are not supported.
Value read_tensor(const tg_onnx_file::Tensor& tensor, const std::string& place,
                  const Source& source, ExternalData& external);

/// Files of single values, as in the test data of ONNX: a tensor, a sequence, an optional.
enum class FileKind { Tensor, Sequence, Optional };
Value read_value(std::span<const std::byte> bytes, FileKind kind, const std::string& name);

}  // namespace tg::onnx
