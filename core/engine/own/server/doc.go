// Package server is Cupola's own terminal server: sessions, windows and panes, a pseudo-terminal and a terminal core
// for each pane, and the clients that list, capture, type, watch and attach.
//
// One server serves a user and a socket. It starts with the first session and ends with the last. The socket is the
// user's alone, and a peer of another user is refused.
//
// Every pane has the size of its window: what splits a window in tmux makes a further pane here, not a smaller one.
package server
