// Package agents declares the verbs that talk to agents: prompts, answers and keys in, screens and replies out.
package agents
