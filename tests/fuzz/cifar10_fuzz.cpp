// Archives of CIFAR-10: src/nn/data/cifar10.h. An input that begins with "F" says what is in the
// six files of a small archive, 4 bytes a file: which one, how many records, how many bytes more or
// less, and the label of its records.
#include "nn/data/cifar10.h"

#include <fmt/format.h>

#include "fuzz/fuzz.h"
#include "unit/nn/file_builders.h"

namespace {

constexpr size_t kRecord = 1 + 3 * 32 * 32;

std::string archive_of(std::string_view facts) {
  tg::nn::Contents files;
  for (size_t at = 0; at + 4 <= std::min<size_t>(facts.size(), 40); at += 4) {
    const int which = facts[at] % 8;
    std::string records;
    for (int n = facts[at + 1] & 3; n > 0; --n)
      records += facts[at + 3] + std::string(kRecord - 1, facts[at]);
    records.resize(std::max(0, static_cast<int>(records.size()) + facts[at + 2]));
    files.emplace_back(which < 6 ? fmt::format("data_batch_{}.bin", which) : "cifar/test_batch.bin",
                       records);
  }
  return tg::nn::tar(files);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::read_or_refuse([&] {
    const nn::Cifar10 read = nn::parse_cifar10(
        text.starts_with("F") ? archive_of(text.substr(1)) : std::string(text), "fuzz");
    for (const nn::ColourImages* part : {&read.train, &read.test}) {
      fuzz::expect(part->images.size() == part->labels.size() * (kRecord - 1),
                   "each label has a picture");
      for (const uint8_t label : part->labels) fuzz::expect(label < 10, "there are ten labels");
    }
  });
  return 0;
}
