// See disk_cache.h. An entry is a header of eight 64-bit words (magic, version, lengths of key and
// bytes, checksum of both, zeros), the key and the bytes. Its time of modification is the time of
// its last use.
#include "runtime/disk_cache.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <vector>

#include "support/file.h"
#include "support/hash.h"
#include "support/options.h"
#include "support/os/os.h"

namespace tg {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMagic = 0x0A65646F63206774u;  // "tg code\n"
constexpr uint64_t kVersion = 2;
constexpr uint64_t kMaxEntry = uint64_t{256} << 20;
constexpr int64_t kUseSeconds = 3600;        // uses are recorded no finer than this
constexpr int64_t kAbandonedSeconds = 3600;  // a temporary file this old has no writer

using Header = std::array<uint64_t, 8>;

// `body`: the key and the bytes.
Header header_of(size_t key_size, std::string_view body) {
  const Hash128 sum = hash_bytes(body);
  return {kMagic, kVersion, key_size, body.size() - key_size, sum.low, sum.high, 0, 0};
}

struct File {
  fs::path path;
  uint64_t bytes = 0;
  int64_t used = 0;  // seconds
  bool temporary = false;
};

// Entries have names without a dot; try_write_own_file puts one before the random end of its
// temporary.
bool is_entry_name(const std::string& name) { return name.size() == 32; }
bool is_temporary_name(const std::string& name) { return name.size() == 39 && name[32] == '.'; }

std::optional<File> inspect(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool temporary = is_temporary_name(name);
  if (!temporary && !is_entry_name(name)) return std::nullopt;
  const auto facts = os::file_facts(path);
  if (!facts || !facts->regular) return std::nullopt;
  return File{path, facts->bytes, facts->changed, temporary};
}

std::vector<File> files_in(const fs::path& folder) {
  std::vector<File> out;
  if (folder.empty() || !is_own_folder(folder)) return out;
  std::error_code failed;
  fs::directory_iterator it(folder, failed);
  for (; !failed && it != fs::directory_iterator(); it.increment(failed)) {
    if (auto file = inspect(it->path())) out.push_back(std::move(*file));
  }
  return out;
}

bool remove_file(const File& file) {
  std::error_code failed;
  return fs::remove(file.path, failed);
}

void mark_used(const File& file) {
  if (std::time(nullptr) - file.used >= kUseSeconds) os::touch_file(file.path);
}

}  // namespace

std::string disk_cache_entry(std::string_view key, std::string_view bytes) {
  std::string entry(sizeof(Header), '\0');
  entry.reserve(sizeof(Header) + key.size() + bytes.size());
  entry += key;
  entry += bytes;
  const Header header = header_of(key.size(), std::string_view(entry).substr(sizeof(Header)));
  std::memcpy(entry.data(), header.data(), sizeof(Header));
  return entry;
}

std::optional<std::string> disk_cache_code(std::string entry, std::string_view key) {
  if (entry.size() < sizeof(Header) + key.size()) return std::nullopt;
  const std::string_view body = std::string_view(entry).substr(sizeof(Header));
  Header header;
  std::memcpy(header.data(), entry.data(), sizeof(Header));
  if (!body.starts_with(key) || header != header_of(key.size(), body)) return std::nullopt;
  entry.erase(0, sizeof(Header) + key.size());
  return entry;
}

fs::path DiskCache::folder() const {
  return options().cache_dir.empty() ? fs::path() : fs::path(options().cache_dir) / name_;
}

fs::path DiskCache::file_of(std::string_view key) const { return folder() / hash_bytes(key).hex(); }

// Only regular files are opened: a pipe in the folder would block.
std::optional<std::string> DiskCache::find(std::string_view key) const {
  const fs::path folder = this->folder();
  if (folder.empty() || !is_own_folder(folder)) return std::nullopt;
  const auto file = inspect(file_of(key));
  if (!file) return std::nullopt;
  auto entry = try_read_own_file(file->path, kMaxEntry);
  auto code = entry ? disk_cache_code(*std::move(entry), key) : std::nullopt;
  if (code) mark_used(*file);
  return code;
}

void DiskCache::store(std::string_view key, std::string_view bytes) const {
  const auto folder = cache_folder(name_);
  if (!folder || key.size() + bytes.size() > kMaxEntry - sizeof(Header)) return;
  const std::string entry = disk_cache_entry(key, bytes);
  if (estimate_.load() < 0) estimate_.store(static_cast<int64_t>(usage().bytes));
  if (!try_write_own_file(file_of(key), entry)) return;
  const int64_t now = estimate_ += static_cast<int64_t>(entry.size());
  const uint64_t limit = static_cast<uint64_t>(options().cache_megabytes) << 20;
  if (static_cast<uint64_t>(now) > limit) shrink(limit);
}

// Two processes may shrink at once; each counts what is still there.
void DiskCache::shrink(uint64_t limit) const {
  std::vector<File> files = files_in(folder());
  std::ranges::sort(files, {}, &File::used);
  uint64_t bytes = 0;
  for (const File& f : files) bytes += f.bytes;
  const int64_t now = std::time(nullptr);
  for (const File& f : files) {
    const bool abandoned = f.temporary && now - f.used > kAbandonedSeconds;
    if (f.temporary ? !abandoned : bytes <= limit - limit / 10) continue;
    remove_file(f);
    bytes -= f.bytes;
  }
  estimate_.store(static_cast<int64_t>(bytes));
}

CacheUsage DiskCache::usage() const {
  CacheUsage out;
  for (const File& f : files_in(folder())) {
    out.bytes += f.bytes;
    if (!f.temporary) ++out.entries;
  }
  return out;
}

CacheUsage DiskCache::clear() const {
  CacheUsage out;
  for (const File& f : files_in(folder())) {
    if (!remove_file(f)) continue;
    out.bytes += f.bytes;
    if (!f.temporary) ++out.entries;
  }
  estimate_.store(-1);
  return out;
}

}  // namespace tg
