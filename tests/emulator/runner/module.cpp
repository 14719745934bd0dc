// See module.h. The compiler writes assembly, in which each array that work-items share gets a red
// zone behind it; then the assembly is linked with shim/hooks.cpp.
#include "runner/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <mutex>
#include <set>

#include "runner/metal_signature.h"
#include "runner/object_file.h"
#include "runner/opencl_signature.h"
#include "runner/program_rules.h"
#include "support/check.h"
#include "support/dynamic_library.h"
#include "support/file.h"
#include "support/subprocess.h"
#include "support/text.h"

namespace tg::emulator {
namespace {

constexpr size_t kLongestReport = 1500;
constexpr int64_t kMostLaunchBytes = 227 << 10;  // of compute capability 9.0

using Command = std::vector<std::string>;

std::string shim(std::string_view name) {
  return std::string(TG_SOURCE_DIR "/tests/emulator/shim/") + std::string(name);
}

struct Dialect {
  std::string_view name, extension, shim, functions;
  Command flags;
  bool has_namespaces = true;        // so that all programs are one unit
  std::string_view local_separator;  // in the name of a kernel's array; empty: C++'s names
  int64_t local_bytes;               // of a group, whatever the device
};

// clang's ThreadSanitizer leaves out accesses of more than 16 bytes, which only vectors of OpenCL C
// are; AddressSanitizer calls for each, if it may not conclude that some are right.
const Dialect& opencl_dialect() {
  static const Dialect d = {
      .name = "OpenCL C",
      .extension = "cl",
      .shim = "opencl.h",
      .functions = "",
      .flags = {"-x", "cl", "-cl-std=CL1.2", "-cl-no-stdinc",
                "-cl-fp32-correctly-rounded-divide-sqrt", "-Werror=unknown-attributes",
                "-Werror=ignored-attributes", "-Werror=incompatible-pointer-types", "-Wno-psabi",
                "-fsanitize=address", "-fsanitize-address-outline-instrumentation", "-mllvm",
                "-asan-globals=0", "-mllvm", "-asan-stack=0", "-mllvm", "-asan-opt=0"},
      .has_namespaces = false,
      .local_separator = ".",
      .local_bytes = 32 << 10};
  return d;
}

const Dialect& dialect(Language language) {
  static const Dialect cuda = {
      .name = "CUDA C",
      .extension = "cu",
      .shim = "cuda.h",
      .functions = "cuda_functions.inc",
      .flags = {"-x", "c++", "-std=c++17", "-nostdinc++", "-fno-exceptions", "-fno-rtti",
                "-Werror=attributes", "-Werror=vla", "-fsanitize=thread"},
      .local_separator = "",
      .local_bytes = 48 << 10};
  // C++ for OpenCL has the address spaces of Metal under other names.
  static const Dialect metal = {
      .name = "MSL",
      .extension = "metal",
      .shim = "metal/metal_stdlib",
      .functions = "",
      .flags = {"-x", "clcpp", "-cl-std=clc++2021", "-cl-no-stdinc", "-fdeclspec",
                "-Werror=unknown-attributes", "-isystem", shim("metal"), "-fsanitize=thread"},
      .local_separator = "",
      .local_bytes = 32 << 10};
  return language == Language::Cuda ? cuda : language == Language::Metal ? metal : opencl_dialect();
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

// Each text in a namespace of its own where there are such: all define the same helpers.
std::string unit_text(Language language, std::span<const Program> programs) {
  const Dialect& d = dialect(language);
  std::string out = fmt::format("#include \"{}\"\n", shim(d.shim));
  for (size_t i = 0; i < programs.size(); ++i) {
    const std::string array = launch_array(language, programs[i]);
    if (!array.empty()) out += "#undef __shared__\n#define __shared__ TG_SHARED_BY_LAUNCH\n";
    if (d.has_namespaces) out += fmt::format("namespace tg_{} {{\n", i);
    if (!d.functions.empty()) out += fmt::format("#include \"{}\"\n", shim(d.functions));
    out += fmt::format("#include \"{}.{}\"\n", programs[i].name, d.extension);
    if (d.has_namespaces) out += "}\n";
    if (!array.empty()) out += "#undef __shared__\n#define __shared__ static\n";
  }
  return out;
}

// Memory for what programs only declare, since launches give it: as much as any device has, at a
// multiple of all that they may ask for.
std::string launch_arrays(Language language, std::span<const Program> programs) {
  std::set<std::string> names;
  for (const Program& p : programs) names.insert(launch_array(language, p));
  names.erase("");
  std::string out;
  for (const std::string& name : names)
    out += fmt::format("\t.comm\t{},{},1024\n", name, kMostLaunchBytes);
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

void check_local_memory(const Dialect& d, const Code& code) {
  int64_t bytes = 0;
  for (const Code::Local& l : code.locals) bytes += l.by_launch ? 0 : l.bytes;
  if (bytes <= d.local_bytes) return;
  user_error<DeviceError>("emulator",
                          fmt::format("kernel {}: its local arrays have {} bytes, a group has {}",
                                      code.name, bytes, d.local_bytes));
}

// The array's own name, if the variable is a local array of the kernel: "_ZZ4nameE2a0" in C++,
// "name.a0" in OpenCL C.
std::optional<std::string> array_of(const Dialect& d, const std::string& variable,
                                    const std::string& kernel) {
  const bool in_c = !d.local_separator.empty();
  const std::string prefix = in_c ? fmt::format("{}{}", kernel, d.local_separator)
                                  : fmt::format("_ZZ{}{}E", kernel.size(), kernel);
  if (!variable.starts_with(prefix)) return {};
  const size_t name =
      in_c ? prefix.size() : variable.find_first_not_of("0123456789", prefix.size());
  return name == std::string::npos ? std::optional<std::string>() : variable.substr(name);
}

}  // namespace

struct Module::Loaded {
  DynamicLibrary library;
  std::vector<Code> kernels;

  static void read_signature(Language language, const Program& p, Code& code) {
    if (language == Language::Metal) code.parameters = metal_signature(p);
    if (language != Language::OpenCl) return;
    OpenClSignature s = opencl_signature(p);
    code.parameters = std::move(s.parameters);
    code.group_size = s.group_size;
  }

  // The compiler's run for some of the programs, whose assembly is left in `assembly`.
  static void compile(const std::string& compiler, Language language,
                      std::span<const Program> programs, const std::string& assembly) {
    const Dialect& d = dialect(language);
    const std::string unit = std::filesystem::path(assembly).parent_path() / "unit";
    write_file(unit, unit_text(language, programs));
    Command command = {compiler};
    command.insert(command.end(), d.flags.begin(), d.flags.end());
    for (const char* flag : {"-S", "-O1", "-fPIC", "-DTG_EMULATED", "-nostdinc",
                             "-ffp-contract=off", "-fno-strict-aliasing", "-fno-stack-protector",
                             "-fcommon", "-fsanitize=alignment", "-fsanitize-coverage=trace-pc"})
      command.emplace_back(flag);
    command.insert(command.end(), {unit, "-o", assembly});
    const std::string what = programs.size() == 1
                                 ? fmt::format("kernel {} in {}", programs[0].name, d.name)
                                 : fmt::format("{} kernels in {}", programs.size(), d.name);
    run_compiler(command, what);
    write_file(assembly, with_red_zones(read_file(assembly) + launch_arrays(language, programs)));
  }

  void describe(Language language, std::span<const Program> programs, const ObjectFile& object) {
    TgBind* bind = library.function<tg_place*(const tg_host*)>("tg_bind");
    Dl_info where{};
    TG_CHECK(dladdr(reinterpret_cast<void*>(bind), &where) != 0, "the module is not loaded");
    char* base = static_cast<char*>(where.dli_fbase);
    for (const Program& p : programs) {
      Code code{.name = p.name, .entry = library.symbol(p.name), .bind = bind};
      code.image_begin = base;
      code.image_end = base + object.bytes;
      read_signature(language, p, code);
      const std::string by_launch = launch_array(language, p);
      for (const Variable& v : object.variables) {
        if (v.name == by_launch)
          code.locals.push_back({v.name, base + v.offset, kMostLaunchBytes, true});
        const auto array = array_of(dialect(language), v.name, p.name);
        if (array && v.bytes > kRedZone)
          code.locals.push_back(
              {*array, base + v.offset, static_cast<int64_t>(v.bytes) - kRedZone});
      }
      check_local_memory(dialect(language), code);
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
  // Programs keep their modules until the process ends; the files can go once they are loaded.
  const TempDir folder("tg-emulator");
  const auto path = [&](std::string_view name) { return folder.path() / name; };
  for (const Program& p : programs) {
    check_program(language, p);
    write_file(path(fmt::format("{}.{}", p.name, d.extension)), p.text);
  }
  Command link = {compiler, "-shared", "-Wl,-Bsymbolic", "-o", path("unit.so")};
  const size_t at_once = d.has_namespaces ? programs.size() : 1;
  for (size_t i = 0; i < programs.size(); i += at_once) {
    link.push_back(path(fmt::format("unit{}.s", i)));
    Loaded::compile(compiler, language, programs.subspan(i, at_once), link.back());
  }
  link.insert(link.end(), {hooks_for(compiler), "-lm"});
  run_compiler(link, "its assembly");
  loaded_->library = DynamicLibrary(path("unit.so"));
  loaded_->describe(language, programs, read_object(read_file(path("unit.so"))));
}

Module::~Module() = default;
Module::Module(Module&&) noexcept = default;

const std::vector<Code>& Module::kernels() const { return loaded_->kernels; }

}  // namespace tg::emulator
