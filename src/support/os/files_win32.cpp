// Files by handles, where atomicity and the reasons of failures matter: Windows. Files are opened
// so that others may read, replace and delete them at the same time, as they may elsewhere.
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "support/file.h"
#include "support/os/os.h"
#include "support/os/win32.h"

namespace tg {

void FileDescriptor::close() {
  if (value_ >= 0) ::_close(std::exchange(value_, -1));
}

}  // namespace tg

namespace tg::os {
namespace {

namespace fs = std::filesystem;

constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr int kTries = 100;

int last_error() { return errno_of_windows(GetLastError()); }

// Six characters that are new with good probability.
std::wstring random_end() {
  constexpr std::wstring_view kLetters = L"abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::wstring end;
  for (int i = 0; i < 6; ++i) end += kLetters[random() % kLetters.size()];
  return end;
}

// Windows counts tenths of microseconds since 1601.
int64_t unix_seconds(const FILETIME& time) {
  const auto ticks = static_cast<int64_t>(time.dwHighDateTime) << 32 | time.dwLowDateTime;
  return ticks / 10'000'000 - 11'644'473'600;
}

int write_all(HANDLE file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto size = static_cast<DWORD>(std::min<size_t>(bytes.size(), 1 << 26));
    DWORD written = 0;
    if (WriteFile(file, bytes.data(), size, &written, nullptr) == 0) return last_error();
    bytes.remove_prefix(written);
  }
  return 0;
}

}  // namespace

std::optional<FileFacts> file_facts(const fs::path& path) {
  WIN32_FILE_ATTRIBUTE_DATA data{};
  if (GetFileAttributesExW(path.c_str(), GetFileExInfoStandard, &data) == 0) return std::nullopt;
  constexpr DWORD kOthers =
      FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE;
  return FileFacts{(data.dwFileAttributes & kOthers) == 0,
                   static_cast<uint64_t>(data.nFileSizeHigh) << 32 | data.nFileSizeLow,
                   unix_seconds(data.ftLastWriteTime)};
}

void touch_file(const fs::path& path) {
  const Handle file(CreateFileW(path.c_str(), FILE_WRITE_ATTRIBUTES, kShared, nullptr,
                                OPEN_EXISTING, 0, nullptr));
  if (!file) return;
  FILETIME now{};
  GetSystemTimeAsFileTime(&now);
  SetFileTime(file.get(), nullptr, nullptr, &now);
}

int read_file(const fs::path& path, uint64_t max_bytes, std::string& bytes) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return last_error();
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return EISDIR;
  const Handle file(
      CreateFileW(path.c_str(), GENERIC_READ, kShared, nullptr, OPEN_EXISTING, 0, nullptr));
  if (!file) return last_error();
  LARGE_INTEGER size{};
  if (GetFileSizeEx(file.get(), &size) != 0) {
    const auto expected = static_cast<uint64_t>(std::max<int64_t>(0, size.QuadPart));
    if (expected > max_bytes) return EFBIG;
    bytes.reserve(expected + 1);
  }
  constexpr size_t kChunk = 1 << 16, kMost = 1 << 26;
  for (;;) {
    const size_t used = bytes.size();
    bytes.resize(std::min(std::max(bytes.capacity(), used + kChunk), used + kMost));
    DWORD got = 0;
    const bool fine = ReadFile(file.get(), bytes.data() + used,
                               static_cast<DWORD>(bytes.size() - used), &got, nullptr) != 0;
    const DWORD error = fine ? ERROR_SUCCESS : GetLastError();
    bytes.resize(used + got);
    if (!fine && error != ERROR_BROKEN_PIPE) return errno_of_windows(error);
    if (bytes.size() > max_bytes) return EFBIG;
    if (got == 0) return 0;
  }
}

int open_file(const fs::path& path, FileDescriptor& file, uint64_t& bytes) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return last_error();
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return EISDIR;
  const HANDLE opened =
      CreateFileW(path.c_str(), GENERIC_READ, kShared, nullptr, OPEN_EXISTING, 0, nullptr);
  if (opened == INVALID_HANDLE_VALUE) return last_error();
  // From here on the descriptor closes the handle.
  FileDescriptor owner(_open_osfhandle(reinterpret_cast<intptr_t>(opened), _O_RDONLY | _O_BINARY));
  if (!owner) return CloseHandle(opened), EMFILE;
  LARGE_INTEGER size{};
  if (GetFileType(opened) != FILE_TYPE_DISK || GetFileSizeEx(opened, &size) == 0) return ESPIPE;
  file = std::move(owner);
  bytes = static_cast<uint64_t>(std::max<int64_t>(0, size.QuadPart));
  return 0;
}

int read_at(const FileDescriptor& file, uint64_t offset, std::span<char> out, size_t& got) {
  constexpr size_t kMost = 1 << 30;
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file.get()));
  got = 0;
  while (got < out.size()) {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset + got);
    place.OffsetHigh = static_cast<DWORD>((offset + got) >> 32);
    DWORD count = 0;
    const auto wanted = static_cast<DWORD>(std::min(out.size() - got, kMost));
    if (ReadFile(handle, out.data() + got, wanted, &count, &place) == 0) {
      const DWORD error = GetLastError();
      return error == ERROR_HANDLE_EOF ? 0 : errno_of_windows(error);
    }
    if (count == 0) return 0;
    got += count;
  }
  return 0;
}

int replace_file(const fs::path& path, std::string_view bytes, Sync sync) {
  std::wstring temporary;
  Handle file;
  for (int i = 0; i < kTries && !file; ++i) {
    temporary = path.wstring() + L"." + random_end();
    *file.place() = CreateFileW(temporary.c_str(), GENERIC_WRITE, kShared, nullptr, CREATE_NEW,
                                FILE_ATTRIBUTE_NORMAL, nullptr);
    if (!file && GetLastError() != ERROR_FILE_EXISTS) return last_error();
  }
  if (!file) return EEXIST;
  int error = write_all(file.get(), bytes);
  if (error == 0 && sync == Sync::Yes && FlushFileBuffers(file.get()) == 0) error = last_error();
  file.close();
  const DWORD how =
      MOVEFILE_REPLACE_EXISTING | (sync == Sync::Yes ? MOVEFILE_WRITE_THROUGH : DWORD{0});
  if (error == 0 && MoveFileExW(temporary.c_str(), path.c_str(), how) == 0) error = last_error();
  if (error != 0) DeleteFileW(temporary.c_str());
  return error;
}

int read_own_file(const fs::path& path, uint64_t max_bytes, std::string& bytes) {
  const auto facts = file_facts(path);
  return facts && facts->regular ? read_file(path, max_bytes, bytes) : EPERM;
}

int replace_own_file(const fs::path& path, std::string_view bytes) {
  return replace_file(path, bytes, Sync::No);
}

// The folders of a user are for that user alone as it is.
int make_private_folder(const fs::path& path) {
  if (CreateDirectoryW(path.c_str(), nullptr) != 0) return 0;
  return GetLastError() == ERROR_ALREADY_EXISTS ? 0 : last_error();
}

FolderFault folder_fault(const fs::path& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return FolderFault::Missing;
  const bool folder = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 &&
                      (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0;
  return folder ? FolderFault::None : FolderFault::NoFolder;
}

bool may_write_folder(const fs::path& path) {
  const Handle folder(CreateFileW(path.c_str(), FILE_ADD_FILE, kShared, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  return static_cast<bool>(folder);
}

int make_temporary_folder(std::string& path) {
  for (int i = 0; i < kTries; ++i) {
    path.replace(path.size() - 6, 6, narrow(random_end()));
    if (CreateDirectoryW(wide(path).c_str(), nullptr) != 0) return 0;
    if (GetLastError() != ERROR_ALREADY_EXISTS) return last_error();
  }
  return EEXIST;
}

}  // namespace tg::os
