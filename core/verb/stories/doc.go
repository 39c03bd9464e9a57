// Package stories has the verbs that work through the stories of a change.
package stories
