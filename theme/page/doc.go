// Package page is what a page in a browser needs of the theme: the colours as a style sheet, and screens of panes as
// text with styles.
package page
