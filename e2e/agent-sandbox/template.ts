// A sandbox template that keeps to the tiers of the tests.
import type { Manifest } from '../objects';
import { CONTROL_PLANE } from '../seat-package';

const named = (name: string): object => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

/** `image`: that of the tests' seats, by digest. */
export const template = (namespace: string, image: string): Manifest => ({
  apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
  kind: 'SandboxTemplate',
  metadata: { name: 'coder', namespace },
  spec: {
    networkPolicy: {
      egress: [
        {
          to: [
            {
              namespaceSelector: named(CONTROL_PLANE),
              podSelector: { matchLabels: { 'steadmesh.io/component': 'platform' } },
            },
          ],
          ports: [{ protocol: 'TCP', port: 8080 }],
        },
      ],
    },
    podTemplate: {
      spec: {
        runtimeClassName: 'gvisor',
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'agent',
            image,
            command: ['/usr/local/bin/seat-runner'],
            resources: { limits: { cpu: '100m', memory: '64Mi' }, requests: { cpu: '10m', memory: '32Mi' } },
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
      },
    },
  },
});
