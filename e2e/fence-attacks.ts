// What whoever holds the prober's account might try with code, data and names: a probe's pod, each with one thing else.
import { AGENT_TASK, PROBE_LABEL } from '../functions/probe/identity';
import { type Attacks, annotation, mounted, ofAccount, secretKey, variable, volume } from './fence-edits';

export const IDENTITY: Attacks = {
  'without the label of a probe': [({ metadata }) => delete metadata.labels![PROBE_LABEL], /probe's name and label/],
  'with another label of a probe': [
    ({ metadata }) => (metadata.labels![PROBE_LABEL] = 'more'),
    /probe's name and label/,
  ],
  'that a StatefulSet adopts': [
    ({ metadata }) => (metadata.labels!['steadmesh.io/workload'] = 'seat-runner'),
    /by which a StatefulSet adopts it/,
  ],
  "under the name of a seat's pod": [({ metadata }) => (metadata.name = 'seat-lead-0'), /probe's name and label/],
  'under a name that the server makes': [
    ({ metadata }) => {
      delete metadata.name;
      metadata.generateName = 'seat-';
    },
    /probe's name and label/,
  ],
  'with an owner': [
    ({ metadata }) => (metadata.ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'u' }]),
    /no owners/,
  ],
  'that never goes': [({ metadata }) => (metadata.finalizers = ['example.com/never']), /nothing that keeps it/],
  'that tells Kata which program to start': [annotation('io.katacontainers.config.hypervisor.path'), /take orders/],
  "with flags of gVisor's": [annotation('dev.gvisor.flag.network', 'host'), /take orders/],
  'with devices of CRI-O': [annotation('io.kubernetes.cri-o.Devices', '/dev/sda'), /take orders/],
  'with another network': [annotation('k8s.v1.cni.cncf.io/networks', 'host'), /take orders/],
  'that may become ready': [({ spec }) => delete spec.readinessGates, /never ready/],
};

export const CODE: Attacks = {
  'with two containers': [
    ({ spec, container }) => spec.containers.push({ ...container, name: 'more', ports: [] }),
    /one container/,
  ],
  'with an init container': [
    ({ spec, container }) => (spec.initContainers = [{ name: 'more', image: container.image! }]),
    /one container/,
  ],
  'of another image': [({ container }) => (container.image = 'busybox'), /image and command/],
  'with another command': [({ container }) => (container.command = ['sh']), /image and command/],
  'with the command left out': [({ container }) => delete container.command, /image and command/],
  'with arguments': [({ container }) => (container.args = ['-e', 'x']), /image and command/],
  'with code in NODE_OPTIONS': [
    variable({ name: 'NODE_OPTIONS', value: '--import=data:text/javascript,console.log(1)' }),
    /no environment but its task/,
  ],
  'with a library to load first': [variable({ name: 'LD_PRELOAD', value: '/tmp/x.so' }), /no environment but its task/],
  'with a Secret for its task': [
    ({ container }) => (container.env = [{ name: AGENT_TASK, ...secretKey }, container.env![1]!]),
    /no environment but its task/,
  ],
  'with a Secret for its uid': [
    ({ container }) => (container.env = [container.env![0]!, { name: 'POD_UID', ...secretKey }]),
    /no environment but its task/,
  ],
  'with a Secret in its environment': [
    variable({ name: 'S', ...{ valueFrom: { secretKeyRef: { name: 's', key: 'k' } } } }),
    /no environment/,
  ],
  'with a whole Secret in its environment': [
    ({ container }) => (container.envFrom = [{ secretRef: { name: 's' } }]),
    /no environment but/,
  ],
  'with a hook': [
    ({ container }) => (container.lifecycle = { preStop: { exec: { command: ['sh'] } } }),
    /no lifecycle hooks/,
  ],
  'whose liveness is a command': [
    ({ container }) => (container.livenessProbe = { exec: { command: ['node', '-e', 'x'] } }),
    /its own TCP port/,
  ],
  'whose start is a command': [
    ({ container }) => (container.startupProbe = { exec: { command: ['sh'] } }),
    /its own TCP port/,
  ],
  'whose readiness is a command': [
    ({ container }) => (container.readinessProbe = { exec: { command: ['sh'] } }),
    /its own TCP port/,
  ],
  'that has the kubelet ask another host': [
    ({ container }) => (container.livenessProbe = { httpGet: { host: '169.254.169.254', port: 80 } }),
    /its own TCP port/,
  ],
  'that has the kubelet call another host': [
    ({ container }) => (container.livenessProbe!.tcpSocket!.host = '10.0.0.1'),
    /its own TCP port/,
  ],
};
export const VOLUMES: Attacks = {
  'with a Secret as a volume': [volume({ secret: { secretName: 's' } }), /only volumes that are empty/],
  "with a seat's claim": [volume({ persistentVolumeClaim: { claimName: 'ws' } }), /only volumes that are empty/],
  'with a folder of the node': [volume({ hostPath: { path: '/' } }), /only volumes that are empty/],
  'with a volume made for it': [
    volume({
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    }),
    /only volumes that are empty/,
  ],
  "with a driver's volume": [volume({ csi: { driver: 'secrets.example' } }), /only volumes that are empty/],
  'with the files of an image': [volume({ image: { reference: 'busybox' } }), /only volumes that are empty/],
  'with what the API tells of it': [
    volume({ downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.name' } }] } }),
    /only volumes that are empty/,
  ],
  'with another ConfigMap': [volume({ configMap: { name: 'of-the-platform' } }), /only volumes that are empty/],
  'with a projected Secret': [volume({ projected: { sources: [{ secret: { name: 's' } }] } }), /only volumes that/],
  'with a Secret beside its token': [
    ({ spec }) => spec.volumes!.find(({ projected }) => projected)!.projected!.sources!.push({ secret: { name: 's' } }),
    /only volumes that/,
  ],
  'with a projected ConfigMap': [
    volume({ projected: { sources: [{ configMap: { name: 'c' } }] } }),
    /only volumes that/,
  ],
  'with a bundle of certificates': [
    volume({ projected: { sources: [{ clusterTrustBundle: { name: 'b', path: 'x' } }] } }),
    /only volumes that/,
  ],
  'with a token for the API': [
    volume({ projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }),
    /only volumes that are empty/,
  ],
  'with a token for somebody else': [
    volume({ projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'vault' } }] } }),
    /only volumes that are empty/,
  ],
  'with text in the place of its code': [
    mounted('/app/probe-agent.js', 'manifest', 'seat.json'),
    /no text becomes code/,
  ],
  'with a token mounted': [({ spec }) => (spec.automountServiceAccountToken = true), /no API token/],
  'of another account': [ofAccount('admin'), /only the seats' accounts/],
  'of the default account': [ofAccount('default'), /only the seats' accounts/],
  'of no account': [ofAccount(undefined), /only the seats' accounts/],
};

/** What the API server takes of nobody, whatever the fence says. */
export const INVALID: Attacks = {
  'with two volumes in one': [
    volume({ emptyDir: {}, secret: { secretName: 's' } }),
    /may not specify more than 1 volume type/,
  ],
  'with two sources in one': [
    ({ spec }) =>
      Object.assign(spec.volumes!.find(({ projected }) => projected)!.projected!.sources![0]!, {
        secret: { name: 's' },
      }),
    /may not specify more than 1 volume type/,
  ],
  'with an uid and a Secret in one': [
    ({ container }) => Object.assign(container.env!.at(-1)!.valueFrom!, secretKey.valueFrom),
    /may not have more than one field specified/,
  ],
  'with an ephemeral container': [
    ({ spec }) => (spec.ephemeralContainers = [{ name: 'more', image: 'busybox' }]),
    /cannot be set on create|one container/,
  ],
};
