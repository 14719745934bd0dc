// A copy of a folder of reference data, to change.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/file.h"

namespace tg::test {

class FolderCopy {
 public:
  explicit FolderCopy(const std::filesystem::path& from) : folder_("folder_copy") {
    std::filesystem::copy(from, folder_.path(), std::filesystem::copy_options::recursive);
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path file(const std::string& name) const { return path() / name; }
  /// Changes a member of a file of JSON, "/text_config/hidden_act"; null removes it.
  void set(const std::string& name, const std::string& pointer, const nlohmann::json& value) const {
    nlohmann::json content = nlohmann::json::parse(read_file(file(name)));
    const nlohmann::json::json_pointer at(pointer);
    if (value.is_null()) {
      content[at.parent_pointer()].erase(at.back());
    } else {
      content[at] = value;
    }
    write_file(file(name), content.dump());
  }
  /// What f gives while a member is changed, as by set().
  template <typename F>
  auto with(const std::string& name, const std::string& pointer, const nlohmann::json& value,
            F&& f) const {
    const std::string before = read_file(file(name));
    set(name, pointer, value);
    auto out = f();
    write_file(file(name), before);
    return out;
  }

 private:
  TempDir folder_;
};

}  // namespace tg::test
