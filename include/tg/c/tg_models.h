/*
 * The C interface of tinygrad::models: ONNX files as functions of tensors by name, language models
 * and text encoders. The rules are those of tg.h, whose handles, states and values stand here too;
 * link libtinygrad_models beside libtinygrad (or open it while the program runs).
 *
 *   tg_onnx model;
 *   tg_state inputs, outputs;
 *   tg_onnx_load("digits.onnx", NULL, &model);
 *   tg_state_create(&inputs);
 *   tg_state_set(inputs, "picture", picture);
 *   tg_onnx_call(model, inputs, &outputs);
 */
#pragma once

#include "tg/c/tg.h"

#if defined(_WIN32) && defined(TG_BUILDING_MODELS)
#define TG_C_MODELS_API __declspec(dllexport)
#else
#define TG_C_MODELS_API TG_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A model of an .onnx file; tg_retain and tg_release count its owners. */
typedef const struct tg_onnx_handle* tg_onnx;

/** Reads an .onnx file, with the external data that lies beside it. `device` null: the default one.
 * TG_ERROR_FILE for a file that is missing, damaged or breaks the format's rules. */
TG_C_MODELS_API tg_status tg_onnx_load(const char* path, const char* device, tg_onnx* result);
/** The same of `count` bytes in memory. `folder`: where external data lies; null: external data is
 * an error. */
TG_C_MODELS_API tg_status tg_onnx_parse(const void* bytes, size_t count, const char* folder,
                                        const char* device, tg_onnx* result);
/** What the file says, as the text of a JSON object, which goes by tg_value_clear:
 *
 *   {"inputs": [{"name": "x", "dtype": "float32", "kind": "tensor", "shape": ["batch", 3, null]}],
 *    "outputs": [...], "operators": {"Relu": 2}, "unsupported": [{"node", "op", "reason"}]}
 *
 * An axis is a number, a name (axes of one name have one size) or null (any size). Without "shape"
 * the number of axes is not said either, without "dtype" there are no numbers. "kind" may also be
 * "sequence", "optional" and "text". Inputs that have a value in the file are parameters. */
TG_C_MODELS_API tg_status tg_onnx_describe(tg_onnx model, tg_value* result);
/** The outputs by name, lazily; of a sequence the items, "name.0", "name.1", ...; an empty optional
 * is left out. `inputs` are all of the description's. TG_ERROR_ARGUMENT for one that is missing or
 * unknown and for a node that is not supported, TG_ERROR_DTYPE and TG_ERROR_SHAPE for one that is
 * not as described. */
TG_C_MODELS_API tg_status tg_onnx_call(tg_onnx model, tg_state inputs, tg_state* result);
/** The values that the file gives names, its weights; they are the model's own tensors, not copies.
 */
TG_C_MODELS_API tg_status tg_onnx_get_parameters(tg_onnx model, tg_state* result);
/** Replaces parameters by tensors of their shape and dtype, which may be on another device; all or
 * nothing. TG_ERROR_ARGUMENT for a name that is none, TG_ERROR_SHAPE, TG_ERROR_DTYPE. */
TG_C_MODELS_API tg_status tg_onnx_set_parameters(tg_onnx model, tg_state parameters);

/* ---- language models ---- */

/** A decoder with its tokenizer, and the keys and values of its last text; tg_retain and tg_release
 * count its owners. */
typedef const struct tg_language_model_handle* tg_language_model;

/** How a text goes on. What is 0 has its default. */
typedef struct tg_generate_options {
  size_t struct_size;
  int64_t max_tokens; /**< most tokens of the answer; 0: 256 */
  double temperature; /**< 0: the likeliest token each time */
  int64_t top_k;      /**< drawn from the k likeliest; 0: from all */
  double top_p;       /**< from the likeliest that together have this probability; 0: from all */
  double min_p;       /**< from those at least this share as likely as the likeliest */
  uint64_t seed;      /**< equal seeds give equal texts */
} tg_generate_options;

/** Receives a piece of the answer, UTF-8; false ends the answer. */
typedef bool (*tg_text_callback)(void* user, const char* text);

/** Loads a GGUF file or a folder of Hugging Face (docs/language-models.md). `device` null: the
 * default one. `context`: positions for which keys and values have room; 0: those of the model, at
 * most 4096. TG_ERROR_FILE for what is missing, damaged or not supported, TG_ERROR_ARGUMENT if it
 * needs more memory than there is. */
TG_C_MODELS_API tg_status tg_language_model_load(const char* path, const char* device,
                                                 int64_t context, tg_language_model* result);
/** The text that follows `prompt`; it goes by tg_value_clear. `on_text` (may be null) receives it
 * piece by piece, on this thread. `options` may be null. What the last text and this one have in
 * common is not computed again. TG_ERROR_ARGUMENT without a tokenizer and for options out of range.
 */
TG_C_MODELS_API tg_status tg_language_model_complete(tg_language_model model, const char* prompt,
                                                     const tg_generate_options* options,
                                                     tg_text_callback on_text, void* user,
                                                     tg_value* result);
/** After each of `count` tokens, what the model says of the next: float32 [count, vocabulary].
 * TG_ERROR_ARGUMENT for no tokens, more than the context, or one that is not in the vocabulary. */
TG_C_MODELS_API tg_status tg_language_model_logits(tg_language_model model, const int32_t* tokens,
                                                   size_t count, tg_tensor* result);

/* ---- text encoders ---- */

/** A network that makes a vector of a text; tg_retain and tg_release count its owners. */
typedef const struct tg_text_encoder_handle* tg_text_encoder;

/** Loads a folder with config.json, safetensors and a tokenizer (docs/embeddings.md). TG_ERROR_FILE
 * for what is missing, damaged or not supported. */
TG_C_MODELS_API tg_status tg_text_encoder_load(const char* folder, const char* device,
                                               tg_text_encoder* result);
/** The vectors of `count` texts, UTF-8: float32 [count, size]. */
TG_C_MODELS_API tg_status tg_text_encoder_embed(tg_text_encoder encoder, const char* const* texts,
                                                size_t count, tg_tensor* result);

#ifdef __cplusplus
}
#endif
