// Command kpt offers `kpt fn …` and `kpt live …` alone, from kpt's own packages: the whole of kpt does not build from published
// modules, since one of its other commands imports a module that is not published. Built by e2e/tools.sh.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/commands/live"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

var version = "unknown"

func main() {
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	root := &cobra.Command{Use: "kpt", SilenceUsage: true, SilenceErrors: true}
	root.PersistentFlags().BoolVar(&printer.TruncateOutput, "truncate-output", true, "cut long output of functions")
	root.AddCommand(fn.GetCommand(ctx, "kpt"), live.GetCommand(ctx, "kpt", version))
	root.AddCommand(&cobra.Command{Use: "version", Run: func(*cobra.Command, []string) { fmt.Println(version) }})
	err := root.ExecuteContext(ctx)
	if err == nil {
		return
	}
	// kpt's own words and exit codes, as its main has them
	if known, ok := resolver.ResolveError(err); ok {
		fmt.Fprintln(os.Stderr, known.Message)
		os.Exit(known.ExitCode)
	}
	fmt.Fprintln(os.Stderr, "Error:", err)
	os.Exit(1)
}
