// Package packaging tests how Cupola is installed without Go: the install script and the package, both in .packaging.
//
// It has tests only. The package is packed, installed and removed in a series that CUPOLA_DEEP turns on.
package packaging
