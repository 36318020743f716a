// For wcwidth.
#define _GNU_SOURCE
#include "CNcurses.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

int cncurses_probe(const char *term) {
  int status = 0;
  if (setupterm((char *)term, STDOUT_FILENO, &status) != OK) return -1;
  const char *move = tigetstr("cup");
  int usable = move != NULL && move != (char *)-1;
  del_curterm(cur_term);
  return usable;
}

int cncurses_columns(wchar_t character) { return wcwidth(character); }

// Written by cncurses_arm before any handler is installed, read by the handler alone.
static int guarded_fd = -1;
static struct termios guarded_modes;
static char *guarded_bytes;
static size_t guarded_count;
static volatile sig_atomic_t is_armed;

// Every signal whose default is to end the program and that can be caught, but for the real-time ones, which follow.
static const int named_signals[] = {SIGILL,  SIGTRAP, SIGSEGV, SIGBUS,  SIGFPE,    SIGABRT, SIGQUIT,
                                    SIGHUP,  SIGTERM, SIGINT,  SIGSYS,  SIGALRM,   SIGVTALRM, SIGPROF,
                                    SIGUSR1, SIGUSR2, SIGXCPU, SIGIO,   SIGSTKFLT, SIGPWR};
enum { named_count = sizeof named_signals / sizeof *named_signals, most_signals = named_count + 64 };
static struct sigaction earlier[most_signals];

static int signal_count(void) { return named_count + SIGRTMAX - SIGRTMIN + 1; }

static int guarded_signal(int index) {
  return index < named_count ? named_signals[index] : SIGRTMIN + index - named_count;
}

void cncurses_restore(void) {
  if (!is_armed) return;
  size_t done = 0;
  while (done < guarded_count) {
    ssize_t written = write(guarded_fd, guarded_bytes + done, guarded_count - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += (size_t)written;
  }
  tcsetattr(guarded_fd, TCSAFLUSH, &guarded_modes);
}

static void end_by(int number) {
  cncurses_restore();
  is_armed = 0;
  signal(number, SIG_DFL);
  raise(number);
}

void cncurses_arm(int fd, const char *bytes, size_t count) {
  if (is_armed || tcgetattr(fd, &guarded_modes) != 0) return;
  guarded_bytes = malloc(count);
  if (guarded_bytes == NULL) return;
  memcpy(guarded_bytes, bytes, count);
  guarded_count = count;
  guarded_fd = fd;

  static char stack[64 * 1024];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  is_armed = 1;

  struct sigaction action = {.sa_handler = end_by, .sa_flags = SA_ONSTACK | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < signal_count(); i++) sigaction(guarded_signal(i), &action, &earlier[i]);
}

void cncurses_disarm(void) {
  if (!is_armed) return;
  for (int i = 0; i < signal_count(); i++) sigaction(guarded_signal(i), &earlier[i], NULL);
  is_armed = 0;
  free(guarded_bytes);
  guarded_bytes = NULL;
}
