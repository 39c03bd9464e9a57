// Package widget draws the parts of the dashboard: a pane's screen in its own
// colours, tiles, the tree, header, footer, boxes, lists and text being typed.
//
// A widget is a function of a theme, a rectangle and data. It returns exactly as
// many lines as the rectangle has rows, each exactly as wide as it, measured by
// package cells. Every line ends with all styles reset, so that lines can
// be put side by side. Foreign text (titles, names, screens) can neither
// drive the terminal nor change a line's width.
//
// Nothing here acts, waits or keeps state, but for Cache, which keeps lines that
// were drawn before, and Editor, which is text with a cursor.
package widget
