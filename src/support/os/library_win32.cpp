// Libraries by LoadLibrary: Windows. It keeps the file of an opened library, tells no sizes of
// functions, and looks up calls into other libraries at once.
#include "support/os/os.h"
#include "support/os/win32.h"

namespace tg::os {

const bool kLibraryFilesCanGo = false;

// A path is searched for what the library needs in its own folder first; a name in the usual
// places.
void* open_library(const std::string& path, bool, std::string& reason) {
  const bool is_path = path.find_first_of(kFolderSeparators) != std::string::npos;
  std::wstring name = wide(path);
  for (wchar_t& c : name) c = c == L'/' ? L'\\' : c;
  const HMODULE library =
      LoadLibraryExW(name.c_str(), nullptr, is_path ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
  if (library == nullptr) reason = reason_of_windows(GetLastError());
  return library;
}

void close_library(void* library) { FreeLibrary(static_cast<HMODULE>(library)); }

void* library_symbol(void* library, const std::string& name, std::string& reason) {
  const FARPROC symbol = GetProcAddress(static_cast<HMODULE>(library), name.c_str());
  if (symbol == nullptr) reason = reason_of_windows(GetLastError());
  return reinterpret_cast<void*>(symbol);
}

std::span<const std::byte> code_of_symbol(void*) { return {}; }

int64_t release_library_code(void*) { return 0; }

}  // namespace tg::os
