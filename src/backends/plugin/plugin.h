// A loaded plug-in: its table of functions, checked, and the one way to call them, which turns a
// status, a message or an exception into a DeviceError that names plug-in and function. What is
// done with the functions: plugin_device.h; how it is found: load.cpp.
#pragma once

#include <string>
#include <string_view>

#include "support/dynamic_library.h"
#include "tg/ir/function_ref.h"
#include "tg/plugin/tg_backend.h"

namespace tg::plugin {

class Plugin {
 public:
  /// Opens the file and checks what it hands out. Throws DeviceError naming the file and what is
  /// wrong with it.
  explicit Plugin(const std::string& path);

  const std::string& path() const { return path_; }
  /// Name of the device.
  const std::string& name() const { return name_; }
  /// Functions that may be NULL are those after `synchronize`; of those for events, and of those
  /// for graphs, all are there or none.
  const tg_backend_v1& table() const { return table_; }
  bool has_events() const { return table_.make_event != nullptr; }
  bool has_graphs() const { return table_.make_graph != nullptr; }

  using Function = FunctionRef<tg_status(tg_message* message)>;
  /// What a call came to: its status, and its message as one clean line.
  struct Answer {
    tg_status status = TG_OK;
    std::string text;
  };
  /// Calls `f`, a use of the table's function `entry`; an exception is TG_FAILED.
  Answer ask(Function f) const;
  /// The same, and throws DeviceError unless the status is TG_OK: "NAME.entry: what: message". The
  /// words in `what` may be empty.
  void call(std::string_view entry, std::string_view what, Function f) const;
  /// For functions without a status: what they throw is lost.
  void call_quietly(FunctionRef<void()> f) const noexcept;
  /// Throws the DeviceError of `entry`.
  [[noreturn]] void fail(std::string_view entry, std::string_view problem,
                         std::string_view hint = {}) const;

 private:
  std::string path_;
  DynamicLibrary library_;
  tg_backend_v1 table_{};
  std::string name_;
};

/// A text of a plug-in as one line for errors: control characters become blanks, at most 1000
/// bytes, no full stop at the end.
std::string clean_text(std::string_view text);

}  // namespace tg::plugin
