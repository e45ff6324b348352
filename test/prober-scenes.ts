// Scenes of the prober's tests: one seat on an API server, each with one thing that goes wrong.
import type { V1ConfigMap, V1Pod } from '@kubernetes/client-node';
import type { Report } from '../functions/model';
import { HOLDER, PROBE_LABEL, PROBE_NONCE, PROBE_POD_PREFIX } from '../functions/probe/identity';
import { TRIES } from '../functions/probe/prober/retry';
import { run } from '../functions/probe/prober/run';
import { NAME, PROBE_IMAGE, planWith, profileWith, recorded, seatWith } from './recorded-seat';
import { type Request, refusal, ScriptedApi } from './scripted-api';

export const PODS = '/api/v1/namespaces/team-a/pods';
export const CREATE = `POST ${PODS}`;
export const TELL = 'PATCH /apis/steadmesh.io/v1alpha1/namespaces/team-a/seats/lead/status';
export const REPORT = 'PATCH /api/v1/namespaces/steadmesh-system/configmaps/probe-team-a-report';
/** What another prober's name looks like on the report. */
export const OTHER = JSON.stringify({ holder: 'you_2', acquired: '', renewed: '' });
const POLICY = { metadata: { name: NAME, namespace: 'team-a' }, spec: { podSelector: {} } };

interface Setting {
  /** The seat is stopped: it is as declared, and enforced without any pod. */
  readonly stopped?: true;
  readonly prepare?: (server: ScriptedApi, stop: () => void) => void;
}
export interface Scene {
  readonly server: ScriptedApi;
  readonly lines: readonly string[];
  /** Throws what the run threw. */
  readonly report: () => Report;
}

async function play({ stopped, prepare }: Setting): Promise<Scene> {
  const server = new ScriptedApi();
  const { pod, statefulSet, claim } = recorded();
  const sets = [{ ...statefulSet, spec: { ...statefulSet.spec, replicas: stopped ? 0 : 1 } }];
  server.lists = { networkpolicies: [POLICY], statefulsets: sets, persistentvolumeclaims: [claim] };
  server.seats.push({ metadata: { name: 'lead', uid: 'seat-uid', generation: 3 } });
  if (!stopped) server.pods.set(`${NAME}-0`, pod);
  let end = (): void => {};
  const stop = new Promise<void>((done) => {
    end = done;
  });
  prepare?.(server, end);
  const plan = planWith({
    platform: { host: '10.0.0.8', port: 8080, path: '/', podPort: 8080 },
    profiles: [profileWith({ sessionTTL: undefined })],
    seats: [seatWith({ running: !stopped })],
  });
  const lines: string[] = [];
  const api = await server.open();
  const say = (line: string): void => void lines.push(line);
  const [ended] = await Promise.allSettled([run(api, { plan, digest: 'd', holder: 'me_1', stop, say })]);
  server.close();
  const report = (): Report => {
    if (ended.status === 'rejected') throw ended.reason;
    return ended.value;
  };
  return { server, lines, report };
}

export const count = ({ calls }: ScriptedApi, call: string): number => calls.filter((one) => one === call).length;
const publishes = ({ call, body }: Request): boolean => call === REPORT && (body as V1ConfigMap).data !== undefined;
const pollsPods = ({ call, query }: Request): boolean => call === `GET ${PODS}` && query.has('labelSelector');
const probe = (name: string, image: string, annotations?: Record<string, string>): V1Pod => ({
  metadata: {
    name,
    uid: `uid-of-${name}`,
    labels: { [PROBE_LABEL]: 'netpol' },
    ...(annotations ? { annotations } : {}),
  },
  spec: { containers: [{ name: 'probe', image }] },
});

const SETTINGS = {
  ordinary: {},
  stopped: { stopped: true },
  endedMeasuring: {
    prepare: (server, stop) => {
      server.script = () => void (count(server, CREATE) === 2 && stop());
    },
  },
  endedWaiting: {
    prepare: (server, stop) => {
      server.write({ metadata: { annotations: { [HOLDER]: OTHER } } });
      server.script = ({ call }) => void (call.endsWith('-report') && stop());
    },
  },
  endedAway: {
    prepare: (server, stop) => {
      server.script = () => {
        if (count(server, CREATE) === 0) return undefined;
        stop();
        return { code: 503 };
      };
    },
  },
  restart: {
    prepare: (server) => {
      let away = TRIES + 2;
      server.script = (request) =>
        count(server, CREATE) > 0 && pollsPods(request) && away-- > 0 ? { code: 503 } : undefined;
    },
  },
  cut: {
    prepare: (server) => {
      server.script = (request) => {
        if (request.call !== CREATE || count(server, CREATE) > 1) return undefined;
        server.answer(request); // made, but nobody hears of it
        return 'drop';
      };
    },
  },
  cutAndRefused: {
    prepare: (server) => {
      server.script = (request) => {
        if (request.call !== CREATE) return undefined;
        if (count(server, CREATE) > 1) return refusal(403, 'Forbidden', 'pods "p" is forbidden: exceeded quota: tight');
        server.answer(request);
        return 'drop';
      };
    },
  },
  seatRefuses: {
    stopped: true,
    prepare: (server) => {
      server.script = ({ call }) =>
        call === TELL && count(server, TELL) > 1 ? refusal(403, 'Forbidden', 'may not be patched') : undefined;
    },
  },
  noReport: {
    stopped: true,
    prepare: (server) => {
      server.script = (request) =>
        publishes(request) ? refusal(403, 'Forbidden', 'a report may not be written') : undefined;
    },
  },
  absentReport: {
    stopped: true,
    prepare: (server) => {
      server.report = undefined;
    },
  },
  lostMeasuring: {
    prepare: (server) => {
      server.script = ({ call }) => {
        // the second pod: after the witness, before the control
        if (call === CREATE && count(server, CREATE) === 2)
          server.write({ metadata: { annotations: { [HOLDER]: OTHER } } });
        return undefined;
      };
    },
  },
  lostPublishing: {
    stopped: true,
    prepare: (server) => {
      let asked = 0;
      server.script = (request) => {
        // the other one comes between the last renewal and the report
        if (publishes(request) && asked++ === 0) server.write({ metadata: { annotations: { [HOLDER]: OTHER } } });
        return undefined;
      };
    },
  },
  crowded: {
    stopped: true,
    prepare: (server) => {
      let writes = 0;
      server.script = ({ call }) => {
        // an engine that writes its own in between
        if (call === REPORT && writes++ % 2 === 0) server.write({ metadata: { labels: { engine: String(writes) } } });
        return undefined;
      };
    },
  },
  leftovers: {
    prepare: (server) => {
      const nonce = { [PROBE_NONCE]: 'aa' };
      const named = (name: string): string => `${PROBE_POD_PREFIX}${name}`;
      // an image of another version made the first
      for (const pod of [probe(named('old'), 'x', nonce), probe(named('bare'), 'x'), probe('else', PROBE_IMAGE, nonce)])
        server.pods.set(pod.metadata?.name ?? '', pod);
    },
  },
  noSeats: {
    stopped: true,
    prepare: (server) => {
      server.script = ({ call }) => (call.endsWith('/seats') ? refusal(404, 'NotFound', 'no such kind') : undefined);
    },
  },
  bug: {
    prepare: (server) => {
      // an answer that no API server gives
      server.script = (request) =>
        count(server, CREATE) > 0 && pollsPods(request) ? { code: 200, body: { items: [null] } } : undefined;
    },
  },
} satisfies Readonly<Record<string, Setting>>;

/** Side by side: each waits most of its time. */
let playing: Readonly<Record<string, Promise<Scene>>> | undefined;
export const scene = async (name: keyof typeof SETTINGS): Promise<Scene> => {
  playing ??= Object.fromEntries(Object.entries(SETTINGS).map(([key, setting]) => [key, play(setting)]));
  return playing[name] as Promise<Scene>;
};
