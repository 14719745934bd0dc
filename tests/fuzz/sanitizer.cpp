// What AddressSanitizer is told in fuzzers, where a refused input is an exception: after each one
// it searches the frames that it keeps for uses after return. With few of them most inputs cost
// half or less; frames that find no room are checked for everything else. What was freed is kept
// for 16 MB more, which is longer than an input. ASAN_OPTIONS can say otherwise.
extern "C" const char* __asan_default_options();  // NOLINT: the name is AddressSanitizer's

extern "C" const char* __asan_default_options() {  // NOLINT
  return "max_uar_stack_size_log=16:quarantine_size_mb=16";
}
