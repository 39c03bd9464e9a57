// Package verbtest is a fleet with two sessions and an environment on it, for the tests of verbs.
package verbtest
