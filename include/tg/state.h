// Tensor files other than the library's own: PyTorch, GGUF, NumPy, sharded safetensors, and
// archives. `load_file` detects the format and reads any of them, and so do nn::load and
// tg_state_load; the functions here read one format, or return more than tensors. Nothing in a file
// is executed, and a damaged or malicious file raises FileError naming file and fault. How state
// dicts and models fit together: nn.h; the formats themselves: src/nn/format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "tg/export.h"
#include "tg/files.h"
#include "tg/nn.h"
#include "tg/tensor.h"

namespace tg::nn {

// ---- tensors and metadata

/// The contents of a file.
struct StateFile {
  StateDict tensors;
  Facts facts;
};

/// Called while a file is read, with the bytes of tensors since the last call.
using ReadProgress = std::function<void(uint64_t bytes)>;

/// The tensors of a file, on `device` (empty: the default one), and its metadata. The format is
/// detected by content: safetensors, an index of sharded safetensors, PyTorch's three formats,
/// GGUF, .npz; metadata are those of safetensors and GGUF, and the numbers and texts of a PyTorch
/// checkpoint, named as tensors in their places would be. `progress` hears of safetensors and GGUF.
/// Throws FileError.
TG_API StateFile load_file(const std::filesystem::path& file, const std::string& device = {},
                           const ReadProgress& progress = {});

// ---- PyTorch

/// Options of torch_load.
struct TorchOptions {
  std::string device = {};  ///< where the tensors live; empty: the default device
  /// Skips objects of classes that do not build tensors, which otherwise are an error.
  bool skip_unknown = false;
};

/// The tensors of a file that torch.save wrote (.pt, .pth, .bin), in each format since PyTorch 0.1.
/// Nested dicts and lists become dotted names, "model.layers.0.weight"; a file with a single tensor
/// names it "". Tensors that share a storage share it here, as in PyTorch. Calls nothing that the
/// file names: a class or function that does not build tensors is a FileError with its name.
TG_API StateDict torch_load(const std::filesystem::path& file, const TorchOptions& options = {});

namespace detail {
/// A file that may hold whole modules of PyTorch.
struct ModuleFile {
  StateDict tensors;     ///< as those of load_file; of modules, what state_dict() lists of them
  Facts facts;           ///< as those of load_file, and the numbers and texts among attributes
  StateDict attributes;  ///< other tensors among the attributes of modules and other objects
};
/// load_file, but an object of a class that builds no tensors is read as its attributes, and a
/// module as its parameters, buffers and modules, by the names that state_dict() gives them. Calls
/// nothing that the file names. What an object has no attributes for is left out. Throws FileError.
TG_API ModuleFile load_modules(const std::filesystem::path& file, const std::string& device = {},
                               const ReadProgress& progress = {});
}  // namespace detail

// ---- GGUF

/// The metadata and tensors of a GGUF file; for a model in several files, all of them, given the
/// name of the first. Number types keep their dtype; quantised tensors are float32, but stay
/// quantised in memory until they are computed: kernels that read them unpack them. Throws
/// FileError, also for unsupported element types (docs/files.md lists the supported ones).
TG_API StateFile gguf_load(const std::filesystem::path& file, const std::string& device = {},
                           const ReadProgress& progress = {});

/// What a GGUF file says of itself, without the elements of its tensors.
struct GgufInfo {
  Facts facts;
  std::map<std::string, Shape, std::less<>> shapes;  ///< of the tensors by name
  uint64_t bytes = 0;                                ///< of their elements
};

/// The same of a file, or of all files of a model, as for gguf_load; of their tensors only what is
/// in memory in any case is read.
TG_API GgufInfo gguf_info(const std::filesystem::path& file);

/// The first `count` elements of ggml's type number `type` in `bytes`, uint8 [n]: in its own dtype
/// if the type is one of numbers, else float32. Shape [count]. Throws ArgumentError for an unknown
/// type, or too few bytes.
TG_API Tensor ggml_tensor(const Tensor& bytes, int64_t count, int64_t type);

// ---- NumPy

/// The array of a .npy file. Throws FileError, also for arrays of objects, texts and complex
/// numbers.
TG_API Tensor npy_load(const std::filesystem::path& file, const std::string& device = {});
/// Writes a .npy file, through a temporary one beside it. Throws DTypeError for dtypes that NumPy
/// lacks (bfloat16, fp8).
TG_API void npy_save(const Tensor& tensor, const std::filesystem::path& file);
/// The arrays of a .npz file by name, compressed or not.
TG_API StateDict npz_load(const std::filesystem::path& file, const std::string& device = {});
/// Writes a .npz file, not compressed: numpy.load reads it.
TG_API void npz_save(const StateDict& dict, const std::filesystem::path& file);

// ---- safetensors in several files, and their metadata

/// Texts that travel with the tensors of a safetensors file.
using Metadata = std::map<std::string, std::string>;

/// Writes a safetensors file with metadata of its own. Throws FileError; ArgumentError for texts
/// that are not UTF-8.
TG_API void save(const StateDict& dict, const std::filesystem::path& file,
                 const Metadata& metadata);
/// The metadata of a safetensors file; the tensors are not read.
TG_API Metadata load_metadata(const std::filesystem::path& file);
/// The tensors of a model in several safetensors files, by its index: model.safetensors.index.json.
/// The files are in the folder of the index. Throws FileError, also if a file lacks a tensor that
/// the index lists.
TG_API StateDict load_sharded(const std::filesystem::path& index, const std::string& device = {},
                              const ReadProgress& progress = {});

// ---- archives

/// The files in a zip archive by name, as tensors of their bytes, uint8 [size]. Throws FileError,
/// also for names that lead out of a folder ("../x", "/x").
TG_API StateDict zip_extract(const std::filesystem::path& file, const ArchiveLimits& limits = {},
                             const std::string& device = {});
/// The same of a tar archive, gzipped or not.
TG_API StateDict tar_extract(const std::filesystem::path& file, const ArchiveLimits& limits = {},
                             const std::string& device = {});

}  // namespace tg::nn
