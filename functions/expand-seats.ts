#!/usr/bin/env node
// Entry point of the mutator: expands the Seats of a ResourceList into the objects that they need.
import { expandList } from './krm';
import { runFunction } from './run-function';

runFunction(
  `expand-seats: a KRM function (mutator)

Reads a ResourceList on stdin, expands every Seat (steadmesh.io/v1alpha1) with its TrustTier (maqpna.com/v1alpha1) into a
ServiceAccount, a manifest ConfigMap, a NetworkPolicy, a workspace PersistentVolumeClaim and a StatefulSet, and writes the
ResourceList with findings as results on stdout. With any error nothing is rendered, the items stay as they came, and
the exit code is 1. Running it again changes nothing.

  kpt fn eval DIR --image ghcr.io/seatplan/expand-seats:v0.1.0
  kpt fn render DIR          with the image under pipeline.mutators of the Kptfile
  kustomize build --enable-alpha-plugins DIR    with the image in config.kubernetes.io/function

Function config (optional): seatplan.dev/v1alpha1 ExpandSeats with options under spec, or a ConfigMap with dotted keys
under data. SEATPLAN_PLATFORM names a file or folder with the platform's options and TrustTiers, which a package may
only tighten. The options are described in docs/options.md.
`,
  expandList,
);
