// What whoever holds the prober's account might try against nodes: a probe's pod, each with one thing that is another.
import { type Attacks, context, podContext } from './fence-edits';

export const SCHEDULING: Attacks = {
  'with a claim on a device': [
    ({ spec }) => (spec.resourceClaims = [{ name: 'gpu', resourceClaimName: 'gpu' }]),
    /no claims on devices/,
  ],
  'with a device': [
    ({ container }) => {
      Object.assign(container.resources!.limits!, { 'example.com/gpu': '1' });
      Object.assign(container.resources!.requests!, { 'example.com/gpu': '1' });
    },
    /no more than a probe needs/,
  ],
  'with half a node': [
    ({ container }) => {
      Object.assign(container.resources!.limits!, { cpu: '32' });
      Object.assign(container.resources!.requests!, { cpu: '32' });
    },
    /no more than a probe needs/,
  ],
  'without bounds': [({ container }) => delete container.resources, /no more than a probe needs/],
  'without a bound of memory': [
    ({ container }) => {
      delete container.resources!.limits!.memory;
    },
    /no more than a probe needs/,
  ],
  'without a deadline': [({ spec }) => delete spec.activeDeadlineSeconds, /a deadline of at most/],
  'that lives for a day': [({ spec }) => (spec.activeDeadlineSeconds = 86_400), /a deadline of at most/],
  'that restarts': [({ spec }) => (spec.restartPolicy = 'Always'), /no restarts/],
  'of the highest priority': [({ spec }) => (spec.priorityClassName = 'system-node-critical'), /a probe's priority/],
  'of ordinary priority': [({ spec }) => delete spec.priorityClassName, /a probe's priority/],
  'of another runtime': [({ spec }) => (spec.runtimeClassName = 'runc'), /the seats' runtimes/],
  'past the scheduler': [({ spec }) => (spec.nodeName = 'control-plane'), /past no scheduler/],
  'that keeps others from its node': [
    ({ spec }) =>
      (spec.affinity = {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/os', labelSelector: {} }],
        },
      }),
    /in the way of no other/,
  ],
};

export const SECURITY: Attacks = {
  "on the host's network": [
    ({ spec, container }) => {
      spec.hostNetwork = true;
      for (const port of container.ports!) port.hostPort = port.containerPort;
    },
    /nothing of the host/,
  ],
  "among the host's processes": [({ spec }) => (spec.hostPID = true), /nothing of the host/],
  "with the host's IPC": [({ spec }) => (spec.hostIPC = true), /nothing of the host/],
  'with a port of the host': [({ container }) => (container.ports![0]!.hostPort = 8081), /nothing of the host/],
  'with another sysctl': [podContext('sysctls', [{ name: 'net.ipv4.ping_group_range', value: '0 0' }]), /no sysctl/],
  'with a label of SELinux': [podContext('seLinuxOptions', { type: 'spc_t' }), /no sysctl/],
  'with a label of SELinux on its container': [context('seLinuxOptions', { type: 'spc_t' }), /no sysctl/],
  'with an identity of Windows': [podContext('windowsOptions', { gmsaCredentialSpecName: 'admin' }), /no sysctl/],
  'without AppArmor': [context('appArmorProfile', { type: 'Unconfined' }), /no sysctl/],
  'with the whole of /proc': [
    ({ spec, container }) => {
      spec.hostUsers = false;
      Object.assign(container.securityContext!, { procMount: 'Unmasked' });
    },
    /\/proc as usual/,
  ],
  'that may be root': [context('runAsNonRoot', false), /restricted/],
  'that is privileged': [
    ({ container }) => Object.assign(container.securityContext!, { privileged: true, allowPrivilegeEscalation: true }),
    /restricted/,
  ],
  'that may gain privileges': [context('allowPrivilegeEscalation', true), /restricted/],
  'with a writable root': [context('readOnlyRootFilesystem', false), /restricted/],
  'with a capability': [context('capabilities', { drop: ['ALL'], add: ['NET_RAW'] }), /restricted/],
  'that keeps capabilities': [context('capabilities', {}), /restricted/],
  'without seccomp': [context('seccompProfile', { type: 'Unconfined' }), /restricted/],
  'without a security context': [({ container }) => delete container.securityContext, /restricted/],
};
