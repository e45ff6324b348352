// Which checks observe what a field of a rendered manifest asks for. A field without a check is told as unverified, with the reason.
import type { CheckID } from '../model';

/**
 * Checks that observe the field's effect, or why none does. A1 alone stands for fields whose effect is that they are there:
 * names, programs, variables. For a field that asks kernel, kubelet or scheduler for something, being there proves nothing.
 */
export type FieldRule = readonly CheckID[] | string;

const SCHEDULER = 'compared on the live pod by A1; only the scheduler reads it, and what it makes of it was not tried';
const DEVICES = 'compared on the live pod by A1; the devices that a claim brings in are not looked at';
const CLAIMED =
  'compared on the live pod by A1; a probe pod mounts an empty folder in place of a claim, so the claim was not tried';
const PROVISIONER = 'the storage provisioner decides about it; the claim as provisioned is not measured';

/** What a policy that covers a direction forbids without naming it. */
const DENIED_EGRESS: readonly CheckID[] = ['N3', 'N5', 'N10', 'N11', 'N12', 'N14', 'N15', 'N18'];

/**
 * By field, in the form that `fields.ts` writes: `[]` is any element; where a list holds different things the brackets say which.
 * A rule covers all below its field, unless a longer one does.
 */
export const FIELD_RULES: Readonly<Record<string, FieldRule>> = {
  'template.metadata.labels': ['U2', 'A1'],
  'template.metadata.annotations': ['A1'],
  'template.metadata.annotations["seatplan.dev/session-ttl"]': ['T1', 'A1'],
  'template.metadata.annotations["seatplan.dev/session-expires-at"]':
    'compared on the live pod by A1; nothing ends a session at that time, and T1 looks at its age only',

  'template.spec.serviceAccountName': ['I3', 'A1'],
  'template.spec.automountServiceAccountToken': ['I1'],
  'template.spec.enableServiceLinks': ['A1'],
  'template.spec.terminationGracePeriodSeconds': ['A1'],
  'template.spec.restartPolicy': ['A1'],
  'template.spec.runtimeClassName': ['R1', 'R2'],
  'template.spec.securityContext.runAsNonRoot': ['P1'],
  'template.spec.securityContext.runAsUser': ['P1'],
  'template.spec.securityContext.runAsGroup': ['P1'],
  'template.spec.securityContext.fsGroup': ['P1'],
  'template.spec.securityContext.fsGroupChangePolicy': ['A1'],
  'template.spec.securityContext.seccompProfile': ['P4'],
  'template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution': ['J1'],
  'template.spec.tolerations': SCHEDULER,
  'template.spec.priorityClassName': SCHEDULER,
  'template.spec.imagePullSecrets': ['A2'],
  'template.spec.resourceClaims': DEVICES,

  'template.spec.containers[].name': ['A1'],
  'template.spec.containers[].image': ['A2'],
  'template.spec.containers[].imagePullPolicy': ['A1'],
  'template.spec.containers[].command': ['A1'],
  'template.spec.containers[].args': ['A1'],
  'template.spec.containers[].ports': ['A1'],
  'template.spec.containers[].env': ['A1'],
  'template.spec.containers[].livenessProbe': ['A1'],
  'template.spec.containers[].readinessProbe': ['A1'],
  'template.spec.containers[].terminationMessagePolicy': ['A1'],
  'template.spec.containers[].resources.requests': SCHEDULER,
  'template.spec.containers[].resources.limits':
    'compared on the live pod by A1; of limits only those of cpu and memory are looked for in the kernel',
  'template.spec.containers[].resources.limits.cpu': ['P11'],
  'template.spec.containers[].resources.limits.memory': ['P11'],
  'template.spec.containers[].resources.claims': DEVICES,
  'template.spec.containers[].securityContext.runAsNonRoot': ['P1'],
  'template.spec.containers[].securityContext.runAsUser': ['P1'],
  'template.spec.containers[].securityContext.runAsGroup': ['P1'],
  'template.spec.containers[].securityContext.allowPrivilegeEscalation': ['P3'],
  'template.spec.containers[].securityContext.readOnlyRootFilesystem': ['F1'],
  'template.spec.containers[].securityContext.privileged': ['P2', 'P7', 'P8', 'P9'],
  'template.spec.containers[].securityContext.capabilities': ['P2'],
  'template.spec.containers[].securityContext.seccompProfile': ['P4'],

  'template.spec.containers[].volumeMounts[persistentVolumeClaim]': ['F2'],
  'template.spec.containers[].volumeMounts[configMap]': ['F2'],
  'template.spec.containers[].volumeMounts[emptyDir]': ['F2'],
  'template.spec.containers[].volumeMounts[projected]': ['F2', 'I2'],
  'template.spec.volumes[persistentVolumeClaim].name': ['A1'],
  'template.spec.volumes[persistentVolumeClaim].persistentVolumeClaim.claimName': ['S1', 'A1'],
  'template.spec.volumes[persistentVolumeClaim].persistentVolumeClaim.readOnly': CLAIMED,
  'template.spec.volumes[configMap]': ['A1'],
  'template.spec.volumes[emptyDir].name': ['A1'],
  'template.spec.volumes[emptyDir].emptyDir.sizeLimit':
    'compared on the live pod by A1; the kubelet evicts late or, under some runtimes, never, so that filling it was not tried',
  'template.spec.volumes[projected].name': ['A1'],
  'template.spec.volumes[projected].projected.defaultMode': ['A1'],
  'template.spec.volumes[projected].projected.sources[serviceAccountToken]': ['I2'],

  'policy.podSelector': ['U1', 'U2'],
  'policy.policyTypes[Ingress]': ['N13'],
  'policy.policyTypes[Egress]': DENIED_EGRESS,
  'policy.egress': DENIED_EGRESS, // an empty list; rules stand below
  'policy.egress[platform]': ['N1'],
  'policy.egress[dns]': ['N4', 'N5'],
  'policy.egress[gateway]':
    'compared by U1; that the gateway is the only way out, and what it lets through, was not tried',
  'policy.egress[addresses]': 'compared by U1; direct rules and their exceptions are not tried',
  'policy.egress[other]': 'compared by U1; whom it lets the seat reach was not tried',

  'claim.metadata.annotations': ['S1'],
  'claim.metadata.labels': 'the labels of the claim are not compared',
  'claim.spec.accessModes': PROVISIONER,
  'claim.spec.resources': PROVISIONER,
  'claim.spec.storageClassName': PROVISIONER,
};

/** For a field that no rule knows: it is newer than this table, or somebody else's. */
export const UNKNOWN_FIELD = 'no check of this version observes it';
