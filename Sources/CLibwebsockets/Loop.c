// SPDX-License-Identifier: Apache-2.0
#include "Loop.h"

#include <stdlib.h>

static void woken(struct ev_loop *loop, ev_async *watcher, int events) {
  const musubi_loop *self = watcher->data;
  (void)loop, (void)events;
  self->handlers.woken(self->handlers.owner);
}

static void iteration_begins(struct ev_loop *loop, ev_check *watcher, int events) {
  const musubi_loop *self = watcher->data;
  (void)loop, (void)events;
  self->handlers.iteration_begins(self->handlers.owner);
}

static void iteration_ends(struct ev_loop *loop, ev_prepare *watcher, int events) {
  const musubi_loop *self = watcher->data;
  (void)loop, (void)events;
  self->handlers.iteration_ends(self->handlers.owner);
}

static void timer_fired(struct ev_loop *loop, ev_timer *watcher, int events) {
  const musubi_loop *self = watcher->data;
  (void)loop, (void)events;
  self->handlers.timer_fired(self->handlers.owner);
}

static void readable(struct ev_loop *loop, ev_io *watcher, int events) {
  const musubi_loop *self = watcher->data;
  (void)loop, (void)events;
  self->handlers.readable(self->handlers.owner);
}

musubi_loop *musubi_loop_create(const musubi_loop_handlers *handlers) {
  musubi_loop *self = calloc(1, sizeof *self);
  if (!self)
    return NULL;
  self->loop = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV);
  if (!self->loop) {
    free(self);
    return NULL;
  }
  self->handlers = *handlers;
  ev_async_init(&self->async, woken);
  ev_check_init(&self->check, iteration_begins);
  ev_prepare_init(&self->prepare, iteration_ends);
  ev_timer_init(&self->timer, timer_fired, 0, 0);
  ev_io_init(&self->listener, readable, -1, EV_READ);
  self->async.data = self->check.data = self->prepare.data = self->timer.data = self->listener.data = self;
  // The iteration's begin comes before all other handlers.
  ev_set_priority(&self->check, EV_MAXPRI);
  ev_async_start(self->loop, &self->async);
  ev_check_start(self->loop, &self->check);
  ev_prepare_start(self->loop, &self->prepare);
  return self;
}

void musubi_loop_destroy(musubi_loop *self) {
  if (!self)
    return;
  musubi_loop_unwatch(self);
  ev_timer_stop(self->loop, &self->timer);
  ev_prepare_stop(self->loop, &self->prepare);
  ev_check_stop(self->loop, &self->check);
  ev_async_stop(self->loop, &self->async);
  ev_loop_destroy(self->loop);
  free(self);
}

void musubi_loop_run(musubi_loop *self) { ev_run(self->loop, 0); }

void musubi_loop_run_once(musubi_loop *self) { ev_run(self->loop, EVRUN_NOWAIT); }

void musubi_loop_break(musubi_loop *self) { ev_break(self->loop, EVBREAK_ALL); }

void musubi_loop_wake(musubi_loop *self) { ev_async_send(self->loop, &self->async); }

void musubi_loop_set_timer(musubi_loop *self, double seconds) {
  ev_timer_stop(self->loop, &self->timer);
  if (seconds < 0)
    return;
  // The loop's own clock stands still during an iteration; a timer counts from it.
  ev_now_update(self->loop);
  ev_timer_set(&self->timer, seconds, 0);
  ev_timer_start(self->loop, &self->timer);
}

void musubi_loop_watch(musubi_loop *self, int descriptor) {
  musubi_loop_unwatch(self);
  ev_io_set(&self->listener, descriptor, EV_READ);
  ev_io_start(self->loop, &self->listener);
}

void musubi_loop_unwatch(musubi_loop *self) { ev_io_stop(self->loop, &self->listener); }

struct musubi_watch {
  ev_io watcher;
  musubi_loop *loop;
};

static void watch_ready(struct ev_loop *loop, ev_io *watcher, int events) {
  const musubi_watch *self = (const musubi_watch *)watcher;
  (void)loop;
  self->loop->handlers.watch_ready(watcher->data, (events & EV_READ) != 0, (events & EV_WRITE) != 0);
}

musubi_watch *musubi_watch_create(musubi_loop *loop, int descriptor, void *owner) {
  musubi_watch *self = calloc(1, sizeof *self);
  if (!self)
    return NULL;
  self->loop = loop;
  ev_io_init(&self->watcher, watch_ready, descriptor, EV_NONE);
  self->watcher.data = owner;
  return self;
}

void musubi_watch_set(musubi_watch *self, int reads, int writes) {
  int events = (reads ? EV_READ : EV_NONE) | (writes ? EV_WRITE : EV_NONE);
  ev_io_stop(self->loop->loop, &self->watcher);
  ev_io_set(&self->watcher, self->watcher.fd, events);
  if (events)
    ev_io_start(self->loop->loop, &self->watcher);
}

void musubi_watch_destroy(musubi_watch *self) {
  ev_io_stop(self->loop->loop, &self->watcher);
  free(self);
}
