package screen

import "slices"

// Reselect finds the selected row of a list again, by the keys of its rows: the one with the key next, if it is listed,
// else the chosen one, else the one in its place. It returns its number and its key, and next until that is listed; 0
// and no key for an empty list.
func Reselect(keys []string, chosen, next string, at int) (found int, key, later string) {
	for _, wanted := range []string{next, chosen} {
		if found = slices.Index(keys, wanted); wanted != "" && found >= 0 {
			if wanted == next {
				next = ""
			}
			return found, wanted, next
		}
	}
	if len(keys) == 0 {
		return 0, "", next
	}
	found = max(0, min(at, len(keys)-1))
	return found, keys[found], next
}
