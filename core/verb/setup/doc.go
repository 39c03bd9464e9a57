// Package setup declares the verbs that set Cupola up and check what it uses.
package setup
