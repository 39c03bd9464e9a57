// Package page renders the theme for a page in a browser: the colours as a style sheet, and screens of panes as text
// with styles.
package page
