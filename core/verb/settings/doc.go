// Package settings declares the verbs that show and change the settings, and what is wrong with settings files.
package settings
