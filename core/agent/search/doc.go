// Package search finds a text in what agents said and showed, now and in the past: in the conversations that agents of
// all kinds record on this machine, in recordings of panes, and in texts that the caller has (prompts on record,
// screens). It keeps no index: it reads the newest parts of all sources first, several hundred megabytes a second, and
// hands over each hit as soon as nothing newer can follow.
//
// Case and the width of blanks do not count. Foreign files may be huge, damaged or growing: a line of more than 64 MiB
// is left out, and so is all but regular files; text that is written while a search runs may be missing. The package
// starts no goroutine, and writes nothing.
package search
