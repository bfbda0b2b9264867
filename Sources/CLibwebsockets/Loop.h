// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "CLibwebsockets.h"

#include <ev.h>

struct musubi_loop {
  struct ev_loop *loop;
  musubi_loop_handlers handlers;
  ev_async async;
  ev_check check;
  ev_prepare prepare;
  ev_timer timer;
  ev_io listener;
};
