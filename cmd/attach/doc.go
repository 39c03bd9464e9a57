// Package attach lets a user see and type into a pane of Cupola's own terminal server.
package attach
