// Sabotage of the run itself: no room for its pods, or an end half-way.
import * as assert from 'uvu/assert';
import { isEnforced } from '../../functions/probe/roll-up';
import type { Live } from '../cluster';
import { CONTROL_PLANE } from '../seat-package';
import type { Row } from './row';
import { reportOf, runsOf, type Stage } from './stage';

const PROBE_PODS = 'steadmesh.io/probe';

const probePods = ({ cluster, namespace }: Stage): Promise<readonly Live[]> =>
  cluster.list('pods', namespace, PROBE_PODS);

/** The Job's pod that runs now. */
const prober = ({ cluster, job }: Stage): Promise<Live> =>
  cluster.waitFor(`pod of Job ${job}`, 60, async () => {
    const pods = await cluster.list('pods', CONTROL_PLANE, `job-name=${job}`);
    return pods.find(({ status }) => status?.phase === 'Running');
  });

const areGone = (stage: Stage, uids: readonly string[]): Promise<true> =>
  stage.cluster.waitFor(`probe pods of the ended run in ${stage.namespace} are gone`, 60, async () =>
    (await probePods(stage)).some(({ metadata }) => uids.includes(metadata.uid)) ? undefined : true,
  );

/** Probe pods that were there when the prober was killed. */
const left = new Map<string, readonly string[]>();
const note = async (stage: Stage): Promise<void> => {
  left.set(
    stage.namespace,
    (await probePods(stage)).map(({ metadata }) => metadata.uid),
  );
};
const areCleaned = (stage: Stage): Promise<true> => areGone(stage, left.get(stage.namespace) ?? []);

export const RUN: readonly Row[] = [
  {
    name: 'quota-small',
    what: "a ResourceQuota without room for the probe's pods",
    sabotage: ({ cluster, namespace }) =>
      cluster.apply([
        {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'tight', namespace },
          spec: { hard: { 'limits.cpu': '200m' } },
        },
      ]),
    verdict: 'INCONCLUSIVE',
    findings: [],
    reason: 'QuotaDenied',
  },
  {
    name: 'prober-deleted',
    what: "the prober's pod deleted mid-run (SIGTERM)",
    meanwhile: async (stage) => {
      await note(stage);
      await stage.cluster.delete('pod', (await prober(stage)).metadata.name, CONTROL_PLANE);
    },
    verdict: 'INCONCLUSIVE',
    findings: [],
    reason: 'Interrupted',
    after: async (stage, { run }) => {
      await areCleaned(stage);
      const next = await reportOf(stage.cluster, stage.namespace, run);
      assert.ok(isEnforced(next), next.message);
      const runs = await runsOf(stage.cluster, stage.namespace);
      assert.ok(
        runs.some(({ reason }) => reason === 'Interrupted'),
        'the interrupted run is kept',
      );
    },
  },
  {
    name: 'prober-killed',
    what: 'the prober killed mid-run (SIGKILL); the next run',
    node: true,
    meanwhile: async (stage) => {
      await note(stage);
      stage.cluster.kill(await prober(stage));
    },
    verdict: 'PASS',
    findings: [],
    after: async (stage) => void (await areCleaned(stage)),
  },
];
