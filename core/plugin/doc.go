// Package plugin puts Cupola's hooks into the settings of agents, says whether
// they are there, and takes them out again.
//
// Settings belong to their user: what is written is merged into them, nothing
// else of them changes by a byte, and what was installed can be taken out without
// a trace. A file that cannot be understood is refused as it is. What is installed
// where is data of each agent kind; this package knows only the two forms that
// settings have.
package plugin
