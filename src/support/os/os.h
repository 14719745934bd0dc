// What the library asks the operating system for, where systems differ: memory by pages,
// processors, the terminal, files that appear at once, libraries, programs. One header for all;
// CMake chooses the sources: os_posix.cpp, files_posix.cpp, … with os_linux.cpp or os_darwin.cpp,
// or the _win32 ones. Nothing else in the library asks which system it runs on. Paths and texts are
// UTF-8.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/ir/function_ref.h"

namespace tg {
class FileDescriptor;
enum class Sync : uint8_t;
struct ProcessOptions;
struct ProcessResult;
}  // namespace tg

namespace tg::os {

// ---- memory

/// What pages may be used for. None may be both written and executed.
enum class Access : uint8_t { Nothing, Read, ReadWrite, Execute };

/// Of the machine, in bytes; 0 if unknown.
int64_t physical_memory();

/// New pages, zero where they are readable; null if there are none. They begin at a multiple of 64
/// KiB where the system's pages do. unmap_pages takes the same size.
void* map_pages(size_t bytes, Access access);
void unmap_pages(void* at, size_t bytes);
/// Changes whole pages; after Execute the processor sees the instructions that were written there.
bool protect_pages(void* at, size_t bytes, Access access);

/// Pages to read and write that need no memory until they are used, and begin at a multiple of a
/// huge page (2 MiB) where the system has those; `bytes` is one, too. Null if there are none.
void* map_huge_pages(size_t bytes);

/// Ordinary memory at a multiple of `alignment`, a power of two that divides `bytes`; null if there
/// is none. It is given back by free_aligned.
void* allocate_aligned(size_t alignment, size_t bytes);
void free_aligned(void* block);
/// Advice: this block, aligned so, is walked with long strides.
void prefer_huge_pages(void* at, size_t bytes);

// ---- processors and threads

/// Cores that this process may use; at least 1.
int usable_cores();
/// False where the system shows no device through which a graphics processor is reached.
bool may_have_graphics_processor();
/// Text in which processors differ that run different instructions; empty if unknown.
std::string processor_facts();
/// Asks for the use of the processor's tile registers (x86's AMX), which is a process' to ask for;
/// false where there are none or the system refuses.
bool allow_tile_registers();
/// `in_child` is called in the child of every fork from now on.
void watch_forks(void (*in_child)());

// ---- terminal

/// Ctrl-C calls `handler`, until give_back_interrupts() brings back what it did before. One at a
/// time.
bool take_interrupts(void (*handler)(int signal));
void give_back_interrupts();

/// Writes as much to standard error as it takes.
void write_error(std::string_view text);
bool error_is_terminal();
/// Of the terminal, or 0.
int error_columns();

// ---- files; errors are values of errno, 0 is success

struct FileFacts {
  bool regular = false;
  uint64_t bytes = 0;
  int64_t changed = 0;  ///< seconds since 1970
};
/// Of the file itself, also of a link; empty if there is none.
std::optional<FileFacts> file_facts(const std::filesystem::path& path);
/// Makes now the time of its change, if that is allowed.
void touch_file(const std::filesystem::path& path);
/// Appends all of the file; EISDIR for a folder, EFBIG for more than `max_bytes`.
int read_file(const std::filesystem::path& path, uint64_t max_bytes, std::string& bytes);
/// Opens a regular file that is read at any place, and tells its size; EISDIR for a folder, ESPIPE
/// for what can only be read from its start.
int open_file(const std::filesystem::path& path, FileDescriptor& file, uint64_t& bytes);
/// The bytes from `offset` on, as many as `out` holds; `got` is less only where the file ends.
int read_at(const FileDescriptor& file, uint64_t offset, std::span<char> out, size_t& got);
/// Like read_file, but only what nobody besides this user and the administrator can have written:
/// EPERM for files of others or that others may write, for links and for what is no regular file.
int read_own_file(const std::filesystem::path& path, uint64_t max_bytes, std::string& bytes);
/// Replaces the file at once: nobody sees half of it, and nothing is left behind on failure. It
/// keeps the mode of the file that was there; a new one has what the umask leaves of 0666. A link
/// is replaced itself.
int replace_file(const std::filesystem::path& path, std::string_view bytes, Sync sync);
/// Like replace_file, by a file that read_own_file takes; does not wait for the disk.
int replace_own_file(const std::filesystem::path& path, std::string_view bytes);
/// A new folder for this user alone; that it exists already is success.
int make_private_folder(const std::filesystem::path& path);
/// Why others can decide what lies in a folder. A link counts as no folder.
enum class FolderFault : uint8_t { None, Missing, NoFolder, OfAnother, OthersWrite };
FolderFault folder_fault(const std::filesystem::path& path);
/// Whether this user may make files in it.
bool may_write_folder(const std::filesystem::path& path);
/// A new folder; the last six characters of `path` are exchanged so that it is new.
int make_temporary_folder(std::string& path);

// ---- libraries

/// Null with `reason` if it cannot be opened. Its symbols stay local.
void* open_library(const std::string& path, bool lazy, std::string& reason);
void close_library(void* library);
/// Null, with `reason`, if there is none.
void* library_symbol(void* library, const std::string& name, std::string& reason);
/// The instructions of a function that library_symbol gave; empty if their end is unknown.
std::span<const std::byte> code_of_symbol(void* symbol);
/// See DynamicLibrary::release_code.
int64_t release_library_code(void* library);
/// Whether the file of an opened library can be deleted.
extern const bool kLibraryFilesCanGo;

// ---- programs

/// Runs the program at `path` to its end; see run_process in support/subprocess.h.
ProcessResult run_program(const std::string& path, const std::vector<std::string>& arguments,
                          const ProcessOptions& how);
/// Runs the program at `path` to its end with this process's streams; see run_attached in
/// support/subprocess.h.
int run_attached(const std::string& path, const std::vector<std::string>& arguments,
                 const std::vector<std::pair<std::string, std::string>>& variables);
/// Whether this file can be run as it is called here.
bool is_program(const std::string& path);
/// What programs' names may end with beside what they are called: "", ".exe".
std::span<const std::string_view> program_suffixes();
/// Between folders in PATH.
extern const char kPathSeparator;
/// Between folders of a path, all of them: "/".
extern const std::string_view kFolderSeparators;
/// "Segmentation fault"
std::string signal_name(int signal);

// ---- where things are

struct Places {
  std::string cache_dir;  ///< empty: nowhere
  std::string temp_dir;
  std::string search_path;
};
/// By the variables of the environment that `lookup` tells.
Places usual_places(FunctionRef<const char*(const char*)> lookup);

}  // namespace tg::os
