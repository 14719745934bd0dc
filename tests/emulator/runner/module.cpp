// See module.h. The compiler writes assembly, in which each array that items share gets a red zone
// behind it; then the assembly is linked with shim/hooks.cpp.
#include "runner/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <mutex>

#include "runner/metal_signature.h"
#include "runner/object_file.h"
#include "runner/program_rules.h"
#include "support/check.h"
#include "support/dynamic_library.h"
#include "support/file.h"
#include "support/subprocess.h"
#include "support/text.h"

namespace tg::emulator {
namespace {

constexpr size_t kLongestReport = 1500;

using Command = std::vector<std::string>;

std::string shim(std::string_view name) {
  return std::string(TG_SOURCE_DIR "/tests/emulator/shim/") + std::string(name);
}

struct Dialect {
  std::string_view name, extension, shim, functions;
  Command flags;
};

const Dialect& dialect(Language language) {
  static const Dialect cuda = {"CUDA C",
                               "cu",
                               "cuda.h",
                               "cuda_functions.inc",
                               {"-x", "c++", "-std=c++17", "-nostdinc++", "-fno-exceptions",
                                "-fno-rtti", "-Werror=attributes", "-Werror=vla"}};
  // C++ for OpenCL has the address spaces of Metal under other names.
  static const Dialect metal = {"MSL",
                                "metal",
                                "metal/metal_stdlib",
                                "",
                                {"-x", "clcpp", "-cl-std=clc++2021", "-cl-no-stdinc", "-fdeclspec",
                                 "-Werror=unknown-attributes", "-isystem", shim("metal")}};
  return language == Language::Cuda ? cuda : metal;
}

// One run of a compiler; what it says is the error.
void run_compiler(const Command& command, std::string_view what) {
  const ProcessResult r = run_process(command);
  if (r.ok()) return;
  const std::string said = r.errors.substr(0, kLongestReport);
  user_error<DeviceError>(
      "emulator", fmt::format("{} refuses {} ({}):\n{}", command[0], what, r.describe(), said));
}

// shim/hooks.cpp, compiled once in a process for each compiler.
class Hooks {
 public:
  explicit Hooks(const std::string& compiler) : folder_("tg-emulator") {
    run_compiler({compiler, "-x", "c++", "-std=c++17", "-O2", "-fPIC", "-c", shim("hooks.cpp"),
                  "-o", object()},
                 "shim/hooks.cpp");
  }
  std::string object() const { return (folder_.path() / "hooks.o").string(); }

 private:
  TempDir folder_;
};

std::string hooks_for(const std::string& compiler) {
  static std::mutex lock;
  static std::map<std::string, Hooks> made;
  const std::lock_guard guard(lock);
  return made.try_emplace(compiler, compiler).first->second.object();
}

// Each text in a namespace of its own: all define the same helpers.
std::string unit_text(const Dialect& d, std::span<const Program> programs) {
  std::string out = fmt::format("#include \"{}\"\n", shim(d.shim));
  for (size_t i = 0; i < programs.size(); ++i) {
    out += fmt::format("namespace tg_{} {{\n", i);
    if (!d.functions.empty()) out += fmt::format("#include \"{}\"\n", shim(d.functions));
    out += fmt::format("#include \"{}.{}\"\n}}\n", programs[i].name, d.extension);
  }
  return out;
}

// ".comm NAME,BYTES,ALIGNMENT" becomes larger by the red zone.
std::string with_red_zones(const std::string& assembly) {
  std::string out;
  for (std::string_view line : split(assembly, '\n')) {
    const size_t comm = line.find(".comm");
    const size_t first = line.find(','), second = line.find(',', first + 1);
    int64_t bytes = 0;
    if (comm != std::string_view::npos && second != std::string_view::npos &&
        std::from_chars(line.data() + first + 1, line.data() + second, bytes).ptr ==
            line.data() + second) {
      out += fmt::format("{},{}{}\n", line.substr(0, first), bytes + kRedZone, line.substr(second));
    } else {
      out.append(line).append("\n");
    }
  }
  return out;
}

// A group has that much, whatever the device.
void check_local_memory(Language language, const Code& code) {
  const int64_t most = language == Language::Metal ? 32 << 10 : 48 << 10;
  int64_t bytes = 0;
  for (const Code::Local& l : code.locals) bytes += l.bytes;
  if (bytes > most) {
    user_error<DeviceError>("emulator", fmt::format("kernel {}: its local arrays have {} bytes, a "
                                                    "group has {}",
                                                    code.name, bytes, most));
  }
}

// The array's own name, if the variable is a local array of the kernel: "_ZZ4nameE2a0".
std::optional<std::string> array_of(const std::string& variable, const std::string& kernel) {
  const std::string prefix = fmt::format("_ZZ{}{}E", kernel.size(), kernel);
  if (!variable.starts_with(prefix)) return {};
  const size_t name = variable.find_first_not_of("0123456789", prefix.size());
  return name == std::string::npos ? std::optional<std::string>() : variable.substr(name);
}

}  // namespace

struct Module::Loaded {
  TempDir folder{"tg-emulator"};
  DynamicLibrary library;
  std::vector<Code> kernels;

  void describe(Language language, std::span<const Program> programs, const ObjectFile& object) {
    TgBind* bind = library.function<tg_place*(const tg_host*)>("tg_bind");
    Dl_info where{};
    TG_CHECK(dladdr(reinterpret_cast<void*>(bind), &where) != 0, "the module is not loaded");
    char* base = static_cast<char*>(where.dli_fbase);
    for (const Program& p : programs) {
      Code code{.name = p.name, .entry = library.symbol(p.name), .bind = bind};
      code.image_begin = base;
      code.image_end = base + object.bytes;
      if (language == Language::Metal) code.parameters = metal_signature(p);
      for (const Variable& v : object.variables) {
        const auto array = array_of(v.name, p.name);
        if (array && v.bytes > kRedZone)
          code.locals.push_back(
              {*array, base + v.offset, static_cast<int64_t>(v.bytes) - kRedZone});
      }
      check_local_memory(language, code);
      kernels.push_back(std::move(code));
    }
  }
};

std::optional<std::string> compiler_for(Language language) {
  static constexpr std::array kAny = {"g++", "c++", "clang++", "clang++-19"};
  static constexpr std::array kClang = {"clang++-21", "clang++-20", "clang++-19", "clang++-18",
                                        "clang++-17", "clang++-16", "clang++"};
  const auto first = [](const auto& names) -> std::optional<std::string> {
    for (const char* name : names) {
      if (const auto found = find_program(name)) return found;
    }
    return {};
  };
  return language == Language::Cuda ? first(kAny) : first(kClang);
}

std::string missing_compiler(Language language) {
  if (compiler_for(language)) return {};
  return fmt::format("no compiler for {} is installed: {}", dialect(language).name,
                     language == Language::Cuda ? "g++ or clang++" : "clang++ 16 or later");
}

Module::Module(Language language, std::span<const Program> programs)
    : loaded_(std::make_unique<Loaded>()) {
  const std::string missing = missing_compiler(language);
  if (!missing.empty()) user_error<DeviceError>("emulator", missing);
  const std::string compiler = *compiler_for(language);
  const Dialect& d = dialect(language);
  const auto path = [&](std::string_view name) { return loaded_->folder.path() / name; };
  for (const Program& p : programs) {
    check_program(language, p);
    write_file(path(fmt::format("{}.{}", p.name, d.extension)), p.text);
  }
  write_file(path("unit"), unit_text(d, programs));
  Command command = {compiler};
  command.insert(command.end(), d.flags.begin(), d.flags.end());
  for (const char* flag : {"-S", "-O1", "-fPIC", "-DTG_EMULATED", "-nostdinc", "-ffp-contract=off",
                           "-fno-strict-aliasing", "-fno-stack-protector", "-fcommon",
                           "-fsanitize=thread", "-fsanitize-coverage=trace-pc"})
    command.push_back(flag);
  command.insert(command.end(), {path("unit"), "-o", path("unit.s")});
  const std::string what = programs.size() == 1
                               ? fmt::format("kernel {} in {}", programs[0].name, d.name)
                               : fmt::format("{} kernels in {}", programs.size(), d.name);
  run_compiler(command, what);
  write_file(path("unit.s"), with_red_zones(read_file(path("unit.s"))));
  run_compiler({compiler, "-shared", "-Wl,-Bsymbolic", "-o", path("unit.so"), path("unit.s"),
                hooks_for(compiler), "-lm"},
               "its assembly");
  loaded_->library = DynamicLibrary(path("unit.so"));
  loaded_->describe(language, programs, read_object(read_file(path("unit.so"))));
}

Module::~Module() = default;
Module::Module(Module&&) noexcept = default;

const std::vector<Code>& Module::kernels() const { return loaded_->kernels; }

}  // namespace tg::emulator
