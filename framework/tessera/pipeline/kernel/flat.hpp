// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// TESSERA_FLAT is for functions that loop over points. All that a body calls is inlined into them, however
// many functions and lambdas that are, because one call that is not inlined prevents vectorisation. The
// function itself is not inlined into its caller, so that nothing else claims its registers. Builds that
// check every access do not flatten: they are not made for speed, and a file would take minutes to compile.
#ifdef TESSERA_CHECKS
#define TESSERA_FLAT gnu::noinline
#else
#define TESSERA_FLAT gnu::noinline, gnu::flatten
#endif
