// Adapters of a decoder: small products beside its own ones (LowRank in weights.h), which are
// trained while the model's weights stay (Hu et al., 2021, https://arxiv.org/abs/2106.09685). Here
// which products have one, and merging. The files of PEFT: adapter_files.h; for users:
// tg/models/language_model.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/language/decoder.h"
#include "tg/models/language_model.h"

namespace tg::models {

inline constexpr int64_t kMostRank = 1 << 16;

/// A layer as PEFT sees it: one product of the decoder, or several that are one where the family
/// was published.
struct AdaptableLayer {
  std::string name;  ///< "model.layers.0.self_attn.q_proj"
  std::vector<Projection*> parts;
  int64_t in = 0, out = 0;
  /// Heads whose rows stand otherwise in this model's file, with neighbours as the pairs that are
  /// turned; 0: they do not.
  int64_t heads_of_neighbours = 0;
};

/// What a decoder has of an adapter; without layers none.
struct Adapter {
  struct Layer {
    AdaptableLayer of;
    Tensor a, b;  ///< [rank, in] and [out, rank], float32, parameters
  };
  LoraOptions options;
  std::vector<Layer> layers;
};

/// All layers of a decoder that may have one, in order. `names`: of the published family.
std::vector<AdaptableLayer> adaptable_layers(Decoder& decoder, const WeightNames& names);

/// Whether a layer is among those that `targets` name, by PEFT's rule: in full, or its end behind a
/// dot; "all-linear" is every one.
bool is_target(const AdaptableLayer& layer, const std::vector<std::string>& targets);

/// A new adapter, which changes nothing yet: a is random, b is 0. ArgumentError in the name of `fn`
/// for options out of range, and targets that no layer has.
Adapter new_adapter(std::string_view fn, std::vector<AdaptableLayer> layers,
                    const LoraOptions& options, const std::string& device);

/// Makes an adapter part of its layers' products.
void attach(const Adapter& adapter);
/// Takes it off again.
void detach(const Adapter& adapter);
/// Adds it to the layers' weights, for good, and takes it off. ArgumentError in the name of `fn` if
/// weights are quantised; nothing is changed then.
void merge(std::string_view fn, const Adapter& adapter);

/// Rows of a [rows, …] of heads whose pairs are neighbours, as rows whose pairs are halves of each
/// head, and back.
Tensor rows_of_halves(const Tensor& x, int64_t heads);
Tensor rows_of_neighbours(const Tensor& x, int64_t heads);

}  // namespace tg::models
