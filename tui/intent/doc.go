// Package intent defines what a user of the dashboard can ask for, and which keys mean it.
// An intent is imperative and holds everything needed to carry it out; screens do their part
// and return the rest. One table of keys per scope feeds the keyboard, the footer, the help
// and docs/keys.md.
package intent
