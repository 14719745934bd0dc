// See llvm_library.h.
#include "backends/cpu/llvm_library.h"

#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "backends/cpu/llvm_places.h"
#include "backends/cpu/toolchain.h"
#include "support/check.h"
#include "support/dynamic_library.h"
#include "support/options.h"
#include "support/os/os.h"
#include "support/text.h"

namespace tg::cpu {
namespace {

namespace fs = std::filesystem;

/// Tried in this order. 15, 16 and 19 are tested; pointers without types begin with 15.
constexpr std::array kVersions = {19, 22, 21, 20, 18, 17, 16, 15};

#if defined(__aarch64__)
constexpr std::string_view kTarget = "AArch64";
#else
constexpr std::string_view kTarget = "X86";
#endif

std::optional<LlvmFile> file_at(const std::string& path, int version) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  return LlvmFile{path, version, file_identity(path)};
}

std::optional<LlvmFile> find_version(int version) {
  for (const std::string& path : llvm_places(version)) {
    if (auto file = file_at(path, version)) return file;
  }
  return std::nullopt;
}

// `wanted`: a version, or empty.
std::optional<LlvmFile> search_llvm(const std::string& wanted) {
  if (!wanted.empty()) return find_version(static_cast<int>(parse_int64(wanted).value_or(0)));
  for (int version : kVersions) {
    if (auto file = find_version(version)) return file;
  }
  return std::nullopt;
}

// "libLLVM.so.19.1" and "libLLVM-15.so.1" tell; a plain "libLLVM.so" does not.
int version_of(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  for (std::string_view prefix : {"libLLVM.so.", "libLLVM-"}) {
    if (!name.starts_with(prefix)) continue;
    int version = 0;
    for (size_t i = prefix.size(); i < name.size() && version < 1000; ++i) {
      if (std::isdigit(static_cast<unsigned char>(name[i])) == 0) break;
      version = 10 * version + (name[i] - '0');
    }
    return version;
  }
  return 0;
}

thread_local bool inside_scope = false;
thread_local bool has_given_up = false;

// LLVM ends the process when this returns, as other users of the library in this process expect.
void fatal_error(const char* reason) {
  if (!inside_scope) return;
  has_given_up = true;
  throw LlvmFailure{fmt::format("LLVM gave up: {}", reason)};
}

struct Opened {
  DynamicLibrary library;
  LlvmApi api{};
};

template <typename F>
void bind(const DynamicLibrary& library, const char* name, F*& function) {
  function = library.function<F>(fmt::format("LLVM{}", name));
}

void bind_all(const DynamicLibrary& l, LlvmApi& a) {
  bind(l, "InstallFatalErrorHandler", a.InstallFatalErrorHandler);
  bind(l, "ContextCreate", a.ContextCreate);
  bind(l, "ContextDispose", a.ContextDispose);
  bind(l, "ContextSetDiagnosticHandler", a.ContextSetDiagnosticHandler);
  bind(l, "GetDiagInfoDescription", a.GetDiagInfoDescription);
  bind(l, "GetDiagInfoSeverity", a.GetDiagInfoSeverity);
  bind(l, "CreateMemoryBufferWithMemoryRange", a.CreateMemoryBufferWithMemoryRange);
  bind(l, "GetBufferStart", a.GetBufferStart);
  bind(l, "GetBufferSize", a.GetBufferSize);
  bind(l, "DisposeMemoryBuffer", a.DisposeMemoryBuffer);
  bind(l, "ParseIRInContext", a.ParseIRInContext);
  bind(l, "VerifyModule", a.VerifyModule);
  bind(l, "DisposeModule", a.DisposeModule);
  bind(l, "DisposeMessage", a.DisposeMessage);
  bind(l, "GetTargetFromTriple", a.GetTargetFromTriple);
  bind(l, "CreateTargetMachine", a.CreateTargetMachine);
  bind(l, "DisposeTargetMachine", a.DisposeTargetMachine);
  bind(l, "CreateTargetDataLayout", a.CreateTargetDataLayout);
  bind(l, "DisposeTargetData", a.DisposeTargetData);
  bind(l, "SetModuleDataLayout", a.SetModuleDataLayout);
  bind(l, "GetHostCPUName", a.GetHostCPUName);
  bind(l, "GetHostCPUFeatures", a.GetHostCPUFeatures);
  bind(l, "CreatePassBuilderOptions", a.CreatePassBuilderOptions);
  bind(l, "DisposePassBuilderOptions", a.DisposePassBuilderOptions);
  bind(l, "RunPasses", a.RunPasses);
  bind(l, "GetErrorMessage", a.GetErrorMessage);
  bind(l, "DisposeErrorMessage", a.DisposeErrorMessage);
  bind(l, "TargetMachineEmitToMemoryBuffer", a.TargetMachineEmitToMemoryBuffer);
  bind(l, "CreateDisasmCPUFeatures", a.CreateDisasmCPUFeatures);
  bind(l, "DisasmInstruction", a.DisasmInstruction);
  bind(l, "DisasmDispose", a.DisasmDispose);
}

std::unique_ptr<Opened> open(const LlvmFile& file) {
  auto opened = std::make_unique<Opened>();
  try {
    opened->library = DynamicLibrary(file.path, DynamicLibrary::Binding::Lazy);
    bind_all(opened->library, opened->api);
    for (std::string_view part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter", "Disassembler"})
      opened->library.function<void()>(fmt::format("LLVMInitialize{}{}", kTarget, part))();
  } catch (const DeviceError& e) {
    user_error<DeviceError>(
        "LLVM", fmt::format("\"{}\" cannot be used: {}", file.path, e.what()),
        "Hint: set TG_LLVM to another version, or CLANG=1 to compile through C.");
  }
  opened->api.InstallFatalErrorHandler(fatal_error);
  return opened;
}

// Never closed: code that LLVM registered may run at exit.
struct OpenedTable {
  std::mutex lock;
  std::map<std::string, std::unique_ptr<Opened>> by_path;
};

OpenedTable& opened_table() {
  static auto* table = new OpenedTable;
  return *table;
}

// What was found is remembered, since the question comes with every realize; what was not may be
// installed later.
struct Found {
  std::mutex lock;
  std::map<std::string, LlvmFile> files;  // by option
};

Found& found_files() {
  static auto* found = new Found;
  return *found;
}

}  // namespace

LlvmScope::LlvmScope() {
  inside_scope = true;
  has_given_up = false;
}
LlvmScope::~LlvmScope() { inside_scope = false; }
bool LlvmScope::gave_up() { return has_given_up; }

std::optional<LlvmFile> find_llvm() {
  const std::string& wanted = options().llvm;
  if (wanted.find_first_of(os::kFolderSeparators) != std::string::npos)
    return file_at(wanted, version_of(wanted));
  Found& found = found_files();
  const std::lock_guard guard(found.lock);
  if (const auto it = found.files.find(wanted); it != found.files.end()) return it->second;
  const std::optional<LlvmFile> file = search_llvm(wanted);
  if (file) found.files.emplace(wanted, *file);
  return file;
}

bool has_llvm() {
  {
    Found& found = found_files();
    const std::lock_guard guard(found.lock);
    if (found.files.contains(options().llvm)) return true;
  }
  return find_llvm().has_value();
}

std::string missing_llvm_advice() {
  const std::string& wanted = options().llvm;
  if (wanted.empty()) {
    return "libLLVM is not found: install it (libllvm19), name it in TG_LLVM, or use "
           "DEV=CPU:CLANG, which compiles through C";
  }
  return fmt::format(
      "the libLLVM \"{}\" of option TG_LLVM is not found: install it, unset TG_LLVM, set CLANG=1, "
      "or use DEV=INTERP, which needs no compiler",
      wanted);
}

const LlvmApi& llvm_api(const LlvmFile& file) {
  OpenedTable& table = opened_table();
  const std::lock_guard guard(table.lock);
  std::unique_ptr<Opened>& entry = table.by_path[file.path];
  if (entry == nullptr) entry = open(file);
  return entry->api;
}

int64_t release_llvm_code(const LlvmFile& file) {
  OpenedTable& table = opened_table();
  const std::lock_guard guard(table.lock);
  const auto it = table.by_path.find(file.path);
  const bool is_open = it != table.by_path.end() && it->second != nullptr;
  return is_open ? it->second->library.release_code() : 0;
}

}  // namespace tg::cpu
