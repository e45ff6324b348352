//go:build tools

// Names what is built of agent-sandbox: its controller, extensions included.
package tools

import _ "sigs.k8s.io/agent-sandbox/cmd/agent-sandbox-controller"
