// CIFAR-10 in its binary form: records of a label and a picture of 3 x 32 x 32 bytes, in six files
// that are published in one archive. Where the archive comes from: published.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nn/data/published.h"

namespace tg::nn {

/// Labelled pictures of bytes.
struct ColourImages {
  std::vector<uint8_t> images;  ///< [count, 3, 32, 32]: red, green, blue
  std::vector<uint8_t> labels;  ///< [count], each 0…9

  int64_t count() const { return static_cast<int64_t>(labels.size()); }
};

struct Cifar10 {
  ColourImages train;  ///< 50,000
  ColourImages test;   ///< 10,000
  std::string source;  ///< for people: which file
};

/// How to search. The defaults are what programs want; tests narrow them.
struct Cifar10Search : PublishedSearch {
  Cifar10Search();
  PublishedFile file;
};

/// The pictures of the archive cifar-10-binary.tar.gz: that of the folder of option TG_DATASETS or
/// its subfolder cifar10, that of the cache, or that of the net. Throws FileError if there is none,
/// or if it is damaged.
Cifar10 find_cifar10(const Cifar10Search& search = {});

/// The pictures in the bytes of the archive; `name` stands for it in messages. Throws FileError.
Cifar10 parse_cifar10(std::string bytes, const std::string& name);

}  // namespace tg::nn
