// Package command declares the verbs, one file each: input, output, declaration
// and handler. Handlers return values; they never print, never ask who reads,
// and see no flag. What a handler works with is named in its declaration and
// opened before it runs (Env).
package command
