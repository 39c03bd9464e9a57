// Package work declares the verbs of work items: lists, plans and forecasts, changes, and who gets which.
package work
