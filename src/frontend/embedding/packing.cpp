// See packing.h.
#include "frontend/embedding/packing.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace tg::models {
namespace {

constexpr int64_t kTokensOfText = 4;  // a row has room for a text every so many tokens

}  // namespace

std::vector<PackedRow> packed(std::span<const int64_t> lengths, int64_t room, size_t most) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<PackedRow> rows;
  std::multimap<int64_t, size_t> open;  // rows by the room that they have left
  for (const size_t text : order) {
    const auto found = open.lower_bound(lengths[text]);
    size_t row = rows.size();
    if (found == open.end()) {
      rows.emplace_back();
    } else {
      row = found->second;
      open.erase(found);
    }
    rows[row].texts.push_back(text);
    rows[row].tokens += lengths[text];
    if (rows[row].tokens < room && rows[row].texts.size() < most)
      open.emplace(room - rows[row].tokens, row);
  }
  return rows;
}

int64_t texts_of(int64_t row) { return std::max<int64_t>(row / kTokensOfText, 1); }

int64_t row_for(int64_t tokens, int64_t longest) {
  const auto fit = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(tokens)));
  return std::clamp(fit, kLeastRow, std::max(longest, kUsualRow));
}

int64_t row_of(const PackedRow& packed, int64_t longest) {
  return row_for(std::max(packed.tokens, std::ssize(packed.texts) * kTokensOfText), longest);
}

std::vector<float> row_by_row(std::span<const std::vector<int32_t>> texts, int64_t size,
                              const std::function<std::vector<float>(const PackedRow&)>& of_row,
                              const std::function<void(int64_t done)>& progress) {
  std::vector<int64_t> lengths;
  std::vector<size_t> numbers;  // of texts that have tokens
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    lengths.push_back(std::ssize(texts[i]));
    numbers.push_back(i);
  }
  std::vector<float> out(texts.size() * static_cast<size_t>(size));
  auto done = static_cast<int64_t>(texts.size() - numbers.size());
  for (PackedRow& row : packed(lengths, kUsualRow, static_cast<size_t>(texts_of(kUsualRow)))) {
    for (size_t& text : row.texts) text = numbers[text];
    const std::vector<float> from = of_row(row);
    for (size_t i = 0; i < row.texts.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i) * size;
      const auto to = static_cast<std::ptrdiff_t>(row.texts[i]) * size;
      std::copy_n(from.begin() + at, size, out.begin() + to);
    }
    done += std::ssize(row.texts);
    if (progress) progress(done);
  }
  return out;
}

}  // namespace tg::models
