// Symbol visibility: everything is hidden except what TG_API marks.
#pragma once

#if !defined(_WIN32)
#define TG_API __attribute__((visibility("default")))
#elif defined(TG_BUILDING)
#define TG_API __declspec(dllexport)
#elif defined(TINYGRAD_STATIC)
#define TG_API
#else
#define TG_API __declspec(dllimport)
#endif
