// The checks of a probe as one table: what each is about, and which condition of a Seat it decides.
import type { Area, CheckID } from '../model';

export interface Check {
  readonly area: Area;
  /** What is declared, in a few words; `docs/checks.md` says the rest. */
  readonly title: string;
}

export const CHECKS: Readonly<Record<CheckID, Check>> = {
  N1: { area: 'network', title: 'the platform is reachable' },
  N3: { area: 'network', title: 'other pods are not reachable, on the same ports either' },
  N4: { area: 'network', title: 'cluster DNS answers' },
  N5: { area: 'network', title: 'port 53 is open to the cluster resolver only' },
  N6: { area: 'network', title: 'DNS carries nothing out of the cluster' },
  N7: { area: 'network', title: "the operator's canaries are not reachable" },
  N10: { area: 'network', title: 'the API server is not reachable' },
  N11: { area: 'network', title: 'nodes are not reachable' },
  N12: { area: 'network', title: 'metadata services are not reachable' },
  N13: { area: 'network', title: 'nobody reaches the seat' },
  N14: { area: 'network', title: 'seats do not reach one another' },
  N15: { area: 'network', title: 'every address family is under the policy' },
  N18: { area: 'network', title: 'the policy holds from the first moment' },
  U1: { area: 'network', title: "the seat's own policy is there as declared, and no other opens more" },
  U2: { area: 'network', title: 'policies select the probe pod as they select the seat' },
  R1: { area: 'runtime', title: 'the pod runs in the sandbox that its tier names' },
  R2: { area: 'runtime', title: "the pod has a kernel of its own, not the node's" },
  P1: { area: 'process', title: 'user and group are the declared ones' },
  P2: { area: 'process', title: 'no capability is held or can be gained' },
  P3: { area: 'process', title: 'no new privileges' },
  P4: { area: 'process', title: 'system calls are filtered' },
  P7: { area: 'process', title: 'kernel files are masked or read-only' },
  P8: { area: 'process', title: "no runtime socket, no device of the node's" },
  P9: { area: 'process', title: 'the kernel log is closed' },
  P11: { area: 'process', title: 'resource limits reach the kernel' },
  F1: { area: 'filesystem', title: 'the root file system is read-only' },
  F2: { area: 'filesystem', title: 'only declared mounts, read-only where declared' },
  I1: { area: 'identity', title: 'no API token' },
  I2: { area: 'identity', title: 'one token, for one audience, for an hour, of this pod' },
  I3: { area: 'identity', title: "the seat's ServiceAccount may do nothing" },
  S1: { area: 'storage', title: "the workspace claim is the seat's own and outlives it" },
  J1: { area: 'placement', title: 'the node carries the declared labels' },
  A1: { area: 'admission', title: 'the live pod is the declared one, made by its workload' },
  A2: { area: 'admission', title: 'the live pod runs the declared image' },
  A4: { area: 'admission', title: 'the live pod is of the current revision' },
  T1: { area: 'session', title: 'the session is not older than its tier allows' },
};

/** Conditions of a Seat's status, and the areas that each sums up. */
export const CONDITIONS: Readonly<Record<string, readonly Area[]>> = {
  NetworkEnforced: ['network'],
  RuntimeEnforced: ['runtime', 'process', 'filesystem'],
  IdentityEnforced: ['identity'],
  PlacementEnforced: ['placement'],
  AdmittedAsDeclared: ['admission', 'storage', 'session'],
};
