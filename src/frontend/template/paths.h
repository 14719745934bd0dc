// What a filter's `attribute` names: members of members of an item, as in "function.name" or
// "content.0".
#pragma once

#include <optional>
#include <vector>

#include "frontend/template/renderer.h"

namespace tg::models::jinja {

class Path {
 public:
  /// Null or None: the item itself. `otherwise` stands for what is not there.
  explicit Path(const Value* attribute, const Value* otherwise = nullptr);
  Value of(Renderer& r, const Value& item) const;

 private:
  std::vector<Value> parts_;
  std::optional<Value> otherwise_;
};

/// Of several attributes with commas between them.
std::vector<Path> paths_of(const Value* attributes);

}  // namespace tg::models::jinja
