// Package plugin puts Cupola's hooks into the settings of agents, says whether
// they are there, and takes them out again.
//
// Settings belong to the user: an installation is merged into them and changes no other
// byte, and a removal leaves no trace. A file that cannot be parsed is refused and not
// changed. What is installed where is data of each agent kind; this package knows only the
// two forms that settings have.
package plugin
