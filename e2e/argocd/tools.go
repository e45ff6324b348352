//go:build tools

// Names what is built of Argo CD: one program, which is a server of it by the name it is called by.
package tools

import _ "github.com/argoproj/argo-cd/v3/cmd"
