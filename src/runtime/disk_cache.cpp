// See disk_cache.h. An entry is a header of eight 64-bit words (magic, version, length, key hash,
// checksum) and the bytes. Its time of modification is the time of its last use.
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
constexpr uint64_t kVersion = 1;
constexpr uint64_t kMaxEntry = uint64_t{256} << 20;
constexpr int64_t kUseSeconds = 3600;        // uses are recorded no finer than this
constexpr int64_t kAbandonedSeconds = 3600;  // a temporary file this old has no writer

using Header = std::array<uint64_t, 8>;

Header header_of(const std::string& key, std::string_view bytes) {
  const Hash128 name = hash_bytes(key), sum = hash_bytes(bytes);
  return {kMagic, kVersion, bytes.size(), name.low, name.high, sum.low, sum.high, 0};
}

struct File {
  fs::path path;
  uint64_t bytes = 0;
  int64_t used = 0;  // seconds
  bool temporary = false;
};

// Entries have names without a dot; write_file puts one before the random end of its temporary.
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

fs::path DiskCache::folder() const {
  return options().cache_dir.empty() ? fs::path() : fs::path(options().cache_dir) / name_;
}

// Only regular files are opened: a pipe in the folder would block.
std::optional<std::string> DiskCache::find(const std::string& key) const {
  const fs::path folder = this->folder();
  if (folder.empty()) return std::nullopt;
  const auto file = inspect(folder / key);
  if (!file || file->bytes < sizeof(Header) || file->bytes > kMaxEntry) return std::nullopt;
  auto entry = try_read_file(file->path);
  if (!entry || entry->size() < sizeof(Header)) return std::nullopt;
  Header header;
  std::memcpy(header.data(), entry->data(), sizeof(Header));
  entry->erase(0, sizeof(Header));
  if (header != header_of(key, *entry)) return std::nullopt;
  mark_used(*file);
  return entry;
}

void DiskCache::store(const std::string& key, std::string_view bytes) const {
  const auto folder = cache_folder(name_);
  if (!folder || bytes.size() > kMaxEntry - sizeof(Header)) return;
  const Header header = header_of(key, bytes);
  std::string entry(sizeof(Header), '\0');
  std::memcpy(entry.data(), header.data(), sizeof(Header));
  entry += bytes;
  if (estimate_.load() < 0) estimate_.store(static_cast<int64_t>(usage().bytes));
  if (!try_write_file(*folder / key, entry)) return;
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
