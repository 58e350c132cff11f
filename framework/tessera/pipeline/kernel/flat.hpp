// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// TESSERA_FLAT is an attribute for functions that loop over points and call a stage body. The body, and
// everything that it calls, is inlined into such a function, because a single call that is not inlined
// prevents vectorisation. A function with TESSERA_FLAT is not inlined into its caller, so that the code of
// the caller does not compete for registers. In builds with TESSERA_CHECKS, which check every access, the
// attribute does not inline the calls. These builds are not made for speed, and a file would otherwise take
// minutes to compile.
#ifdef TESSERA_CHECKS
#define TESSERA_FLAT gnu::noinline
#else
#define TESSERA_FLAT gnu::noinline, gnu::flatten
#endif
