// Command cupola runs several coding agents at once and knows what each is
// doing.
package main

import (
	"os"

	"cupola/cmd/cli"
)

// version is set by the linker.
var version = "dev"

func main() {
	os.Exit(cli.Main(cli.Options{
		Version: version, Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	}))
}
