// The reader: length, header text, JSON, entries, and at last the layout of the data, each checked
// before the next is touched. Nothing is allocated from a number in the file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "nn/format/little_endian.h"
#include "nn/format/safetensors.h"
#include "nn/format/safetensors_dtype.h"
#include "nn/format/utf8.h"
#include "support/check.h"
#include "support/file.h"

namespace tg::nn {

namespace {

using nlohmann::json;

constexpr uint64_t kMaxSafetensorsHeader =
    100'000'000;  // the limit of the reference implementation

// Checks one file and names it in every message.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(const ByteSource& file) : file_(file), name_(file.name()) {}

  SafeTensorsHeader read() {
    const std::string header = header_text();
    out_.data = 8 + header.size();
    data_size_ = file_.size() - out_.data;
    const json entries = parse(header);
    for (const auto& [key, value] : entries.items())
      key == kSafeTensorsMetadataKey ? add_metadata(value) : add_tensor(key, value);
    check_layout();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    user_error<FileError>("read_safetensors", fmt::format("\"{}\" {}", name_, problem));
  }
  [[noreturn]] void fail_tensor(std::string_view tensor, std::string_view problem) const {
    fail(fmt::format("has a bad tensor \"{}\": {}", tensor, problem));
  }

  std::string header_text() const {
    if (file_.size() < 8)
      fail(fmt::format("is truncated: it has {} bytes, the header's length alone takes 8",
                       file_.size()));
    const uint64_t length = little_endian_64(file_.read(0, 8), 0);
    if (length > kMaxSafetensorsHeader)
      fail(fmt::format("is no safetensors file: its header would have {} bytes, more than {}",
                       length, kMaxSafetensorsHeader));
    if (length > file_.size() - 8)
      fail(fmt::format("is truncated: its header has {} bytes, but only {} follow", length,
                       file_.size() - 8));
    std::string text = file_.read(8, length);
    if (text.empty() || text.front() != '{')
      fail("is no safetensors file: its header does not begin with {");
    if (const size_t valid = valid_utf8_prefix(text); valid != text.size())
      fail(fmt::format("has a header that is not UTF-8 at byte {}", 8 + valid));
    return text;
  }

  // The header as JSON. Refuses what a JSON library would let pass: two equal keys, and depth
  // beyond the format's.
  json parse(std::string_view text) const {
    std::vector<std::set<std::string>> keys(3);
    const auto check = [&](int depth, json::parse_event_t event, json& value) {
      const auto level = static_cast<size_t>(depth);
      const bool opens =
          event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
      if (opens && level >= keys.size()) fail("has a header that is nested too deeply");
      if (event == json::parse_event_t::object_start && level + 1 < keys.size())
        keys[level + 1].clear();
      if (event == json::parse_event_t::key && level < keys.size() &&
          !keys[level].insert(value.get_ref<const std::string&>()).second)
        fail(fmt::format("has the name \"{}\" twice in its header",
                         value.get_ref<const std::string&>()));
      return true;
    };
    try {
      return json::parse(text.begin(), text.end(), check);
    } catch (const json::parse_error& e) {
      fail(fmt::format("has a header that is not JSON at byte {}", 7 + e.byte));
    } catch (const json::exception&) {
      fail("has a header with a number that is out of range");
    }
  }

  void add_metadata(const json& value) {
    if (!value.is_object()) fail("has metadata that is no object");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail(fmt::format("has metadata that is no text: \"{}\"", key));
      out_.metadata[key] = text.get<std::string>();
    }
  }

  void add_tensor(const std::string& name, const json& entry) {
    if (!entry.is_object()) fail_tensor(name, "its entry is no object");
    for (const auto& [key, value] : entry.items())
      if (key != "dtype" && key != "shape" && key != "data_offsets")
        fail_tensor(name, fmt::format("its entry has an unknown key \"{}\"", key));
    TensorView t{.name = name, .dtype = read_dtype(name, entry), .shape = read_shape(name, entry)};
    const ByteRange range = read_range(name, entry);
    check_size(t, range.end - range.begin);
    out_.ranges.push_back(range);
    out_.tensors.push_back(std::move(t));
  }

  DType read_dtype(std::string_view name, const json& entry) const {
    const auto found = entry.find("dtype");
    if (found == entry.end() || !found->is_string())
      fail_tensor(name, "its dtype is missing or no text");
    const auto& text = found->get_ref<const std::string&>();
    const std::optional<DType> dtype = safetensors_dtype(text);
    if (!dtype) fail_tensor(name, fmt::format("its dtype \"{}\" is unknown", text));
    return *dtype;
  }

  std::vector<int64_t> read_shape(std::string_view name, const json& entry) const {
    const auto found = entry.find("shape");
    if (found == entry.end() || !found->is_array())
      fail_tensor(name, "its shape is missing or no list");
    std::vector<int64_t> shape;
    for (const json& size : *found) {
      if (!size.is_number_unsigned() || size.get<uint64_t>() > INT64_MAX)
        fail_tensor(name, fmt::format("its shape has a size that is no count: {}", size.dump()));
      shape.push_back(size.get<int64_t>());
    }
    return shape;
  }

  ByteRange read_range(std::string_view name, const json& entry) const {
    const auto found = entry.find("data_offsets");
    if (found == entry.end() || !found->is_array() || found->size() != 2 ||
        !(*found)[0].is_number_unsigned() || !(*found)[1].is_number_unsigned())
      fail_tensor(name, "its data_offsets are missing or no pair of counts");
    const ByteRange extent = {(*found)[0].get<uint64_t>(), (*found)[1].get<uint64_t>()};
    if (extent.begin > extent.end)
      fail_tensor(name,
                  fmt::format("its data_offsets [{}, {}] run backwards", extent.begin, extent.end));
    if (extent.end > data_size_)
      fail_tensor(name, fmt::format("its data_offsets [{}, {}] exceed the {} bytes of data",
                                    extent.begin, extent.end, data_size_));
    return extent;
  }

  void check_size(const TensorView& t, uint64_t bytes) const {
    auto expected = static_cast<uint64_t>(dtype_size(t.dtype));
    for (int64_t size : t.shape)
      if (__builtin_mul_overflow(expected, static_cast<uint64_t>(size), &expected))
        fail_tensor(t.name, fmt::format("its shape [{}] overflows", fmt::join(t.shape, ", ")));
    if (expected != bytes)
      fail_tensor(t.name, fmt::format("{} [{}] needs {} bytes, its data_offsets hold {}",
                                      safetensors_dtype_name(t.dtype), fmt::join(t.shape, ", "),
                                      expected, bytes));
  }

  // Sorts the tensors by place and checks that together they cover the data once.
  void check_layout() {
    std::vector<size_t> order(out_.ranges.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const ByteRange &x = out_.ranges[a], &y = out_.ranges[b];
      if (x.begin != y.begin) return x.begin < y.begin;
      return x.end != y.end ? x.end < y.end : out_.tensors[a].name < out_.tensors[b].name;
    });
    std::vector<TensorView> sorted;
    std::vector<ByteRange> ranges;
    uint64_t covered = 0;
    for (size_t i : order) {
      TensorView& t = out_.tensors[i];
      const ByteRange& extent = out_.ranges[i];
      if (extent.begin < covered)
        fail_tensor(t.name,
                    fmt::format("its data begins at {} within another tensor, which ends at {}",
                                extent.begin, covered));
      if (extent.begin > covered)
        fail_tensor(t.name, fmt::format("its data begins at {}, but the data before it ends at {}",
                                        extent.begin, covered));
      covered = extent.end;
      ranges.push_back(extent);
      sorted.push_back(std::move(t));
    }
    if (covered != data_size_)
      fail(fmt::format("has {} bytes of data, but its tensors end at {}", data_size_, covered));
    out_.tensors = std::move(sorted);
    out_.ranges = std::move(ranges);
  }

  const ByteSource& file_;
  std::string_view name_;
  uint64_t data_size_ = 0;
  SafeTensorsHeader out_;
};

}  // namespace

SafeTensorsHeader parse_safetensors_header(const ByteSource& source) {
  return SafetensorsReader(source).read();
}

SafeTensors parse_safetensors(std::string bytes, std::string_view name) {
  SafeTensors result;
  result.storage = std::make_shared<const std::string>(std::move(bytes));
  SafeTensorsHeader header =
      parse_safetensors_header(ByteSource::view(*result.storage, std::string(name)));
  for (size_t i = 0; i < header.tensors.size(); ++i) {
    const auto [begin, end] = header.ranges[i];
    header.tensors[i].bytes =
        std::string_view(*result.storage).substr(header.data + begin, end - begin);
  }
  result.tensors = std::move(header.tensors);
  result.metadata = std::move(header.metadata);
  return result;
}

SafeTensors read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(read_file(path), path.string());
}

}  // namespace tg::nn
