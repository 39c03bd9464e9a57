// Package alert turns what is so into what somebody must know: rules say which
// alerts a picture calls for, and a book keeps them from when they are raised
// until they are resolved or dismissed. It is pure: it reads no clock, asks no
// engine and tells nobody.
package alert
