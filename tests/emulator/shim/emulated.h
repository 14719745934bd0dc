// What a compiled kernel and the emulator say to each other: the item that runs, barriers, and the
// meetings of a subgroup from which shuffles, votes and matrix instructions are made. Plain
// declarations that C++ and C++ for OpenCL both read. Who answers: hooks.cpp, and behind
// it runner/launch.cpp.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that an item may bring to a meeting; in the table, neighbours lie this far apart.
enum { TG_SLOT_BYTES = 256 };

// Where an item is: the launch is one-dimensional.
struct tg_place {
  unsigned item, items;    // in the group, and how many it has
  unsigned group, groups;  // in the launch
  unsigned lane, lanes;    // in the subgroup
};

// The item that runs now.
extern struct tg_place tg_here;

// Where all items of the group meet. `line` says which barrier it is.
void tg_barrier(int line);

// Where the lanes of `mask` meet: each brings `bytes` bytes and is given the table of what all
// brought, by lane. It holds until this lane's next meeting but one. With `orders`, each lane sees
// afterwards what the others wrote before.
const char* tg_meet(const void* mine, unsigned bytes, unsigned long mask, int orders, int line);

#ifdef __cplusplus
}
#endif
