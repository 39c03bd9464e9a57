// Package cells is the one place for text as terminals lay it out: it makes
// foreign text safe to print, measures it in cells, cuts and wraps it, and reads
// its styles (SGR sequences, which take no cell). It decides no colours.
//
// Sequences are decoded by x/ansi and styles read by x/cellbuf. Cutting, wrapping and
// stripping are implemented here, because x/ansi measures differently.
//
// The measure is that of tmux since 3.4, since most of what is drawn comes out
// of its panes: code points count one by one, so that a vowel sign takes a cell
// of its own where graphemes would share one, and only emoji join. Libraries
// that measure graphemes (x/ansi, lipgloss, uniseg) are right for Latin and
// Chinese, and wrong for Thai, Hindi, Tamil, Myanmar and old Hangul.
//
// No measure is right on every terminal: tmux 3.3a draws a skin tone beside its emoji and a
// lone flag letter in one cell, kitty, iTerm2 and Ghostty count graphemes, Windows Terminal
// before 1.22 gives every mark a cell, and each has tables of a different Unicode version.
// Cluster.Odd is true for clusters whose width differs; code that draws frames must
// position the cursor again after them.
package cells
