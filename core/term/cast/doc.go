// Package cast writes and reads recordings of terminals, in the format asciicast 2 of asciinema
// (https://docs.asciinema.org/manual/asciicast/v2/): a header and then an event a line, as JSON.
package cast
