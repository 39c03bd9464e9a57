// Package plugin installs what belongs to Cupola into agents: hooks in their settings, and
// texts that they read (skills and slash commands). It reports whether these are installed,
// and removes them.
//
// Settings belong to the user: an installation is merged into them and changes no other
// byte, and a removal leaves no trace. A file that cannot be parsed is refused and not
// changed. Texts are files of Cupola's own. Each has a mark with its version and a
// checksum: a file without a mark, or with another checksum, belongs to the user and is
// neither replaced nor removed.
//
// What is installed where is data of each agent kind; this package knows only the two forms
// that settings have, and the forms of texts. The caller provides the texts.
package plugin
