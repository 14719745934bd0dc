// Where NVIDIA's toolkit keeps its libraries, which are opened at run time.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tg::cuda {

/// The first of the libraries `names` in the toolkit of option CUDA_PATH; without it where the
/// loader looks, then in /usr/local/cuda. Empty if there is none.
std::string find_toolkit_library(std::span<const std::string_view> names);
/// What to do when none was found; `name` is that of the library.
std::string missing_toolkit_advice(std::string_view name);

}  // namespace tg::cuda
