// Command kpt offers `kpt fn …` alone, from kpt's own packages: the whole of kpt does not build from published modules,
// since one of its other commands imports a module that is not published. Built by e2e/tools.sh.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

var version = "unknown"

func main() {
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	root := &cobra.Command{Use: "kpt", SilenceUsage: true}
	root.PersistentFlags().BoolVar(&printer.TruncateOutput, "truncate-output", true, "cut long output of functions")
	root.AddCommand(fn.GetCommand(ctx, "kpt"))
	root.AddCommand(&cobra.Command{Use: "version", Run: func(*cobra.Command, []string) { fmt.Println(version) }})
	if root.ExecuteContext(ctx) != nil {
		os.Exit(1)
	}
}
