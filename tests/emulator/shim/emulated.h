// What a compiled kernel and the emulator say to each other: the work-item that runs, barriers of
// the group, and those of a subgroup from which shuffles, votes and matrix instructions are made.
// Plain declarations that C++, OpenCL C and C++ for OpenCL all read. Who answers: hooks.cpp, and
// behind it runner/launch.cpp.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that a work-item may bring to a subgroup's barrier; in the table, neighbours lie this far
// apart.
enum { TG_SLOT_BYTES = 256 };

// Where a work-item is: the launch is one-dimensional.
struct tg_place {
  unsigned work_item, group_size;  // in the group, and how many it has
  unsigned group, groups;          // in the launch
  unsigned lane, lanes;            // in the subgroup
};

// The work-item that runs now.
#ifdef __OPENCL_C_VERSION__
extern __constant const struct tg_place tg_here;
#else
extern struct tg_place tg_here;
#endif

// Kinds of memory in which each work-item sees after a barrier what the others wrote before.
enum { TG_LOCAL = 1, TG_GLOBAL = 2, TG_ALL_MEMORY = 3 };

// Where all work-items of the group wait for each other. `line` says which barrier it is, `fences`
// the kinds of memory that it orders.
void tg_barrier(int line, int fences);

// Where the lanes of `mask` wait for each other: each brings `bytes` bytes and is given the table
// of what all brought, by lane. It holds until this lane's next such barrier but one.
const char* tg_subgroup_barrier(const void* mine, unsigned bytes, unsigned long mask, int fences,
                                int line);

#ifndef __OPENCL_C_VERSION__
// Begins to copy `bytes` bytes, at most 16 and a multiple of which both addresses are, or zeros;
// nobody may read them where they go before they arrive.
void tg_begin_copy(void* to, const void* from, unsigned bytes, int whether);
// What the work-item began to copy since it last said this is a batch; all but so many batches
// arrive.
void tg_arrive(unsigned on_their_way);
#endif

#ifdef __cplusplus
}
#endif
