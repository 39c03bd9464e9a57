package screen

import "cupola/core/config"

// Settings are the settings with their values. The zero value was not read yet.
type Settings struct {
	// Read is true once they were read, Wrong why they cannot be.
	Read  bool
	Wrong string
	List  []Setting
	// File is the user's file of settings, Keys that of the keys of the dashboard; there may be none.
	File, Keys string
}

// Setting is a setting with its value, and where that is from.
type Setting struct {
	Key    config.Key
	Value  string
	Origin config.Origin
}
