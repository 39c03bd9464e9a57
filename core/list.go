package core

import (
	"slices"
	"strings"
)

// Map returns what of makes of each item of a list, in its order; it is never nil.
func Map[T, R any](list []T, of func(T) R) []R {
	mapped := make([]R, len(list))
	for i := range list {
		mapped[i] = of(list[i])
	}
	return mapped
}

// Find returns the first item of a list that is wanted; the zero value if none is.
func Find[T any](list []T, wanted func(T) bool) (found T) {
	if at := slices.IndexFunc(list, wanted); at >= 0 {
		found = list[at]
	}
	return found
}

// Words are ids, states and other words that have a type of their own, without it.
func Words[S ~string](words []S) []string {
	return Map(words, func(word S) string { return string(word) })
}

// Join is strings.Join for such words.
func Join[S ~string](words []S, separator string) string {
	return strings.Join(Words(words), separator)
}
