// Package pipelines declares the verbs that run files of steps.
package pipelines
