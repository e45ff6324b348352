// Says of objects how kpt live judges them, with the readers of the cli-utils that kpt is built with, and how Flux's
// kustomize-controller does, with readers put together as its internal/controller/kustomization_controller.go does
// (getClientAndPoller). Both begin with kstatus; how they look at pods differs.
//
// Reads lines of JSON, {"object": {...}, "pods": [...], "healthCheckExprs": [...]}: an object as the API server shows it, the
// pods of its namespace, and that part of a Kustomization's spec. Answers each by a line, {"kpt": answer, "flux": answer},
// where an answer is {"status": "Current", "message": "..."}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/engine"
	fluxreaders "github.com/fluxcd/cli-utils/pkg/kstatus/polling/statusreaders"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"github.com/fluxcd/pkg/runtime/statusreaders"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kptreaders "sigs.k8s.io/cli-utils/pkg/kstatus/polling/statusreaders"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type question struct {
	Object           *unstructured.Unstructured    `json:"object"`
	Pods             []unstructured.Unstructured   `json:"pods"`
	HealthCheckExprs []kustomize.CustomHealthCheck `json:"healthCheckExprs"`
}
type answer struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

// pods is the cluster, as far as a reader of status looks into it: it lists the pods of a StatefulSet.
type pods []unstructured.Unstructured

func (p pods) ListNamespaceScoped(_ context.Context, list *unstructured.UnstructuredList, namespace string, selector labels.Selector) error {
	for _, pod := range p {
		if pod.GetNamespace() == namespace && selector.Matches(labels.Set(pod.GetLabels())) {
			list.Items = append(list.Items, pod)
		}
	}
	return nil
}
func (p pods) Get(context.Context, client.ObjectKey, *unstructured.Unstructured) error {
	return fmt.Errorf("no reader gets single objects")
}
func (p pods) ListClusterScoped(context.Context, *unstructured.UnstructuredList, labels.Selector) error {
	return fmt.Errorf("no reader lists these")
}
func (p pods) Sync(context.Context) error { return nil }

// mapper knows of the kinds that readers look for besides the object.
func mapper() meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{{Version: "v1"}})
	mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, meta.RESTScopeNamespace)
	return mapper
}

func askKpt(q question) (answer, error) {
	result, err := kptreaders.NewDefaultStatusReader(mapper()).ReadStatusForObject(context.Background(), pods(q.Pods), q.Object)
	if err != nil {
		return answer{}, err
	}
	return answered(string(result.Status), result.Message, result.Error), nil
}

func askFlux(q question) (answer, error) {
	// The controller's own reader of Jobs comes before expressions, which are not asked without need.
	readers := []engine.StatusReader{statusreaders.NewCustomJobStatusReader(mapper())}
	if len(q.HealthCheckExprs) > 0 {
		expressions, err := cel.NewStatusReader(q.HealthCheckExprs)
		if err != nil {
			return answer{}, err
		}
		readers = append(readers, expressions(mapper()))
	}
	result, err := fluxreaders.NewStatusReader(mapper(), readers...).ReadStatusForObject(context.Background(), pods(q.Pods), q.Object)
	if err != nil {
		return answer{}, err
	}
	return answered(string(result.Status), result.Message, result.Error), nil
}

// An error is what both print where there is one.
func answered(status, message string, err error) answer {
	if err != nil {
		message = err.Error()
	}
	return answer{status, message}
}

func ask(line []byte) (map[string]answer, error) {
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, err
	}
	kpt, err := askKpt(q)
	if err != nil {
		return nil, err
	}
	flux, err := askFlux(q)
	return map[string]answer{"kpt": kpt, "flux": flux}, err
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for number := 1; lines.Scan(); number++ {
		result, err := ask(lines.Bytes())
		if err == nil {
			err = output.Encode(result)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "line %d: %v\n", number, err)
			os.Exit(1)
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
