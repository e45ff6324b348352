//go:build tools

// Names what is built of Flux, and whose CustomResourceDefinitions the tests install.
package tools

import (
	_ "github.com/fluxcd/kustomize-controller"
	_ "github.com/fluxcd/source-controller/api/v1"
)
