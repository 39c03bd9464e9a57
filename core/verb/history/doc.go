// Package history declares the verbs that show what happened: prompts, changed files, summaries and metrics.
package history
