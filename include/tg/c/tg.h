/*
 * The C interface of tinygrad.cpp: handles, values, errors, and everything that is no plain function
 * of tensors. The functions themselves (sum, matmul, conv2d, layers, optimisers, ...) stand in
 * tg_ops.h, which is generated from the same records as the C++ documentation; both speak through
 * tg_call below. Other languages need only this file and manifest.json.
 *
 * Rules, without exception:
 *   - Every call returns a tg_status. On failure nothing was changed, results are untouched, and
 *     tg_error_message() says what was wrong, for this thread, until its next failing call.
 *   - Handles are opaque numbers with the type of pointers. They are counted: who gets one owns one
 *     count and gives it back by tg_release. A null, stale or foreign handle is TG_ERROR_HANDLE,
 *     never a crash.
 *   - Memory that is handed in is read before the call returns, unless the function says otherwise.
 *   - All functions may be called from any thread. One object is used by one thread at a time,
 *     except that handles may be retained and released anywhere.
 *   - Enumerations are int32_t, and grow at their ends. Structures begin with struct_size, which the caller sets to
 *     the size that it was compiled with, and grow at their ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On Windows, programs that link the static library define TINYGRAD_STATIC. */
#if !defined(_WIN32)
#define TG_C_API __attribute__((visibility("default")))
#elif defined(TG_BUILDING)
#define TG_C_API __declspec(dllexport)
#elif defined(TINYGRAD_STATIC)
#define TG_C_API
#else
#define TG_C_API __declspec(dllimport)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ---- */

/** The interface that this header describes; tg_abi_version() tells that of the library. Functions
 * are only ever added while it stays the same. */
#define TG_ABI_VERSION 1
TG_C_API uint32_t tg_abi_version(void);
/** The version of the library, "0.1.0". Lives as long as the process. */
TG_C_API const char* tg_version(void);

/* ---- errors ---- */

/** What came of a call. */
typedef int32_t tg_status;
enum {
  TG_OK = 0,
  TG_ERROR_SHAPE = 1,     /**< sizes that do not fit together */
  TG_ERROR_DTYPE = 2,     /**< an element type that the function does not accept */
  TG_ERROR_INDEX = 3,     /**< an index or axis outside its range */
  TG_ERROR_ARGUMENT = 4,  /**< any other argument that breaks a documented rule */
  TG_ERROR_DEVICE = 5,    /**< a device is unknown, missing, failed or out of memory */
  TG_ERROR_FILE = 6,      /**< a file is missing, damaged or of another format */
  TG_ERROR_CANCELLED = 7, /**< stopped on request */
  TG_ERROR_INTERNAL = 8,  /**< a broken invariant of the library: please report it */
  TG_ERROR_HANDLE = 9,    /**< a handle is null, was released, or names another kind of object */
  TG_ERROR_MEMORY = 10,   /**< the host has no memory left */
  TG_ERROR_CALLBACK = 11  /**< a callback failed without saying why */
};

/** The message of this thread's last failing call, `function: rule broken: the values. Hint.`; empty
 * if none failed. Stays valid until the thread's next failing call. */
TG_C_API const char* tg_error_message(void);
/** For callbacks: the message that the failing call on the outside will have. Returns `status`, so
 * that a callback can end with `return tg_fail(TG_ERROR_ARGUMENT, "...")`. */
TG_C_API tg_status tg_fail(tg_status status, const char* message);

/* ---- handles ---- */

/** An array that is computed when somebody looks. */
typedef struct tg_tensor_handle* tg_tensor;
/** A size that is an expression of variables. */
typedef struct tg_size_handle* tg_size;
/** A captured function. */
typedef struct tg_jit_handle* tg_jit;
/** A layer of a network. */
typedef struct tg_layer_handle* tg_layer;
/** An optimiser. */
typedef struct tg_optimizer_handle* tg_optimizer;
/** Tensors by name. */
typedef struct tg_state_handle* tg_state;

/** One more owner of `handle`, which is any of the above. */
TG_C_API tg_status tg_retain(const void* handle);
/** Gives an owner's count back; the object goes with the last one. */
TG_C_API tg_status tg_release(const void* handle);
/** Handles that are alive now, of all kinds: for tests of bindings. */
TG_C_API int64_t tg_live_handles(void);

/* ---- values ---- */

/** Element types, by the values of the library's DType. */
typedef int32_t tg_dtype;
enum {
  TG_DTYPE_BOOL = 2,
  TG_DTYPE_INT8 = 3,
  TG_DTYPE_UINT8 = 4,
  TG_DTYPE_INT16 = 5,
  TG_DTYPE_UINT16 = 6,
  TG_DTYPE_INT32 = 7,
  TG_DTYPE_UINT32 = 8,
  TG_DTYPE_INT64 = 9,
  TG_DTYPE_UINT64 = 10,
  TG_DTYPE_FP8E4M3 = 11,
  TG_DTYPE_FP8E5M2 = 12,
  TG_DTYPE_FP8E4M3FNUZ = 13,
  TG_DTYPE_FP8E5M2FNUZ = 14,
  TG_DTYPE_FLOAT16 = 15,
  TG_DTYPE_BFLOAT16 = 16,
  TG_DTYPE_FLOAT32 = 17,
  TG_DTYPE_FLOAT64 = 18
};

/** What a tg_value holds; the field of `as` that it stands in. */
typedef int32_t tg_kind;
enum {
  TG_NONE = 0,       /**< nothing: the parameter's default */
  TG_BOOL = 1,       /**< integer: 0 or 1 */
  TG_INT = 2,        /**< integer */
  TG_FLOAT = 3,      /**< number */
  TG_DTYPE = 4,      /**< integer: a tg_dtype */
  TG_STRING = 5,     /**< text: UTF-8, ends with a 0 byte */
  TG_INTS = 6,       /**< ints: `count` of them */
  TG_TENSOR = 7,     /**< tensor */
  TG_TENSORS = 8,    /**< tensors: `count` of them */
  TG_SIZE = 9,       /**< size: where an integer may stand, an expression of variables */
  TG_SIZES = 10,     /**< values: `count` of them, each TG_INT or TG_SIZE */
  TG_INDEX = 11,     /**< items: `count` of them, one an axis */
  TG_BYTES = 12,     /**< bytes: `count` of them */
  TG_LAYER = 13,     /**< layer */
  TG_OPTIMIZER = 14, /**< optimizer */
  TG_CHOICE = 15     /**< integer: a value of one of the enumerations in tg_ops.h */
};

struct tg_value;
struct tg_index_item;

/** An argument or a result. As an argument it borrows everything; a result owns what it holds until
 * tg_value_clear. */
typedef struct tg_value {
  tg_kind kind;
  size_t count; /**< elements of an array */
  union {
    int64_t integer;
    double number;
    const char* text;
    const int64_t* ints;
    tg_tensor tensor;
    const tg_tensor* tensors;
    tg_size size;
    const struct tg_value* values;
    const struct tg_index_item* items;
    const void* bytes;
    tg_layer layer;
    tg_optimizer optimizer;
  } as;
} tg_value;

/** What one item of an index does. */
typedef int32_t tg_index_kind;
enum {
  TG_INDEX_AT = 0,       /**< the element at `at` (TG_INT or TG_SIZE); the axis goes */
  TG_INDEX_SLICE = 1,    /**< start:stop:step, each TG_NONE, TG_INT, or (the ends) TG_SIZE */
  TG_INDEX_ELLIPSIS = 2, /**< all axes that no other item names */
  TG_INDEX_NEW_AXIS = 3, /**< a new axis of size 1 */
  /** the elements that the integers of the tensor in `at` name, or where its bools are true */
  TG_INDEX_GATHER = 4
};

/** One item between the brackets of x[...]. */
typedef struct tg_index_item {
  tg_index_kind kind;
  tg_value at;
  tg_value start;
  tg_value stop;
  tg_value step;
} tg_index_item;

/** Gives back what a result holds and makes it TG_NONE. Null and TG_NONE are fine. */
TG_C_API tg_status tg_value_clear(tg_value* value);

/** Values in a word, for arguments. */
static inline tg_value tg_int(int64_t i) {
  tg_value v = {TG_INT, 0, {i}};
  return v;
}
static inline tg_value tg_bool(bool b) {
  tg_value v = {TG_BOOL, 0, {b ? 1 : 0}};
  return v;
}
static inline tg_value tg_choice(int64_t i) {
  tg_value v = {TG_CHOICE, 0, {i}};
  return v;
}
static inline tg_value tg_type(tg_dtype t) {
  tg_value v = {TG_DTYPE, 0, {(int64_t)t}};
  return v;
}
static inline tg_value tg_float(double d) {
  tg_value v = {TG_FLOAT, 0, {0}};
  v.as.number = d;
  return v;
}
static inline tg_value tg_text(const char* text) {
  tg_value v = {TG_STRING, 0, {0}};
  v.as.text = text;
  return v;
}
static inline tg_value tg_of(tg_tensor t) {
  tg_value v = {TG_TENSOR, 0, {0}};
  v.as.tensor = t;
  return v;
}
static inline tg_value tg_size_value_of(tg_size s) {
  tg_value v = {TG_SIZE, 0, {0}};
  v.as.size = s;
  return v;
}
static inline tg_value tg_ints(const int64_t* ints, size_t count) {
  tg_value v = {TG_INTS, 0, {0}};
  v.count = count;
  v.as.ints = ints;
  return v;
}
static inline tg_value tg_tensors(const tg_tensor* tensors, size_t count) {
  tg_value v = {TG_TENSORS, 0, {0}};
  v.count = count;
  v.as.tensors = tensors;
  return v;
}
static inline tg_value tg_items(const tg_index_item* items, size_t count) {
  tg_value v = {TG_INDEX, 0, {0}};
  v.count = count;
  v.as.items = items;
  return v;
}
static inline tg_value tg_bytes(const void* bytes, size_t count) {
  tg_value v = {TG_BYTES, 0, {0}};
  v.count = count;
  v.as.bytes = bytes;
  return v;
}

/* ---- functions by name ---- */

/** A function of the manifest. Lives as long as the process. */
typedef const struct tg_function_record* tg_function;

/** Finds a function by its name in the manifest: "sum", "nn.Linear". TG_ERROR_ARGUMENT if there is
 * none. Constant time. */
TG_C_API tg_status tg_find_function(const char* name, tg_function* function);
/** Calls a function. `arguments` stand in the order of the manifest, of a method its tensor first;
 * those left out at the end, and those of kind TG_NONE, have their defaults. Where a tensor is
 * wanted a number will do (it takes the dtype of its partner), where sizes are wanted TG_INTS will
 * do, where an array is wanted also a single element. `result` may be null. */
TG_C_API tg_status tg_call(tg_function function, const tg_value* arguments, size_t count,
                           tg_value* result);

/* ---- tensors and data ---- */

/** Called when the library no longer needs memory that was lent to it, from any thread. */
typedef void (*tg_free_callback)(void* user);

/** Where and how a tensor's elements lie. */
typedef struct tg_tensor_info {
  size_t struct_size;
  tg_dtype dtype;
  int32_t ndim;
  int64_t numel;    /**< of the largest sizes, where sizes vary */
  int64_t nbytes;   /**< as many as tg_tensor_read gives */
  bool is_realized; /**< it is storage: no graph stands behind it */
  bool is_param;
} tg_tensor_info;

/** A copy of `bytes` bytes of row-major elements on `device` (null: the default one).
 * TG_ERROR_SHAPE unless they fill the shape. */
TG_C_API tg_status tg_tensor_from_data(const void* data, size_t bytes, tg_dtype dtype,
                                       const int64_t* shape, size_t ndim, const char* device,
                                       tg_tensor* result);
/** A tensor on the host's memory itself: nothing is copied, writes are seen on both sides.
 * `release(user)` is called once nobody reads it any more, also if this call fails. The address is a
 * multiple of the element's size. Lives on the CPU device. */
TG_C_API tg_status tg_tensor_wrap(void* data, size_t bytes, tg_dtype dtype, const int64_t* shape,
                                  size_t ndim, tg_free_callback release, void* user,
                                  tg_tensor* result);
TG_C_API tg_status tg_tensor_get_info(tg_tensor tensor, tg_tensor_info* info);
/** The sizes of the axes (of variable ones the largest), at most `capacity`; `*ndim` is their number
 * in any case. */
TG_C_API tg_status tg_tensor_shape(tg_tensor tensor, int64_t* shape, size_t capacity, size_t* ndim);
/** Computes the tensor and copies its elements, row-major. TG_ERROR_ARGUMENT unless `bytes` is their
 * size. */
TG_C_API tg_status tg_tensor_read(tg_tensor tensor, void* out, size_t bytes);
/** Computes the tensor and gives the address of its elements, row-major, if the host can reach them
 * there; else null. Valid while the tensor is alive and nothing is assigned to it. */
TG_C_API tg_status tg_tensor_host_pointer(tg_tensor tensor, void** data);
/** Another name of the same value: what is assigned through one is seen through both. */
TG_C_API tg_status tg_tensor_alias(tg_tensor tensor, tg_tensor* result);
/** Makes `tensor` a name of what `value` is now, as `tensor = value` does in Python for everybody who
 * holds it. Nothing is computed. */
TG_C_API tg_status tg_tensor_replace(tg_tensor tensor, tg_tensor value);
/** Whether both handles name one value. */
TG_C_API tg_status tg_tensor_same(tg_tensor a, tg_tensor b, bool* same);
/** Which of `count` tensors the value is made of, as its graph is now: `depends` [count]. */
TG_C_API tg_status tg_tensor_depends(tg_tensor value, const tg_tensor* on, size_t count,
                                     bool* depends);

struct DLManagedTensorVersioned;
struct DLManagedTensor;
/** Computes the tensor and lends its memory as DLPack 1.0 (dlpack.h), without a copy where the host
 * can reach it. The consumer calls its deleter. */
TG_C_API tg_status tg_tensor_to_dlpack(tg_tensor tensor, struct DLManagedTensorVersioned** result);
/** A tensor on the memory of a DLPack 1.x tensor of the CPU: row-major ones are not copied, others
 * are. Owns `managed` from then on, unless it fails. */
TG_C_API tg_status tg_tensor_from_dlpack(struct DLManagedTensorVersioned* managed,
                                         tg_tensor* result);
/** The same for producers of DLPack before 1.0. */
TG_C_API tg_status tg_tensor_from_dlpack_unversioned(struct DLManagedTensor* managed,
                                                     tg_tensor* result);

/* ---- variables ---- */

/** A named whole number with bounds, with its value of this call: a size, or a place in an index.
 * Kernels are made for all values from `min` to `max`. */
TG_C_API tg_status tg_variable(const char* name, int64_t min, int64_t max, int64_t value,
                               tg_size* result);
/** `a op b` for op in + - * / % (division rounds down); each of a, b is TG_INT or TG_SIZE, and so is
 * the result. */
TG_C_API tg_status tg_size_compute(char op, tg_value a, tg_value b, tg_value* result);
/** The value, and the bounds over all values of the variables. Any of them may be null. */
TG_C_API tg_status tg_size_value(tg_size size, int64_t* value, int64_t* min, int64_t* max);
/** "n + 1". The text goes by tg_value_clear. */
TG_C_API tg_status tg_size_text(tg_size size, tg_value* result);

/* ---- captured functions ---- */

/** The body of a captured function: gives its results, whose handles the caller then owns, and
 * TG_OK; or fails, best through tg_fail. At most `capacity` results. */
typedef tg_status (*tg_jit_body)(void* user, const tg_value* arguments, size_t count,
                                 tg_value* results, size_t capacity, size_t* result_count);
/** Of tg_jit_create. */
typedef struct tg_jit_options {
  size_t struct_size;
  bool alias_outputs; /**< results of every call are the same tensors, written again */
} tg_jit_options;
/** What was recorded. */
typedef struct tg_jit_stats {
  size_t struct_size;
  bool captured;
  int64_t launches; /**< of a replay */
  int64_t kernels;  /**< that these run */
  int64_t arena_bytes;
} tg_jit_stats;

/** A function whose calls are recorded once and then replayed. `release(user)` (may be null) is
 * called when it goes. `options` may be null. */
TG_C_API tg_status tg_jit_create(tg_jit_body body, void* user, tg_free_callback release,
                                 const tg_jit_options* options, tg_jit* result);
/** Calls it: arguments are TG_TENSOR, TG_TENSORS, TG_INT, TG_FLOAT, TG_BOOL and TG_SIZE; results are
 * tensors. The first call runs the body, the second records it, later ones replay. */
TG_C_API tg_status tg_jit_call(tg_jit jit, const tg_value* arguments, size_t count,
                               tg_tensor* results, size_t capacity, size_t* result_count);
TG_C_API tg_status tg_jit_reset(tg_jit jit);
TG_C_API tg_status tg_jit_get_stats(tg_jit jit, tg_jit_stats* stats);

/* ---- gradients ---- */

/** What a custom function does: from `count` tensors makes one (forward), or from those, the result
 * and its gradient those of the tensors (backward: arguments are the inputs, the result, its
 * gradient; results are `count` tensors, null for one without gradient). Built of tensor functions;
 * the handles given are borrowed, those returned are the caller's. */
typedef tg_status (*tg_custom_body)(void* user, const tg_tensor* arguments, size_t count,
                                    tg_tensor* results, size_t capacity);
/** forward(inputs) with the gradient that `backward` gives instead of its own. `release(user)` is
 * called when nothing can differentiate it any more. */
TG_C_API tg_status tg_custom(tg_custom_body forward, tg_custom_body backward, void* user,
                             tg_free_callback release, const tg_tensor* inputs, size_t count,
                             tg_tensor* result);
/** Switches training (dropout, batch_norm) of this thread on or off; `*before` (may be null) is what
 * it was. */
TG_C_API tg_status tg_set_training(bool training, bool* before);
/** Switches the recording of gradients by this thread's operations on or off. */
TG_C_API tg_status tg_set_grad_enabled(bool enabled, bool* before);

/* ---- layers, optimisers, state ---- */

/** The layer applied to x. TG_ERROR_ARGUMENT for one that gives several tensors. */
TG_C_API tg_status tg_layer_call(tg_layer layer, tg_tensor x, tg_tensor* result);
/** The same for layers that take or give several tensors: nn.LSTMCell takes x, or x, output and cell
 * of the step before, and gives the next output and cell; attention takes masks behind what it
 * attends to. At most `capacity` results. */
TG_C_API tg_status tg_layer_apply(tg_layer layer, const tg_tensor* inputs, size_t count,
                                  tg_tensor* results, size_t capacity, size_t* result_count);
/** The layer's tensors by name; they are the layer's own, not copies. */
TG_C_API tg_status tg_layer_get_state(tg_layer layer, tg_state* result);
/** A whole step: gradients of `loss`, update of the parameters, everything computed. With a null
 * loss, from the gradients that backward left. */
TG_C_API tg_status tg_optimizer_step(tg_optimizer optimizer, tg_tensor loss);
/** A whole step of several optimisers with parameters of their own, as one; it needs the loss. */
TG_C_API tg_status tg_optimizer_step_together(const tg_optimizer* optimizers, size_t count,
                                              tg_tensor loss);
TG_C_API tg_status tg_optimizer_zero_grad(tg_optimizer optimizer);
TG_C_API tg_status tg_optimizer_lr(tg_optimizer optimizer, double* rate);
TG_C_API tg_status tg_optimizer_set_lr(tg_optimizer optimizer, double rate);
/** What it keeps between steps, by name; its own tensors, not copies. */
TG_C_API tg_status tg_optimizer_get_state(tg_optimizer optimizer, tg_state* result);

/** No tensors by name. */
TG_C_API tg_status tg_state_create(tg_state* result);
/** Adds a tensor, or replaces that of this name. */
TG_C_API tg_status tg_state_set(tg_state state, const char* name, tg_tensor tensor);
/** The tensor of this name; TG_ERROR_ARGUMENT if there is none. */
TG_C_API tg_status tg_state_get(tg_state state, const char* name, tg_tensor* result);
/** Adds all of `from`, with `prefix` before their names. */
TG_C_API tg_status tg_state_merge(tg_state state, const char* prefix, tg_state from);
TG_C_API tg_status tg_state_count(tg_state state, size_t* count);
/** The i-th name in alphabetical order, and its tensor (either may be null). The name goes by
 * tg_value_clear. */
TG_C_API tg_status tg_state_at(tg_state state, size_t i, tg_value* name, tg_tensor* tensor);
/** Writes a safetensors file. */
TG_C_API tg_status tg_state_save(tg_state state, const char* path);
/** Reads a file of tensors, by its content: safetensors, an index of sharded safetensors, PyTorch, GGUF,
 * .npz (docs/files.md). `device` null: the default one. */
TG_C_API tg_status tg_state_load(const char* path, const char* device, tg_state* result);
/** The same, and what the file says beside its tensors (metadata, numbers and texts of a checkpoint): the
 * text of a JSON object, which goes by tg_value_clear. */
TG_C_API tg_status tg_state_load_with_facts(const char* path, const char* device, tg_state* result,
                                            tg_value* facts);
/** The first `count` elements of ggml's type number `type` in `bytes`, uint8 [n]: float32 if the
 * type is quantised, computed from the bytes by what reads it (tg::nn::ggml_tensor). */
TG_C_API tg_status tg_ggml_tensor(tg_tensor bytes, int64_t count, int64_t type, tg_tensor* result);
/** Assigns the values of `from` to the tensors of `into` and computes them; all or nothing. */
TG_C_API tg_status tg_state_assign(tg_state into, tg_state from);

/** Hand-written digits as uint8: "train.images" [count, 28, 28], "train.labels" [count], "test.images",
 * "test.labels". From the usual places and the net, else drawn by the library; `*name` (may be null)
 * says which, and goes by tg_value_clear. */
TG_C_API tg_status tg_dataset_mnist(const char* device, tg_state* result, tg_value* name);

/* ---- devices, options, counters ---- */

/** The i-th device's name and whether it can be used, with the reason if not, as `tg devices` says
 * it; TG_ERROR_INDEX behind the last. The texts go by tg_value_clear; `reason` may be null. */
TG_C_API tg_status tg_device_at(size_t i, tg_value* name, bool* usable, tg_value* reason);
/** The device where tensors go that name none. */
TG_C_API tg_status tg_default_device(tg_value* name);
/** Loads a backend's shared object; gives the name of its device. */
TG_C_API tg_status tg_load_backend(const char* path, tg_value* name);
/** Waits until everything launched so far is done. `device` null: on all. */
TG_C_API tg_status tg_synchronize(const char* device);
/** Sets an option (docs/options.md) for the whole process, as the environment would. A null value
 * takes it back. */
TG_C_API tg_status tg_set_option(const char* name, const char* value);
/** The option's value as text; goes by tg_value_clear. */
TG_C_API tg_status tg_get_option(const char* name, tg_value* value);
/** Receives a line for people without its end: what DEBUG prints, and warnings. Called by one thread at
 * a time; it must not call the library. */
typedef void (*tg_log_callback)(void* user, const char* line);
/** Sends these lines to `callback`; null: to standard error. `release(user)` (may be null) is called once
 * another one, or none, stands in its place. */
TG_C_API tg_status tg_set_log(tg_log_callback callback, void* user, tg_free_callback release);
/** Asked while the library works, by the threads that do, each at most every 20 ms: true stops the work
 * of that thread's call, which returns TG_ERROR_CANCELLED and leaves every tensor as it was. Several
 * threads may call it at once; it must not compute. */
typedef bool (*tg_interrupt_callback)(void* user);
/** Lets `callback` stop long work; null: nothing does. `release(user)` (may be null) is called once
 * another one, or none, stands in its place and nobody is in it any more. */
TG_C_API tg_status tg_set_interrupt(tg_interrupt_callback callback, void* user,
                                    tg_free_callback release);
/** Starts the sequence of random numbers of `seed`. */
TG_C_API tg_status tg_manual_seed(uint64_t seed);

/** Totals of the process, over all devices and threads. */
typedef struct tg_counters {
  size_t struct_size;
  int64_t kernels;
  int64_t launches;
  int64_t ops;
  int64_t bytes;
  double seconds; /**< measured only with DEBUG of 2 or more, or with PROFILE */
  int64_t memory_in_use;
  int64_t peak_memory;
} tg_counters;
TG_C_API tg_status tg_read_counters(tg_counters* counters);
TG_C_API tg_status tg_reset_counters(void);
/** How many schedules are kept: each serves all graphs that differ only in their arrays and in the
 * values of variables. A loop whose steps add some plans, and may compile, in each of them. At most
 * 1,024 are kept. */
TG_C_API tg_status tg_kept_schedules(int64_t* count);
/** Forgets schedules, and compiled kernels but for those on disk; they are made again if needed. */
TG_C_API tg_status tg_clear_caches(void);

#ifdef __cplusplus
}
#endif

