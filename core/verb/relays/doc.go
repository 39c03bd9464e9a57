// Package relays declares the verbs that ask backends without a pane, and that show, await and cancel relays.
package relays
