// Package tools declares the verb that lists agents and tools of the machine, and the verbs of those tools.
package tools
