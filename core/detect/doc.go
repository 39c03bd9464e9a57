// Package detect says what is true of an agent: signals in, a state with its
// evidence out. It is pure: it asks no process, file or clock, and knows
// neither engines nor callers. The signs of each agent kind are data of package agent.
package detect
