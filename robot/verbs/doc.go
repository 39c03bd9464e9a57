// Package verbs tests what holds for each verb, as programs see it: its answers on file, in every form; what it takes
// and refuses; and what it does with hostile values. It has no code of its own.
package verbs
