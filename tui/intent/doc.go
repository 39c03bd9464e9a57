// Package intent says what a person at the dashboard can want, and which keys
// mean it. An intent is imperative and holds everything needed to carry it out;
// screens do what is theirs and hand the rest back. One table of keys per scope
// feeds the keyboard, the footer, the help and docs/keys.md.
package intent
