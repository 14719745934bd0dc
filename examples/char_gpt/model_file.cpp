// Sizes follow from the shapes of the tensors, except the number of heads, which is metadata. The
// alphabet is a tensor of bytes, for it need not be UTF-8.
#include "model_file.h"

#include <charconv>
#include <stdexcept>
#include <string>

#include "tg/state.h"

namespace char_gpt {
namespace {

using tg::nn::StateDict;

constexpr const char* kAlphabet = "alphabet";

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw std::runtime_error(file.string() + " is no model of char_gpt: " + what);
}

const tg::Tensor& tensor(const StateDict& tensors, const std::string& name, int64_t axes,
                         const std::filesystem::path& file) {
  const auto found = tensors.find(name);
  if (found == tensors.end() || found->second.ndim() != axes)
    refuse(file, "it has no tensor \"" + name + "\" of " + std::to_string(axes) + " axes");
  return found->second;
}

int64_t heads_of(const std::filesystem::path& file) {
  const tg::nn::Metadata facts = tg::nn::load_metadata(file);
  const auto found = facts.find("heads");
  if (found == facts.end()) refuse(file, "it does not say how many heads there are");
  int64_t heads = 0;
  const std::string& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), heads);
  if (heads < 1) refuse(file, "it says that there are \"" + text + "\" heads");
  return heads;
}

int64_t layers_of(const StateDict& tensors) {
  int64_t layers = 0;
  while (tensors.contains("blocks." + std::to_string(layers) + ".norm1.weight")) ++layers;
  return layers;
}

}  // namespace

void save_speaker(Speaker& speaker, const std::filesystem::path& file) {
  StateDict tensors = tg::nn::state_dict(speaker.net);
  const std::string& letters = speaker.alphabet.characters();
  tensors.emplace(kAlphabet, tg::Tensor(std::vector<uint8_t>(letters.begin(), letters.end())));
  tg::nn::save(tensors, file, {{"heads", std::to_string(speaker.net.sizes.heads)}});
}

Speaker load_speaker(const std::filesystem::path& file) {
  StateDict tensors = tg::nn::load(file);
  const auto letters = tensor(tensors, kAlphabet, 1, file).to_vector<uint8_t>();
  tensors.erase(kAlphabet);
  const tg::Shape places = tensor(tensors, "places.weight", 2, file).shape();
  Alphabet alphabet(std::string(letters.begin(), letters.end()));
  Gpt net({.characters = alphabet.size(),
           .context = places[0],
           .width = places[1],
           .layers = layers_of(tensors),
           .heads = heads_of(file)});
  tg::nn::load_state_dict(net, tensors);
  return {std::move(net), std::move(alphabet)};
}

}  // namespace char_gpt
