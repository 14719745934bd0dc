// Texts of tokens as a tree of their bytes, in one list: what begins alike is walked once for all.
// Only the tree; which tokens a grammar allows: token_constraint.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tg::models::grammar {

class TokenTrie {
 public:
  /// A byte behind those of the nodes above it. Nodes stand in the order of a walk.
  struct Node {
    uint8_t byte;
    uint16_t depth;        ///< bytes from the beginning, 1 or more
    uint32_t subtree_end;  ///< the node that comes after all below this one
    uint32_t first_token, tokens;
  };

  TokenTrie() = default;
  /// Texts of 1 to 65535 bytes; others are left out.
  explicit TokenTrie(std::vector<std::pair<std::string, int32_t>> texts);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// The tokens that end at a node.
  const int32_t* tokens(const Node& node) const { return tokens_.data() + node.first_token; }
  /// Bytes of the longest text.
  size_t longest() const { return longest_; }

 private:
  std::vector<Node> nodes_;
  std::vector<int32_t> tokens_;
  size_t longest_ = 0;
};

}  // namespace tg::models::grammar
