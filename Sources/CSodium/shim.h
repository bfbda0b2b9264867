// SPDX-License-Identifier: Apache-2.0
#ifndef MUSUBI_SODIUM_SHIM_H
#define MUSUBI_SODIUM_SHIM_H

#include <sodium.h>

#endif
