// Package registry says what a verb is. One declaration (Spec) holds its name,
// scope, effect, input, output, examples and errors; flags, help, shell
// examples, capabilities, schemas, documentation and, later, tools and routes
// are all derived from it.
//
// Input structs name their flags by their fields: a field Lines is --lines.
// Struct tags add the rest:
//
//	flag:"name,n"    another name, and a one-letter form
//	arg:"1"          also positional, by order from 1; "rest" takes what is left
//	help:"..."       one line of help
//	default:"50"     the value before anything is given; of an embedded struct, of one of its
//	                 fields: default:"limit=20"
//	enum:"a,b"       the values allowed
//	open:"true"      values other than those of enum are taken too, and the verb checks them
//	switch:"a,b"     values that a flag of the same name gives too: --a
//	min:"1" max:"9"  the range allowed
//	required:"true"  a zero value is MISSING_REQUIRED
//	alias:"old"      another accepted name; a leading ! marks it deprecated
//	whole:"true"     a list that takes one item each time, commas and all
//	empty:"none"     what an empty text or list means; others refuse one
//	lister:"tools"   the verb that lists what may be given
//	names:"session"  what the value names, where the type of the field does not say it (Meaning);
//	                 in answers too, where it shows below a host's name on other machines
//	raises:"VALUE=X" a value that needs more than the verb does: a level, or the switch commands;
//	                 without VALUE= it belongs to a switch that is on
//	inline:"word"    a flag that a bare word gives too
//	inline:"legacy"  the same, and --robot-NAME=VALUE, which warns
//
// The lists in an answer say by tags which columns --fields knows by name and what an
// empty table shows. The blank fields of a row's struct say the former for all lists
// of such rows; package report says how its other fields become the columns of a
// table:
//
//	minimal:"a,b" standard:"a,b,c"   the presets of --fields
//	empty:"..."                      what the table of the list shows without rows
//	table:"TITLE,..."                a column of the table (report.TableOf)
//
// Embedded structs share modifiers between verbs; see modifier.go. Verbs whose
// inputs and answers are data are a Declaration, whose structs are made when they
// are first needed. Every caller goes through Verb.Call, which validates, opens
// what the verb works with (Opens), runs it, and turns panics and errors into
// *core.Error. The package knows no terminal, no encoding and nothing that a verb
// works with.
package registry
