// Package alert decides what needs the user's attention: rules derive alerts from a
// snapshot, and a Tracker tracks each alert from when it is raised until it is resolved or
// dismissed. It is pure: it reads no clock, asks no engine and notifies no user.
package alert
