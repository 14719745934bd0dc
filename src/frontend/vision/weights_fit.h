// Whether the tensors of a file are those of a network, and what is wrong if not; for all networks
// that see pictures. Which network a file is of: classifier_files.cpp,
// detection/detector_files.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tg/nn.h"

namespace tg::models {

/// Names of tensors, quoted.
struct Misfit {
  std::vector<std::string> missing, left, other_shape;
  size_t count() const { return missing.size() + left.size() + other_shape.size(); }
};

Misfit misfit_of(const nn::StateDict& network, const nn::StateDict& tensors);
/// "missing "a", "b" and 7 more; left over "c"".
std::string described(const Misfit& misfit);

/// FileError in the name of `function`, unless the tensors of the file are those of the network and
/// floats.
void require_fit(std::string_view function, const nn::StateDict& network,
                 const nn::StateDict& tensors, const std::filesystem::path& file,
                 std::string_view description);

/// The size of an axis; 0 if there is no such tensor.
int64_t size_of(const nn::StateDict& tensors, std::string_view name, size_t axis);

}  // namespace tg::models
