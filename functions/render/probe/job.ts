// The Job that runs the prober. An ordinary one, without a short life: engines count a Job that is gone as they like.

import type { V1Job, V1PodTemplateSpec, V1ResourceRequirements } from '@kubernetes/client-node';
import type { Plan } from '../../model';
import {
  COMPONENT_LABEL,
  jobName,
  PLAN_FOLDER,
  PROBE_DIGEST,
  PROBED_NAMESPACE,
  PROBER_COMMAND,
  planName,
} from '../../probe/identity';
import { UNMESHED, UNSUBSTITUTED } from '../metadata';
import { probeMetadata } from './metadata';

const CONTAINER = 'prober';
const PLAN_VOLUME = 'plan';
const NOBODY = 65534;
/** For measuring many groups, three at a time, and for publishing; a run that is stopped then says so. */
const MEASURING_SECONDS = 3600;
const GRACE_SECONDS = 60;
/** FAIL, bad input, a bug: another try would not tell anything else, or would hide what the first one found. */
const FINAL_CODES = [10, 64, 70];
const RETRIES = 2;

/** `digest` is asked once, for the template without it; its value names the Job and goes into the environment. */
export function renderJob(plan: Plan, digest: (template: V1PodTemplateSpec) => string): V1Job {
  const hex = digest(template(plan, ''));
  const job = { apiVersion: 'batch/v1', kind: 'Job' } as const;
  return {
    ...job,
    metadata: probeMetadata(plan, {
      ...job,
      name: jobName(plan.prober, hex),
      namespace: plan.controlPlaneNamespace,
    }),
    spec: {
      backoffLimit: RETRIES,
      podFailurePolicy: {
        rules: [
          { action: 'FailJob', onExitCodes: { containerName: CONTAINER, operator: 'In', values: FINAL_CODES } },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      template: template(plan, hex),
    },
  };
}

const template = (plan: Plan, digest: string): V1PodTemplateSpec => ({
  metadata: {
    labels: { [COMPONENT_LABEL]: 'seatplan-probe', [PROBED_NAMESPACE]: plan.namespace },
    annotations: { ...UNSUBSTITUTED, ...UNMESHED },
  },
  spec: {
    serviceAccountName: plan.prober,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    restartPolicy: 'Never',
    activeDeadlineSeconds: plan.options.timeoutSeconds * 2 + MEASURING_SECONDS,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    ...(plan.priorityClassName === undefined ? {} : { priorityClassName: plan.priorityClassName }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: NOBODY,
      runAsGroup: NOBODY,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: CONTAINER,
        image: plan.image,
        imagePullPolicy: plan.imagePullPolicy,
        command: [...PROBER_COMMAND],
        env: [
          { name: PROBE_DIGEST, value: digest },
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
        ],
        resources: resourcesFor(plan.seats.length),
        volumeMounts: [{ name: PLAN_VOLUME, mountPath: PLAN_FOLDER, readOnly: true }],
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          privileged: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      },
    ],
    volumes: [{ name: PLAN_VOLUME, configMap: { name: planName(plan.prober) } }],
  },
});

/** With the image's NODE_OPTIONS 500 seats took 84 MiB in a pod, and 177 on a machine where nothing of them was there (bench/PROBE.md). */
function resourcesFor(seats: number): V1ResourceRequirements {
  const amount = { cpu: '200m', memory: `${256 + Math.floor(seats / 250) * 128}Mi` };
  return { requests: amount, limits: { ...amount } };
}
