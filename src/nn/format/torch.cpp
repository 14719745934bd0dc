// The three formats: what differs is where the pickle and the storages stand.
#include "nn/format/torch.h"

#include <algorithm>
#include <utility>

#include "nn/format/little_endian.h"
#include "nn/format/npy.h"
#include "nn/format/tar.h"
#include "nn/format/torch_meaning.h"
#include "nn/format/torch_names.h"
#include "nn/format/utf8.h"
#include "support/check.h"

namespace tg::nn {
namespace {

// 0x1950a86a20f9469cfc6c, little endian.
constexpr std::string_view kTorchMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr int64_t kProtocol = 1001;
constexpr uint64_t kMaxPickle = uint64_t{1} << 30;

// Pickles and numbers one after another in a part of a file.
class Stream {
 public:
  Stream(const TorchFile& file, uint64_t begin, uint64_t end)
      : file_(file), at_(begin), end_(end) {}

  uint64_t place() const { return at_; }
  bool at_end() const { return at_ == end_; }

  // Reads more and more until the pickle ends in what was read.
  Pickle pickle() {
    uint64_t window = std::min<uint64_t>(end_ - at_, 1 << 9);
    while (true) {
      const std::string bytes = file_.source.read(at_, window);
      const bool is_all = window == end_ - at_ || window >= kMaxPickle;
      try {
        Pickle p = parse_pickle(bytes, file_.source.name(), at_);
        at_ += p.size;
        return p;
      } catch (const FileError&) {
        if (is_all) throw;
      }
      window = std::min({end_ - at_, window * 8, kMaxPickle});
    }
  }
  uint64_t number(size_t bytes) {
    const uint64_t value = little_endian(take(bytes), 0, bytes);
    return value;
  }
  std::string take(uint64_t count) {
    std::string bytes = file_.source.read(at_, need(count));
    at_ += count;
    return bytes;
  }
  void skip(uint64_t count) { at_ += need(count); }

 private:
  uint64_t need(uint64_t count) const {
    if (count > end_ - at_)
      fail_torch(file_, fmt::format("is truncated: {} bytes are needed at {}, {} are left", count,
                                    at_, end_ - at_));
    return count;
  }

  const TorchFile& file_;
  uint64_t at_, end_;
};

const PickleNode& root_of(const Pickle& p) { return p[p.root]; }

uint64_t count_of(const TorchFile& file, const PickleNode& n, std::string_view what) {
  if (n.kind != PickleKind::Int || n.number < 0)
    fail_torch(file, fmt::format("has {} that is no count", what));
  return static_cast<uint64_t>(n.number);
}

// The items of a tuple, at least so many.
const std::vector<uint32_t>& parts_of(const TorchFile& file, const PickleNode& n, size_t least,
                                      std::string_view what) {
  if ((n.kind != PickleKind::Tuple && n.kind != PickleKind::List) || n.items.size() < least)
    fail_torch(file, fmt::format("has {} that is no list of {} parts", what, least));
  return n.items;
}

// ---- zip: PyTorch since 1.6

void read_archive(TorchFile& file, UnknownClass unknown) {
  file.archive = std::make_shared<const ZipArchive>(file.source);
  constexpr std::string_view kPickle = "data.pkl";
  const ZipMember* pickle = nullptr;
  for (const ZipMember& m : file.archive->members())
    if (pickle == nullptr && (m.name == kPickle || m.name.ends_with("/data.pkl"))) pickle = &m;
  if (pickle == nullptr) fail_torch(file, "is a zip archive without data.pkl, so not of PyTorch");
  file.folder = pickle->name.substr(0, pickle->name.size() - kPickle.size());
  if (const ZipMember* order = file.archive->find(file.folder + "byteorder")) {
    const std::string text = file.archive->read(*order);
    if (!text.starts_with("little"))
      fail_torch(file, fmt::format("has numbers in the order \"{}\", only \"little\" is read",
                                   printable(text)));
  }
  if (pickle->unpacked > kMaxPickle)
    fail_torch(file, fmt::format("has a pickle of {} bytes", pickle->unpacked));
  file.pickle = parse_pickle(file.archive->read(*pickle), file.source.name() + ":" + pickle->name);
  TorchParts parts;
  find_meanings(file, parts, unknown);
}

// ---- pickles and bytes one after another: PyTorch before 1.6

// Behind the pickle: the names of the storages, then of each its size and bytes.
void find_storages(TorchFile& file, const TorchParts& parts, Stream& in) {
  const Pickle keys = in.pickle();
  std::map<std::string, uint64_t> places;
  for (const uint32_t i : parts_of(file, root_of(keys), 0, "names of storages")) {
    const std::string key = torch_key(file, keys[i]);
    const auto found = parts.storages.find(key);
    if (found == parts.storages.end())
      fail_torch(file, fmt::format("has no storage {}", printable(key)));
    const uint64_t count = in.number(8), bytes = file.storages[found->second].bytes;
    if (count > bytes || (count == 0) != (bytes == 0) || (count != 0 && bytes % count != 0))
      fail_torch(file, fmt::format("has a storage {} of {} bytes and of {} elements",
                                   printable(key), bytes, count));
    if (!places.emplace(key, in.place()).second)
      fail_torch(file, fmt::format("has storage {} twice", printable(key)));
    in.skip(bytes);
  }
  for (TorchStorage& s : file.storages) {
    if (s.node != TorchStorage::kNoNode) continue;
    const auto found = places.find(s.key);
    if (found == places.end()) fail_torch(file, fmt::format("lacks storage {}", printable(s.key)));
    s.begin = found->second;
  }
}

void read_stream(TorchFile& file, UnknownClass unknown) {
  Stream in(file, 0, file.source.size());
  const Pickle magic = in.pickle(), protocol = in.pickle();
  if (root_of(magic).kind != PickleKind::LargeInt || root_of(magic).text != kTorchMagic ||
      root_of(protocol).kind != PickleKind::Int || root_of(protocol).number != kProtocol)
    fail_torch(file, "does not begin as files of PyTorch do");
  const Pickle machine = in.pickle();
  const PickleNode& facts = root_of(machine);
  for (size_t i = 0; i + 1 < facts.entries.size(); i += 2) {
    if (machine[facts.entries[i]].text == "little_endian" &&
        machine[facts.entries[i + 1]].kind == PickleKind::Bool &&
        machine[facts.entries[i + 1]].number == 0)
      fail_torch(file, "has numbers in the order \"big\", only \"little\" is read");
  }
  file.pickle = in.pickle();
  TorchParts parts;
  find_meanings(file, parts, unknown);
  find_storages(file, parts, in);
}

// ---- tar: PyTorch before 0.1.11

Stream member_of(const TorchFile& file, const std::vector<TarMember>& members,
                 std::string_view name) {
  for (const TarMember& m : members)
    if (m.name == name || m.name == fmt::format("./{}", name))
      return Stream(file, m.begin, m.begin + m.size);
  fail_torch(file, fmt::format("is a tar archive without {}, so not of PyTorch", name));
}

void list_storages(TorchFile& file, Stream in, std::map<std::string, DType>& types,
                   TorchParts& parts) {
  const Pickle number = in.pickle();
  for (uint64_t k = count_of(file, root_of(number), "a number of storages"); k > 0; --k) {
    const Pickle head = in.pickle();
    const auto& described = parts_of(file, root_of(head), 3, "a storage");
    const auto known = torch_name(head[described[2]].text);
    if (!known || known->kind != TorchName::Kind::Storage)
      fail_torch(file, "has a storage of an unknown type");
    const std::string key = torch_key(file, head[described[0]]);
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(in.number(8), static_cast<uint64_t>(dtype_size(known->dtype)),
                               &bytes))
      fail_torch(file, "has a storage whose size overflows");
    if (!parts.storages.emplace(key, static_cast<uint32_t>(file.storages.size())).second)
      fail_torch(file, fmt::format("has storage {} twice", printable(key)));
    types[key] = known->dtype;
    file.storages.push_back({.key = key, .bytes = bytes, .begin = in.place()});
    in.skip(bytes);
  }
  if (!in.at_end()) {
    const Pickle views = in.pickle();
    if (!parts_of(file, root_of(views), 0, "parts of storages").empty())
      fail_torch(file, "has storages that are parts of others, which are not read");
  }
}

void list_tensors(TorchFile& file, Stream in, const std::map<std::string, DType>& types,
                  TorchParts& parts) {
  constexpr uint64_t kMostAxes = 64;
  const Pickle number = in.pickle();
  for (uint64_t k = count_of(file, root_of(number), "a number of tensors"); k > 0; --k) {
    const Pickle head = in.pickle();
    const auto& described = parts_of(file, root_of(head), 2, "a tensor");
    const std::string storage = torch_key(file, head[described[1]]);
    const auto found = parts.storages.find(storage);
    if (found == parts.storages.end())
      fail_torch(file,
                 fmt::format("has a tensor of storage {}, which is not there", printable(storage)));
    const uint64_t axes = in.number(4);
    in.skip(4);
    if (axes > kMostAxes) fail_torch(file, fmt::format("has a tensor of {} axes", axes));
    TorchTensor t = {.storage = found->second, .dtype = types.at(storage)};
    for (auto* list : {&t.shape, &t.strides})
      for (uint64_t axis = 0; axis < axes; ++axis)
        list->push_back(static_cast<int64_t>(in.number(8)));
    t.offset = in.number(8);
    parts.tensors[torch_key(file, head[described[0]])] = add_torch_tensor(file, std::move(t));
  }
}

void read_tar_file(TorchFile& file, UnknownClass unknown) {
  const std::vector<TarMember> members = read_tar(file.source);
  std::map<std::string, DType> types;
  TorchParts parts;
  list_storages(file, member_of(file, members, "storages"), types, parts);
  list_tensors(file, member_of(file, members, "tensors"), types, parts);
  file.pickle = member_of(file, members, "pickle").pickle();
  find_meanings(file, parts, unknown);
}

bool begins_with_magic(const ByteSource& source) {
  // The magic number behind PROTO 2 and LONG1 of 10 bytes.
  return source.size() >= 14 && source.read(4, 10) == kTorchMagic;
}

}  // namespace

uint32_t TorchFile::resolve(uint32_t i) const {
  while (meanings[i].kind == TorchMeaning::Kind::SameAs) i = meanings[i].index;
  return i;
}

std::string TorchFile::read(const TorchStorage& s) const {
  if (s.node != TorchStorage::kNoNode) {
    std::string bytes = pickle[s.node].text;
    if (s.swapped != 0) swap_bytes(bytes, s.swapped);
    return bytes;
  }
  if (archive == nullptr) return source.read(s.begin, s.bytes);
  const std::string name = folder + "data/" + s.key;
  const ZipMember* member = archive->find(name);
  if (member == nullptr) fail_torch(*this, fmt::format("lacks \"{}\"", printable(name)));
  if (member->unpacked < s.bytes)
    fail_torch(*this, fmt::format("has a storage \"{}\" of {} bytes, of which {} are there",
                                  printable(name), s.bytes, member->unpacked));
  std::string bytes = archive->read(*member);
  bytes.resize(s.bytes);
  return bytes;
}

TorchFile read_torch(ByteSource source, UnknownClass unknown) {
  TorchFile file{.source = std::move(source)};
  if (is_zip(file.source))
    read_archive(file, unknown);
  else if (is_tar(file.source))
    read_tar_file(file, unknown);
  else if (begins_with_magic(file.source))
    read_stream(file, unknown);
  else
    fail_torch(file,
               "is no file of PyTorch: it begins neither as a zip or tar archive nor with "
               "the number that marks older ones");
  return file;
}

bool is_torch(const ByteSource& source) {
  if (begins_with_magic(source) || is_tar(source)) return true;
  if (!is_zip(source)) return false;
  const ZipArchive archive(source);
  return std::any_of(archive.members().begin(), archive.members().end(), [](const ZipMember& m) {
    return m.name == "data.pkl" || m.name.ends_with("/data.pkl");
  });
}

}  // namespace tg::nn
