// Files of tensors beside the library's own: PyTorch, GGUF, NumPy, sharded safetensors, and
// archives. `load_file` looks at the content and reads any of them, and so do nn::load and
// tg_state_load; the functions here say which format is meant, or give more than tensors. Nothing
// in a file is run, and a file that is damaged or made to harm raises FileError naming file and
// fault. How state dicts and models meet: nn.h; the formats themselves: src/nn/format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "tg/export.h"
#include "tg/files.h"
#include "tg/nn.h"
#include "tg/tensor.h"

namespace tg::nn {

// ---- what files say beside tensors

/// What a file holds.
struct StateFile {
  StateDict tensors;
  Facts facts;
};

/// The tensors of a file, on `device` (empty: the default one), and what it says beside them. The
/// content tells the format: safetensors, an index of sharded safetensors, PyTorch's three formats,
/// GGUF, .npz; facts are safetensors' metadata, GGUF's metadata, and the numbers and texts of a
/// checkpoint of PyTorch by the names that tensors in their places would have. Throws FileError.
TG_API StateFile load_file(const std::filesystem::path& file, const std::string& device = {});

// ---- PyTorch

/// Of torch_load.
struct TorchOptions {
  std::string device = {};  ///< where the tensors live; empty: the default device
  /// Leaves out objects of classes that no tensor is made of, which otherwise are an error.
  bool skip_unknown = false;
};

/// The tensors of a file that torch.save wrote (.pt, .pth, .bin), in each format since PyTorch 0.1.
/// Dicts and lists in one another become names with dots, "model.layers.0.weight"; a file that
/// holds one tensor gives it the name "". Tensors that share a storage share it here, as in
/// PyTorch. Calls nothing that the file names: a class or function that no tensor is made of is a
/// FileError with its name.
TG_API StateDict torch_load(const std::filesystem::path& file, const TorchOptions& options = {});

// ---- GGUF

/// The metadata and tensors of a GGUF file; of a model in several files, all of them by the name of
/// the first. Tensors of numbers keep their dtype; quantised ones are float32, and stay quantised
/// in memory until they are computed: kernels that read them unpack them. Throws FileError, also
/// for element types that are not read (docs/files.md lists those that are).
TG_API StateFile gguf_load(const std::filesystem::path& file, const std::string& device = {});

/// The first `count` elements of ggml's type number `type` in `bytes`, uint8 [n]: of its dtype if
/// the type is one of numbers, else float32. Shape [count]. Throws ArgumentError for a type that is
/// not known, or bytes that do not suffice.
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
/// The files lie beside the index. Throws FileError, also if a file lacks a tensor that the index
/// says is there.
TG_API StateDict load_sharded(const std::filesystem::path& index, const std::string& device = {});

// ---- archives

/// The files in a zip archive by name, as tensors of their bytes, uint8 [size]. Throws FileError,
/// also for names that lead out of a folder ("../x", "/x").
TG_API StateDict zip_extract(const std::filesystem::path& file, const ArchiveLimits& limits = {},
                             const std::string& device = {});
/// The same of a tar archive, gzipped or not.
TG_API StateDict tar_extract(const std::filesystem::path& file, const ArchiveLimits& limits = {},
                             const std::string& device = {});

}  // namespace tg::nn
