// Package catalog lists all verbs, which the packages beside it declare: one file each with input, output, declaration
// and handler. Handlers return values; they never print, never ask who reads, and see no flag. What a handler works
// with is named in its declaration and opened before it runs (verb.Env).
package catalog
