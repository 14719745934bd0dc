// See argument_words.h.
#include "runtime/argument_words.h"

namespace tg {

ArgumentWords::ArgumentWords(const Call& call, int64_t last) {
  words_.reserve(call.buffers.size() + call.vars.size() + 1);
  for (void* b : call.buffers) words_.push_back(reinterpret_cast<uint64_t>(b));
  for (int64_t v : call.vars) words_.push_back(static_cast<uint64_t>(v));
  words_.push_back(static_cast<uint64_t>(last));
  pointers_.reserve(words_.size());
  for (uint64_t& word : words_) pointers_.push_back(&word);
}

}  // namespace tg
