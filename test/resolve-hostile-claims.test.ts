// Claims that a seat may name although they hold another seat's work.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Item, SeatSpec } from '../functions/model';
import { linesOf, object, resolve, table } from './resolve-table';

const share = (claimName: string, mountPath = '/data'): Partial<SeatSpec> => ({
  workspace: { shared: [{ claimName, mountPath }] },
});
const claim = (name: string, namespace: string | undefined, ids: Record<string, string>): Item =>
  object('PersistentVolumeClaim', 'v1', { metadata: { name, ...(namespace ? { namespace } : {}) } }, ids).item;
const ELSEWHERE = 'ws-seat-stranger-0123abcd';
const OTHERS = { 'steadmesh.io/seat-id': 'stranger' };
const OWN = { 'steadmesh.io/organization-id': 'acme', 'steadmesh.io/seat-id': 'engineer' };

table('claims of seats that are not in the package', {
  'a workspace by its name cannot be shared': {
    seat: share(ELSEWHERE),
    findings: ['CLAIM_OF_OTHER_SEAT spec.workspace.shared[0].claimName'],
  },
  'unless the package shows that it was the seat’s own': {
    seat: share(ELSEWHERE),
    declared: { rest: [claim(ELSEWHERE, 'seats', OWN)] },
    findings: [],
  },
  'a claim of the same name elsewhere shows nothing': {
    seat: share(ELSEWHERE),
    declared: { rest: [claim(ELSEWHERE, 'elsewhere', OWN)] },
    findings: ['CLAIM_OF_OTHER_SEAT spec.workspace.shared[0].claimName'],
  },
  'a claim with another seat’s id counts although its namespace comes later': {
    seat: { workspace: { adoptClaim: 'data' } },
    declared: { rest: [claim('data', undefined, OTHERS)] },
    findings: ['CLAIM_OF_OTHER_SEAT spec.workspace.adoptClaim'],
  },
  'its own workspace may stand at a second place': { seat: share('ws-seat-engineer-4cc65c59'), findings: [] },
});

const mounts = suite('mount paths');
mounts('leave in the spelling in which they were judged', () => {
  const given = { seat: share('data', '/seat/../opt//data/') };
  assert.equal(linesOf(given), []);
  assert.is(resolve(given).value[0]?.shared[0]?.mountPath, '/opt/data');
});
mounts.run();
