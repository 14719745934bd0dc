// A decoder as GPT-2 has it (Radford et al., 2019), small enough for a CPU: characters and their
// places as vectors, blocks of causal attention and a perceptron, scores of the next character.
#pragma once

#include <cstdint>
#include <vector>

#include "tg/tg.h"

namespace char_gpt {

struct Sizes {
  int64_t characters = 0;  ///< that it tells apart
  int64_t context = 64;    ///< characters that it sees at once
  int64_t width = 128;     ///< numbers for each place
  int64_t layers = 3;
  int64_t heads = 4;  ///< of attention; they share the width
};

/// Each place looks at those before it, then thinks by itself.
struct Block {
  Block(const Sizes& s, double dropout)
      : norm1(s.width),
        norm2(s.width),
        attention(s.width, s.heads, {.dropout = dropout, .is_causal = true}),
        widen(s.width, 4 * s.width),
        narrow(4 * s.width, s.width),
        drop(dropout) {}

  /// [batch, places, width] → the same
  tg::Tensor operator()(const tg::Tensor& x) const {
    const tg::Tensor y = x + drop(attention(norm1(x)));
    return y + drop(narrow(widen(norm2(y)).gelu()));
  }

  template <typename F>
  void visit(F&& f) {
    f("norm1", norm1), f("attention", attention);
    f("norm2", norm2), f("widen", widen), f("narrow", narrow);
  }

  tg::nn::LayerNorm norm1, norm2;
  tg::nn::MultiHeadAttention attention;
  tg::nn::Linear widen, narrow;
  tg::nn::Dropout drop;
};

struct Gpt {
  /// `dropout`: share of the numbers that are zeroed while it trains.
  explicit Gpt(const Sizes& s, double dropout = 0)
      : sizes(s),
        characters(s.characters, s.width),
        places(s.context, s.width),
        norm(s.width),
        head(s.width, s.characters, {.bias = false}) {
    for (int64_t i = 0; i < s.layers; ++i) blocks.emplace_back(s, dropout);
  }

  /// Numbers of characters, int32 [batch, context] → scores of the one after each, [batch, context,
  /// characters].
  tg::Tensor operator()(const tg::Tensor& input) const {
    tg::Tensor x = characters(input) + places.weight;
    for (const Block& block : blocks) x = block(x);
    return head(norm(x));
  }

  template <typename F>
  void visit(F&& f) {
    f("characters", characters), f("places", places), f("blocks", blocks);
    f("norm", norm), f("head", head);
  }

  Sizes sizes;
  tg::nn::Embedding characters, places;
  std::vector<Block> blocks;
  tg::nn::LayerNorm norm;
  tg::nn::Linear head;
};

}  // namespace char_gpt
