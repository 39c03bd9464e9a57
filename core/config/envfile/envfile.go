// Package envfile reads files of environment variables, a NAME=VALUE a line, as many programs write them to .env. It
// expands nothing and runs nothing.
package envfile

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"cupola/core"
	"cupola/core/system/plainfile"
)

var named = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// CheckName returns InvalidInput unless a name can be a variable of shells.
func CheckName(name string) error {
	if named.MatchString(name) {
		return nil
	}
	return core.Errorf(core.InvalidInput, "%q is no name of a variable: letters, digits and '_' make one", name)
}

// Read returns the variables of a file, as NAME=VALUE in the file's order. It returns PermissionDenied
// or IOError if the file cannot be read, and InvalidInput with the number of a line that is none of the forms that
// Parse knows.
func Read(path string) ([]string, error) {
	text, err := plainfile.Read(path, plainfile.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, core.Errorf(core.IOError, "there is no file of variables %s", path)
	}
	if err != nil {
		return nil, core.Errorf(core.FileCode(err), "the file of variables: %w", err)
	}
	pairs, err := Parse(string(text))
	if err != nil {
		return nil, core.Errorf(core.InvalidInput, "%s: %w", path, err)
	}
	return pairs, nil
}

// Parse reads the text of such a file. A line is blank, a comment behind '#', or NAME=VALUE, with "export " before it
// or not. A value in single quotes is as it is; one in double quotes may span lines, and has \n, \t, \" and \\. An
// unquoted value ends before " #".
func Parse(text string) ([]string, error) {
	var pairs []string
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		started, line := i+1, strings.TrimSpace(lines[i])
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, is := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "export ")), "=")
		if !is || !named.MatchString(strings.TrimSpace(name)) {
			return nil, fmt.Errorf("line %d is not NAME=VALUE", started)
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if value != "" && (value[0] == '\'' || value[0] == '"') {
			for ; closing(value) < 0 && i+1 < len(lines); i++ {
				value += "\n" + lines[i+1]
			}
			end := closing(value)
			if end < 0 {
				return nil, fmt.Errorf("line %d begins a quoted value that does not end", started)
			}
			value = unquoted(value[0], value[1:end])
		} else if comment := strings.Index(value, " #"); comment >= 0 {
			value = strings.TrimSpace(value[:comment])
		}
		pairs = append(pairs, name+"="+value)
	}
	return pairs, nil
}

// closing is the index of the quote that ends a quoted value; -1 without one.
func closing(value string) int {
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == '\\' && value[0] == '"':
			i++
		case value[i] == value[0]:
			return i
		}
	}
	return -1
}

var escapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\$`, "$")

func unquoted(quote byte, value string) string {
	if quote == '\'' {
		return value
	}
	return escapes.Replace(value)
}
