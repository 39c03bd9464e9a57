// Package term is the core of a terminal: it takes the bytes that a program writes, and has the cells, the cursor and
// the history that they lead to. It does no input or output of its own, and knows no process.
//
// It shows what tmux shows: characters are as wide as there (core/term/cells measures them), erasing, scrolling and
// wrapping follow it, also where other terminals differ, such as a cursor behind the last column. Where it follows the
// standard instead, the differential test lists the difference by name.
//
// What a program says beside its screen (a bell, a title, progress, a notification, its status) is an event; what it
// asks the terminal is answered.
package term
