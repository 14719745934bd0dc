// Memory, processors, the terminal and the usual places as Windows has them. Programs there do not
// fork, and huge pages need a privilege that few have.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "support/os/os.h"
#include "support/os/win32.h"

namespace tg::os {
namespace {

void (*former_interrupt)(int) = SIG_DFL;  // of the one who takes interrupts

DWORD protection(Access access) {
  switch (access) {
    case Access::Nothing:
      return PAGE_NOACCESS;
    case Access::Read:
      return PAGE_READONLY;
    case Access::ReadWrite:
      return PAGE_READWRITE;
    case Access::Execute:
      return PAGE_EXECUTE_READ;
  }
  return PAGE_NOACCESS;
}

}  // namespace

std::wstring wide(std::string_view text) {
  const int size = static_cast<int>(text.size());
  const int room = MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0);
  std::wstring out(static_cast<size_t>(std::max(room, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), size, out.data(), room);
  return out;
}

std::string narrow(std::wstring_view text) {
  const int size = static_cast<int>(text.size());
  const int room = WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<size_t>(std::max(room, 0)), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), size, out.data(), room, nullptr, nullptr);
  return out;
}

std::string reason_of_windows(DWORD error) {
  std::array<wchar_t, 512> text{};
  DWORD size = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr,
                              error, 0, text.data(), static_cast<DWORD>(text.size()), nullptr);
  while (size > 0 && (text[size - 1] <= L' ' || text[size - 1] == L'.')) --size;
  if (size == 0) return "error " + std::to_string(error);
  return narrow({text.data(), size});
}

int errno_of_windows(DWORD error) {
  switch (error) {
    case ERROR_SUCCESS:
      return 0;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
      return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DISK_FULL:
      return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return ENOMEM;
    default:
      return EIO;
  }
}

int64_t physical_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return GlobalMemoryStatusEx(&status) != 0 ? static_cast<int64_t>(status.ullTotalPhys) : 0;
}

// What is only reserved costs no memory; what is committed is promised.
void* map_pages(size_t bytes, Access access) {
  const DWORD how = access == Access::Nothing ? MEM_RESERVE : MEM_RESERVE | MEM_COMMIT;
  return VirtualAlloc(nullptr, bytes, how, protection(access));
}

void unmap_pages(void* at, size_t) { VirtualFree(at, 0, MEM_RELEASE); }

bool protect_pages(void* at, size_t bytes, Access access) {
  DWORD before = 0;
  if (VirtualProtect(at, bytes, protection(access), &before) == 0) return false;
  return access != Access::Execute || FlushInstructionCache(GetCurrentProcess(), at, bytes) != 0;
}

void* map_huge_pages(size_t bytes) { return map_pages(bytes, Access::ReadWrite); }

void* allocate_aligned(size_t alignment, size_t bytes) { return _aligned_malloc(bytes, alignment); }

void free_aligned(void* block) { _aligned_free(block); }

void prefer_huge_pages(void*, size_t) {}

// Those of all groups of processors, as far as this process may use its own.
bool may_have_graphics_processor() { return true; }
int usable_cores() {
  DWORD_PTR usable = 0, all = 0;
  const int total = static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
  const bool one_group = GetActiveProcessorGroupCount() <= 1;
  if (one_group && GetProcessAffinityMask(GetCurrentProcess(), &usable, &all) != 0 && usable != 0)
    return __builtin_popcountll(usable);
  return std::max({1, total, static_cast<int>(std::thread::hardware_concurrency())});
}

bool allow_tile_registers() { return false; }

std::string processor_facts() {
  std::array<wchar_t, 512> text{};
  auto size = static_cast<DWORD>(sizeof text);
  const LSTATUS status =
      RegGetValueW(HKEY_LOCAL_MACHINE, L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0",
                   L"ProcessorNameString", RRF_RT_REG_SZ, nullptr, text.data(), &size);
  return status == ERROR_SUCCESS ? narrow(text.data()) : "";
}

void watch_forks(void (*)()) {}

// The system takes the handler away when it calls it.
bool take_interrupts(void (*handler)(int signal)) {
  former_interrupt = std::signal(SIGINT, handler);
  return former_interrupt != SIG_ERR;
}

void give_back_interrupts() { std::signal(SIGINT, former_interrupt); }

void write_error(std::string_view text) {
  const HANDLE error = GetStdHandle(STD_ERROR_HANDLE);
  if (error == nullptr || error == INVALID_HANDLE_VALUE) return;
  while (!text.empty()) {
    const auto size = static_cast<DWORD>(std::min<size_t>(text.size(), 1 << 16));
    DWORD written = 0;
    if (WriteFile(error, text.data(), size, &written, nullptr) == 0 || written == 0) return;
    text.remove_prefix(written);
  }
}

// A console that understands the escapes that colours and progress bars are made of.
bool error_is_terminal() {
  const HANDLE error = GetStdHandle(STD_ERROR_HANDLE);
  DWORD mode = 0;
  if (GetConsoleMode(error, &mode) == 0) return false;
  return SetConsoleMode(error, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

int error_columns() {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &info) == 0) return 0;
  return info.srWindow.Right - info.srWindow.Left + 1;
}

const char kPathSeparator = ';';
const std::string_view kFolderSeparators = "/\\";

Places usual_places(FunctionRef<const char*(const char*)> lookup) {
  const auto text = [&](const char* name, const char* otherwise) {
    const char* value = lookup(name);
    return std::string(value && *value ? value : otherwise);
  };
  Places places{
      .temp_dir = text("TMPDIR", ""),
      .search_path = text("PATH", "C:\\Windows\\System32"),
  };
  if (places.temp_dir.empty()) places.temp_dir = text("TEMP", "C:\\Windows\\Temp");
  const std::string local = text("LOCALAPPDATA", "");
  if (!local.empty()) places.cache_dir = local + "\\tinygrad.cpp";
  return places;
}

}  // namespace tg::os
