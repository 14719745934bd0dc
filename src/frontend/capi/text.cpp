// Language models and text encoders for C: tg/c/tg_models.h on top of tg/models/language_model.h
// and tg/models/text_encoder.h.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "frontend/capi/model_handles.h"
#include "tg/c/tg_models.h"
#include "tg/models/language_model.h"
#include "tg/models/text_encoder.h"

using namespace tg;
using namespace tg::capi_models;

namespace {

constexpr std::string_view kModel = "a language model", kEncoder = "a text encoder";

// Fields that the caller's structure does not have are 0, as those that it leaves out.
models::GenerateOptions options_of(const tg_generate_options* given, std::string_view function) {
  tg_generate_options o = {};
  if (given != nullptr) {
    const size_t size = given->struct_size;
    if (size < sizeof size || size > (size_t{1} << 16))
      user_error<ArgumentError>(function, fmt::format("struct_size is {}", size),
                                "Hint: set it to sizeof the structure.");
    std::memcpy(&o, given, std::min(size, sizeof o));
  }
  models::GenerateOptions out;
  if (o.max_tokens != 0) out.max_tokens = o.max_tokens;
  if (o.top_p != 0) out.top_p = o.top_p;
  out.temperature = o.temperature;
  out.top_k = o.top_k;
  out.min_p = o.min_p;
  out.seed = o.seed;
  return out;
}

std::vector<std::string> texts_of(const char* const* texts, size_t count,
                                  std::string_view function) {
  if (count > 0) check_given(texts, function, "texts");
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) {
    check_given(texts[i], function, fmt::format("text {}", i));
    out.emplace_back(texts[i]);
  }
  return out;
}

}  // namespace

tg_status tg_language_model_load(const char* path, const char* device, int64_t context,
                                 tg_language_model* result) {
  return interop::guarded([&] {
    check_given(path, "tg_language_model_load", "path");
    check_given(result, "tg_language_model_load", "result");
    *result = new_handle<tg_language_model>(
        models::LanguageModel::load(path, {.device = text_or_empty(device), .context = context}),
        kModel);
  });
}

tg_status tg_language_model_complete(tg_language_model model, const char* prompt,
                                     const tg_generate_options* options, tg_text_callback on_text,
                                     void* user, tg_value* result) {
  return interop::guarded([&] {
    constexpr std::string_view kName = "tg_language_model_complete";
    check_given(prompt, kName, "prompt");
    check_given(result, kName, "result");
    const auto held = model_of<models::LanguageModel>(model, kModel, kName);
    std::function<bool(std::string_view)> listener;
    if (on_text != nullptr)
      listener = [&](std::string_view text) { return on_text(user, std::string(text).c_str()); };
    *result = interop::text_value(held->complete(prompt, options_of(options, kName), listener));
  });
}

tg_status tg_language_model_logits(tg_language_model model, const int32_t* tokens, size_t count,
                                   tg_tensor* result) {
  return interop::guarded([&] {
    constexpr std::string_view kName = "tg_language_model_logits";
    if (count > 0) check_given(tokens, kName, "tokens");
    check_given(result, kName, "result");
    const auto held = model_of<models::LanguageModel>(model, kModel, kName);
    *result = interop::handle_of(held->logits({tokens, count}));
  });
}

tg_status tg_text_encoder_load(const char* folder, const char* device, tg_text_encoder* result) {
  return interop::guarded([&] {
    check_given(folder, "tg_text_encoder_load", "folder");
    check_given(result, "tg_text_encoder_load", "result");
    *result = new_handle<tg_text_encoder>(
        models::TextEncoder::load(folder, {.device = text_or_empty(device)}), kEncoder);
  });
}

tg_status tg_text_encoder_embed(tg_text_encoder encoder, const char* const* texts, size_t count,
                                tg_tensor* result) {
  return interop::guarded([&] {
    constexpr std::string_view kName = "tg_text_encoder_embed";
    check_given(result, kName, "result");
    const auto held = model_of<models::TextEncoder>(encoder, kEncoder, kName);
    *result = interop::handle_of(held->embed(texts_of(texts, count, kName)));
  });
}
