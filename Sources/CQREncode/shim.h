// SPDX-License-Identifier: Apache-2.0
#ifndef MUSUBI_QRENCODE_SHIM_H
#define MUSUBI_QRENCODE_SHIM_H

#include <qrencode.h>

#endif
