// What a decoder is made of, as numbers: one description for all families of language models, and
// for both halves of encoder–decoders. Which family has which is read by hugging_face.cpp,
// gguf_model.cpp and the folders of speech and rewriting; what it computes: decoder.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/language/distances.h"
#include "frontend/language/rotary.h"

namespace tg::models {

enum class NormKind { Rms, Layer };
enum class Activation { Silu, Gelu, GeluTanh, QuickGelu, Relu };

/// A mixture of experts in place of a feed-forward: a router chooses `used` of `count`.
struct ExpertsConfig {
  int64_t count = 0;  ///< 0: none
  int64_t used = 0;
  int64_t hidden = 0;             ///< width of an expert
  bool renormalises = false;      ///< the weights of those chosen add up to 1
  int64_t shared_hidden = 0;      ///< width of an expert that is always used; 0: none
  std::vector<bool> layers = {};  ///< which layers have experts
};

struct DecoderConfig {
  std::string family;
  int64_t vocabulary = 0, width = 0, layers = 0, hidden = 0;
  int64_t heads = 0, kv_heads = 0, head_size = 0;
  int64_t context = 0;  ///< most positions

  NormKind norm = NormKind::Rms;
  double norm_eps = 1e-6;
  bool norm_adds_one = false;  ///< weights of norms count from 1 (Gemma's files)
  bool norms_results = false;  ///< attention and feed-forward are normalised before they are added
  bool norms_queries = false;  ///< queries and keys of each head are normalised

  Activation activation = Activation::Silu;
  bool is_gated = true;  ///< down(activation(gate(x)) · up(x)), else down(activation(up(x)))
  bool qkv_bias = false, out_bias = false, feed_forward_bias = false;
  bool key_bias = true;  ///< else keys have none, whatever queries and values have

  Rotary rotary;         ///< without frequencies: none
  Rotary window_rotary;  ///< of layers with a window
  bool learned_positions = false;
  int64_t window = 0;            ///< how many positions back such a layer sees, itself included
  std::vector<bool> has_window;  ///< which layers have it

  double query_scale = 1;                   ///< of the products of queries and keys
  double attention_cap = 0, logit_cap = 0;  ///< c · tanh(x / c); 0: none
  double embedding_scale = 1;
  bool ties_embeddings = false;  ///< one table for both ends

  int64_t source_positions = 0;  ///< most states of an encoder that layers look at; 0: of none
  double output_scale = 1;       ///< of what the output's projection is given
  DistanceGroups distances{.count = 0};  ///< each has a bias of the scores, of one text at a time

  ExpertsConfig experts;
};

}  // namespace tg::models
