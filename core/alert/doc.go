// Package alert decides what needs the user's attention: rules derive alerts from a
// snapshot, and a book keeps them from when they are raised until they are resolved
// or dismissed. It is pure: it reads no clock, asks no engine and notifies no user.
package alert
