// Files of other programs, made byte by byte for tests: pickles, PyTorch's three formats, deflated
// zip members, tar archives, GGUF.
#pragma once

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/format/little_endian.h"
#include "nn/format/zip.h"

namespace tg::nn {

inline std::string bytes_le(uint64_t value, size_t count) {
  std::string out;
  append_little_endian(out, value, count);
  return out;
}
template <typename T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// ---- pickles: each function gives the instructions that push a value

namespace pickles {

inline std::string text(std::string_view s) { return "X" + bytes_le(s.size(), 4) + std::string(s); }
inline std::string number(int32_t n) { return "J" + bytes_le(static_cast<uint32_t>(n), 4); }
inline std::string global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}
inline std::string tuple(const std::vector<std::string>& items) {
  std::string out = "(";
  for (const auto& item : items) out += item;
  return out + "t";
}
inline std::string list(const std::vector<std::string>& items) {
  std::string out = "](";
  for (const auto& item : items) out += item;
  return out + "e";
}
inline std::string numbers(const std::vector<int>& values) {
  std::vector<std::string> items;
  for (const int v : values) items.push_back(number(v));
  return tuple(items);
}
inline std::string dict(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out = "}(";
  for (const auto& [key, value] : entries) out += key + value;
  return out + "u";
}
inline std::string call(const std::string& function, const std::string& arguments) {
  return function + arguments + "R";
}
inline std::string whole(const std::string& value) { return "\x80\x02" + value + "."; }

/// A storage of PyTorch; `more` is what older formats say behind.
inline std::string storage(std::string_view kind, std::string_view key, int count,
                           const std::string& more = {}) {
  return "(" + text("storage") + global("torch", std::string(kind) + "Storage") + text(key) +
         text("cpu") + number(count) + more + "tQ";
}
inline std::string tensor(const std::string& of, int offset, const std::vector<int>& sizes,
                          const std::vector<int>& strides) {
  return call(global("torch._utils", "_rebuild_tensor_v2"),
              "(" + of + number(offset) + numbers(sizes) + numbers(strides) + "\x89" + ")" +
                  global("collections", "OrderedDict") + ")R" + "t");
}

}  // namespace pickles

using Contents = std::vector<std::pair<std::string, std::string>>;

/// A zip archive of PyTorch: a pickle and its storages by key.
inline std::string torch_zip(const std::string& value, const Contents& storages) {
  const std::string pickle = pickles::whole(value);
  std::vector<ZipContent> members = {{"model/data.pkl", pickle}, {"model/byteorder", "little"}};
  for (const auto& [key, bytes] : storages) members.push_back({"model/data/" + key, bytes});
  return zip_bytes(members);
}

/// The format before: pickles and bytes one after another; elements of 4 bytes.
inline std::string torch_stream(const std::string& value, const Contents& storages) {
  using namespace pickles;
  std::vector<std::string> keys;
  for (const auto& [key, bytes] : storages) keys.push_back(text(key));
  std::string out = whole(std::string("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 12)) +
                    whole(number(1001)) + whole(dict({{text("little_endian"), "\x88"}})) +
                    whole(value) + whole(list(keys));
  for (const auto& [key, bytes] : storages) out += bytes_le(bytes.size() / 4, 8) + bytes;
  return out;
}

// ---- archives

/// A tar archive of files; `type` is that of each.
inline std::string tar(const Contents& files, char type = '0') {
  std::string out;
  for (const auto& [name, bytes] : files) {
    std::string h(512, '\0');
    h.replace(0, name.size(), name);
    h.replace(100, 7, "0000644");
    char size[13];
    std::snprintf(size, sizeof size, "%011o", static_cast<unsigned>(bytes.size()));
    h.replace(124, 11, size);
    h.replace(148, 8, "        ");
    h[156] = type;
    h.replace(257, 8, std::string_view("ustar\00000", 8));
    unsigned sum = 0;
    for (const char c : h) sum += static_cast<uint8_t>(c);
    char text[9];
    std::snprintf(text, sizeof text, "%06o", sum);
    h.replace(148, 7, std::string_view(text, 7));
    out += h + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
  }
  return out + std::string(1024, '\0');
}

/// Raw deflate data.
inline std::string deflated(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// What a member of a hand-made archive says of itself.
struct RawMember {
  std::string name;
  std::string packed;
  uint32_t unpacked = 0;
  uint32_t crc = 0;
  uint16_t method = 0;
  uint16_t flags = 0;
};
inline RawMember deflated_member(const std::string& name, const std::string& bytes) {
  return {name, deflated(bytes), static_cast<uint32_t>(bytes.size()),
          static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()),
                                      static_cast<uInt>(bytes.size()))),
          8};
}
/// A zip archive that says what it is told to; entry i of the directory is for the header `at[i]`
/// where that is given.
inline std::string raw_zip(const std::vector<RawMember>& members, std::vector<uint32_t> at = {}) {
  std::string file, directory;
  const auto facts = [](const RawMember& m) {
    return bytes_le(20, 2) + bytes_le(m.flags, 2) + bytes_le(m.method, 2) + bytes_le(0, 4) +
           bytes_le(m.crc, 4) + bytes_le(m.packed.size(), 4) + bytes_le(m.unpacked, 4) +
           bytes_le(m.name.size(), 2) + bytes_le(0, 2);
  };
  for (size_t i = 0; i < members.size(); ++i) {
    const RawMember& m = members[i];
    if (i == at.size()) at.push_back(static_cast<uint32_t>(file.size()));
    directory += bytes_le(0x02014b50, 4) + bytes_le(20, 2) + facts(m) + std::string(10, '\0') +
                 bytes_le(at[i], 4) + m.name;
    file += bytes_le(0x04034b50, 4) + facts(m) + m.name + m.packed;
  }
  const size_t begin = file.size(), count = members.size();
  return file + directory + bytes_le(0x06054b50, 4) + bytes_le(0, 4) + bytes_le(count, 2) +
         bytes_le(count, 2) + bytes_le(directory.size(), 4) + bytes_le(begin, 4) + bytes_le(0, 2);
}

// ---- GGUF

struct GgufPart {
  std::string name;
  std::vector<uint64_t> dims;  // the fastest first
  uint32_t type = 0;
  std::string bytes;
};
inline std::string gguf_text(std::string_view s) { return bytes_le(s.size(), 8) + std::string(s); }
/// Facts are (name, type and value as bytes).
inline std::string gguf(const Contents& facts, const std::vector<GgufPart>& tensors,
                        uint32_t version = 3, size_t alignment = 32) {
  std::string head =
      "GGUF" + bytes_le(version, 4) + bytes_le(tensors.size(), 8) + bytes_le(facts.size(), 8);
  for (const auto& [name, value] : facts) head += gguf_text(name) + value;
  std::string body;
  for (const GgufPart& t : tensors) {
    body.append((alignment - body.size() % alignment) % alignment, '\0');
    head += gguf_text(t.name) + bytes_le(t.dims.size(), 4);
    for (const uint64_t d : t.dims) head += bytes_le(d, 8);
    head += bytes_le(t.type, 4) + bytes_le(body.size(), 8);
    body += t.bytes;
  }
  head.append((alignment - head.size() % alignment) % alignment, '\0');
  return head + body;
}

}  // namespace tg::nn
