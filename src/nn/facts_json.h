// Facts of a file as JSON: how programs of other languages receive them.
#pragma once

#include <string>

#include "tg/files.h"

namespace tg::nn {

/// An object of the facts by name, in alphabetical order. Numbers that are not finite are null, and
/// bytes of texts that are not UTF-8 become U+FFFD.
std::string facts_json(const Facts& facts);

}  // namespace tg::nn
