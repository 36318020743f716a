#pragma once
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <stddef.h>
#include <wchar.h>

// What Swift cannot import: attribute macros, the global window, variadic calls, terminfo's macros. Numbers of ncurses
// are taken from its own header here and nowhere restated.

static inline unsigned int cncurses_bold(void) { return A_BOLD; }
static inline unsigned int cncurses_dim(void) { return A_DIM; }
static inline unsigned int cncurses_italic(void) { return A_ITALIC; }
static inline unsigned int cncurses_underline(void) { return A_UNDERLINE; }
static inline unsigned int cncurses_reverse(void) { return A_REVERSE; }
static inline int cncurses_colors(void) { return COLORS; }
static inline int cncurses_color_pairs(void) { return COLOR_PAIRS; }

/// Draws one grapheme at a place, with attributes and an extended colour pair.
static inline void cncurses_put(int row, int column, const wchar_t *text, unsigned int attributes, int pair) {
  cchar_t cell;
  if (setcchar(&cell, text, attributes, 0, &pair) == OK) mvadd_wch(row, column, &cell);
}

/// Columns that the C library, and so ncurses, gives a character: -1 where it does not know it.
int cncurses_columns(wchar_t character);

static inline void cncurses_erase(void) { werase(stdscr); }
static inline void cncurses_redraw_all(void) { clearok(curscr, TRUE); }
/// Has rows written anew whatever they are believed to show.
static inline void cncurses_redraw_rows(int row, int count) { wredrawln(stdscr, row, count); }
static inline void cncurses_stage(void) { wnoutrefresh(stdscr); }
static inline void cncurses_background(int pair) {
  cchar_t cell;
  if (setcchar(&cell, L" ", A_NORMAL, 0, &pair) == OK) wbkgrndset(stdscr, &cell);
}

/// What terminfo says of a terminal before the screen is touched: -1 not found, 0 cannot move the cursor, 1 usable.
int cncurses_probe(const char *term);

/// Remembers how the terminal is now and, from here on, gives it back so whenever a signal ends the process: writes
/// `bytes` (copied) to `fd`, restores its modes, then lets the signal do what it does by default. Only calls that are
/// safe in a signal handler are made there, on a stack of their own, so that a stack overflow is caught too.
void cncurses_arm(int fd, const char *bytes, size_t count);

/// Gives the terminal back as `cncurses_arm` found it. Safe in a signal handler; harmless when nothing is armed.
void cncurses_restore(void);

/// Ends the guard; signals do what they did before.
void cncurses_disarm(void);
