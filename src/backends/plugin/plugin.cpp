// See plugin.h. Nothing that a plug-in says is believed: sizes are compared before anything is
// read, and texts are cut and cleaned.
#include "backends/plugin/plugin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include "support/check.h"
#include "support/text.h"

namespace tg::plugin {
namespace {

constexpr size_t kLongestName = 32;
constexpr size_t kLongestText = 1000;
constexpr const char* kSymbol = "tg_backend";
// A table without the functions that may be NULL.
constexpr size_t kSmallestTable = offsetof(tg_backend_v1, probe);

[[noreturn]] void refuse(const std::string& path, std::string_view problem,
                         std::string_view hint = {}) {
  user_error<DeviceError>("load_backend", fmt::format("\"{}\": {}", path, problem), hint);
}

DynamicLibrary open_library(const std::string& path) {
  try {
    return DynamicLibrary(path);
  } catch (const DeviceError& e) {
    std::string reason = e.what();
    const size_t colon = reason.find(": ", reason.find("cannot open"));
    if (colon != std::string::npos) reason.erase(0, colon + 2);
    refuse(path, "cannot be opened: " + clean_text(reason));
  }
}

const tg_backend_v1* ask_for_table(const DynamicLibrary& library, const std::string& path) {
  using Entry = const tg_backend_v1*(uint32_t);
  auto* entry = reinterpret_cast<Entry*>(library.find_symbol(kSymbol));
  if (entry == nullptr)
    refuse(path, fmt::format("the function {} is missing", kSymbol),
           "Hint: it must be a shared object that exports it as a C function.");
  const tg_backend_v1* table = nullptr;
  try {
    table = entry(TG_BACKEND_VERSION);
  } catch (...) {
    refuse(path, fmt::format("{} threw a C++ exception", kSymbol));
  }
  if (table == nullptr)
    refuse(path,
           fmt::format("{} returned NULL: it does not serve version {} of the interface, or failed",
                       kSymbol, TG_BACKEND_VERSION));
  return table;
}

// The members that are there, zeros for those that the plug-in's header did not have yet.
tg_backend_v1 copy_table(const tg_backend_v1* given, const std::string& path) {
  if (given->version != TG_BACKEND_VERSION) {
    refuse(path,
           fmt::format("it has version {} of the interface, this library has version {}",
                       given->version, TG_BACKEND_VERSION),
           "Hint: build it against the header of this library.");
  }
  if (given->struct_size < kSmallestTable) {
    refuse(path, fmt::format("tg_backend_v1.struct_size is {}, version {} has at least {}",
                             given->struct_size, TG_BACKEND_VERSION, kSmallestTable));
  }
  tg_backend_v1 table{};
  std::memcpy(&table, given, std::min<size_t>(given->struct_size, sizeof table));
  return table;
}

void check_functions(const tg_backend_v1& t, const std::string& path) {
  const auto there = [&](auto* function, const char* name) {
    if (function == nullptr) refuse(path, fmt::format("tg_backend_v1.{} is NULL", name));
  };
  there(t.open, "open");
  there(t.close, "close");
  there(t.facts, "facts");
  there(t.allocate, "allocate");
  there(t.release, "release");
  there(t.copy_in, "copy_in");
  there(t.copy_out, "copy_out");
  there(t.compile, "compile");
  there(t.forget, "forget");
  there(t.launch, "launch");
  there(t.synchronize, "synchronize");
}

// Functions that only make sense together.
struct Group {
  struct Function {
    const char* name;
    bool is_there;
  };
  std::array<Function, 4> functions;
};

void check_group(const Group& g, const std::string& path) {
  const auto there = std::ranges::find(g.functions, true, &Group::Function::is_there);
  const auto missing = std::ranges::find(g.functions, false, &Group::Function::is_there);
  if (there == g.functions.end() || missing == g.functions.end()) return;
  refuse(path, fmt::format("tg_backend_v1.{} is NULL, but {} is there: it needs all of {}, {}, {} "
                           "and {}, or none",
                           missing->name, there->name, g.functions[0].name, g.functions[1].name,
                           g.functions[2].name, g.functions[3].name));
}

void check_groups(const tg_backend_v1& t, const std::string& path) {
  check_group({{{{"make_event", t.make_event != nullptr},
                 {"record_event", t.record_event != nullptr},
                 {"elapsed", t.elapsed != nullptr},
                 {"forget_event", t.forget_event != nullptr}}}},
              path);
  check_group({{{{"make_graph", t.make_graph != nullptr},
                 {"set_call", t.set_call != nullptr},
                 {"run_graph", t.run_graph != nullptr},
                 {"forget_graph", t.forget_graph != nullptr}}}},
              path);
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !text.empty() && text.size() <= kLongestName && letter(text[0]) &&
         std::ranges::all_of(
             text, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::string checked_name(const tg_backend_v1& t, const std::string& path) {
  if (t.name == nullptr) refuse(path, "tg_backend_v1.name is NULL");
  const std::string name(t.name, strnlen(t.name, kLongestName + 1));
  if (!is_name(name)) {
    refuse(path, fmt::format("tg_backend_v1.name is \"{}\": a letter A-Z, then A-Z, 0-9 and _, at "
                             "most {} in all",
                             clean_text(name), kLongestName));
  }
  if (t.preference < -100 || t.preference > 100)
    refuse(path, fmt::format("tg_backend_v1.preference is {}, not in -100 to 100", t.preference));
  if (t.source < TG_SOURCE_C || t.source > TG_SOURCE_OPENCL)
    refuse(path, fmt::format("tg_backend_v1.source is {}, not one of TG_SOURCE_C (1), "
                             "TG_SOURCE_LLVM (2), TG_SOURCE_LINEAR (3), TG_SOURCE_CUDA (4), "
                             "TG_SOURCE_METAL (5), TG_SOURCE_OPENCL (6)",
                             t.source));
  return name;
}

const char* status_name(tg_status status) {
  constexpr std::array kNames = {"no error", "", "out of memory", "device lost"};
  return status >= 0 && static_cast<size_t>(status) < kNames.size()
             ? kNames[static_cast<size_t>(status)]
             : "unknown status";
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string out(trim(text.substr(0, std::min(text.size(), kLongestText))));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  }
  if (out.ends_with('.')) out.pop_back();
  return out;
}

Plugin::Plugin(const std::string& path)
    : path_(path),
      library_(open_library(path)),
      table_(copy_table(ask_for_table(library_, path), path)) {
  check_functions(table_, path);
  check_groups(table_, path);
  name_ = checked_name(table_, path);
}

Plugin::Answer Plugin::ask(Function f) const {
  tg_message message{};
  message.struct_size = sizeof message;
  message.text_size = sizeof message.text;
  try {
    Answer answer{.status = f(&message), .text = {}};
    if (answer.status == TG_OK) return answer;
    answer.text = clean_text({message.text, strnlen(message.text, sizeof message.text)});
    return answer;
  } catch (const std::exception& e) {
    return {TG_FAILED, fmt::format("it threw a C++ exception: {}", clean_text(e.what()))};
  } catch (...) {
    return {TG_FAILED, "it threw a C++ exception"};
  }
}

void Plugin::call(std::string_view entry, std::string_view what, Function f) const {
  const Answer answer = ask(f);
  if (answer.status == TG_OK) return;
  std::string problem(what);
  const auto add = [&](std::string_view more) {
    if (!more.empty()) problem += fmt::format("{}{}", problem.empty() ? "" : ": ", more);
  };
  add(status_name(answer.status));
  add(answer.text.empty() ? fmt::format("it failed with status {} and no message", answer.status)
                          : answer.text);
  fail(entry, problem);
}

void Plugin::call_quietly(FunctionRef<void()> f) const noexcept {
  try {
    f();
  } catch (...) {
    // A function that cannot fail did; there is nobody to tell.
  }
}

void Plugin::fail(std::string_view entry, std::string_view problem, std::string_view hint) const {
  user_error<DeviceError>(fmt::format("{}.{}", name_, entry),
                          fmt::format("{} (plug-in {})", problem, path_), hint);
}

}  // namespace tg::plugin
