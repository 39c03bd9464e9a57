// Package checkpoints declares the verbs that record sessions and prompts and restore them.
package checkpoints
