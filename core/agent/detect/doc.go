// Package detect judges the state of an agent: signals in, a state with its evidence out.
// It is pure: it reads no process, file or clock, and knows neither engines nor callers.
// The rules of each agent kind are data of package agent.
package detect
