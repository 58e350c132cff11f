// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Of the functions that loop over points: all that a body calls is inlined, however many functions and
// lambdas that are, as one that is not inlined ends all vectors. Nothing of the caller is inlined, so that
// nothing else claims its registers. Builds that check every access are not made for speed, and would take
// minutes a file.
#ifdef TESSERA_CHECKS
#define TESSERA_FLAT gnu::noinline
#else
#define TESSERA_FLAT gnu::noinline, gnu::flatten
#endif
