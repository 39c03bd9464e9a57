// Package plugins declares the verbs that install hooks and skills into agents.
package plugins
