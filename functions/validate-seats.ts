#!/usr/bin/env node
// Entry point of the validator: checks the Seats and TrustTiers of a ResourceList and changes nothing.
import { validateList } from './krm';
import { runFunction } from './run-function';

runFunction(
  `validate-seats: a KRM function (validator)

Reads a ResourceList on stdin, checks its Seats and TrustTiers as expand-seats would, and writes the ResourceList with
findings as results on stdout. The exit code is 1 if any finding is an error.

  kpt fn eval DIR --image ghcr.io/seatplan/validate-seats:v0.1.0 --type validator
  kpt fn render DIR          with the image under pipeline.validators of the Kptfile
  kustomize build --enable-alpha-plugins DIR    with the image in config.kubernetes.io/function

It takes the same function config and SEATPLAN_PLATFORM as expand-seats: docs/options.md.
`,
  validateList,
);
