// Package command declares the verbs, one file each: input, output, declaration
// and handler. Handlers return values; they never print, never ask who reads,
// and see no flag. Whatever a handler needs comes in through registry.Deps.
package command
