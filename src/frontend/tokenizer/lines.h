// The lines of a text file, as Python reads them: each of "\n", "\r\n" and "\r" ends one.
#pragma once

#include <string_view>
#include <vector>

namespace tg::models {

/// Without their ends; views of `text`. A text that ends with a line's end has no empty line there.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace tg::models
