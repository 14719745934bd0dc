// What the calls in a pickle of PyTorch mean; a part of torch.h.
#pragma once

#include <map>
#include <string>

#include "nn/format/torch.h"

namespace tg::nn {

/// The storages and tensors that a format lists apart from its pickle, by their names.
struct TorchParts {
  std::map<std::string, uint32_t> storages;
  std::map<std::string, uint32_t> tensors;
};

/// Fills in `meanings`, `tensors` and, where the pickle names new ones, `storages` of a file whose
/// pickle is read. Throws FileError as read_torch does.
void find_meanings(TorchFile& file, TorchParts& parts, UnknownClass unknown);

/// Adds a tensor, checked to lie within its storage.
uint32_t add_torch_tensor(TorchFile& file, TorchTensor tensor);

/// FileError: the file is damaged in this way.
[[noreturn]] void fail_torch(const TorchFile& file, std::string_view problem);

/// The text or number that names a storage; FileError if it is neither.
std::string torch_key(const TorchFile& file, const PickleNode& node);

}  // namespace tg::nn
