// Package help declares the verbs that explain verbs to programs.
package help
