// Package detect says what is true of an agent: signals in, a state with its
// evidence out. It is pure: it asks no process, file or clock, and knows
// neither panes' engines nor who wants to know. What each agent's signs look
// like is data of package agent.
package detect
