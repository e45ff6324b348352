// The repository itself is a kpt package: kpt renders a copy of every file that Git tracks, and changes none of them.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { must, run } from './command';
import { docker } from './docker';
import { changedSince, identity, readFolder, readStream, snapshot } from './objects';
import { program, suiteWith } from './prerequisites';

const ROOT = resolve(__dirname, '..');
const test = suiteWith('the repository as a kpt package', 'kpt', 'docker');

function withCheckout<T>(use: (copy: string) => T): T {
  const copy = mkdtempSync(join(tmpdir(), 'seatplan-package-'));
  try {
    const tracked = must(['git', 'ls-files', '-z'], { cwd: ROOT }).split('\0').filter(Boolean);
    for (const file of tracked.filter((path) => existsSync(join(ROOT, path)))) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(ROOT, file), join(copy, file));
    }
    return use(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function renders(folder: string): void {
  const command = [program('kpt') ?? 'kpt', 'fn', 'render', folder, '--image-pull-policy', 'never'] as const;
  const { status, stdout, stderr } = run([...command], { env: docker() });
  assert.is(status, 0, stdout + stderr);
}

test('kpt fn render on the whole repository passes, changes no object, and nothing at all when run again', () =>
  withCheckout((copy) => {
    const declared = readFolder(join(copy, 'schemas'));
    const before = snapshot(copy);
    renders(copy);
    // kpt writes YAML in its own style
    assert.equal(readFolder(join(copy, 'schemas')), declared);
    assert.equal(
      changedSince(before, copy).filter((file) => !file.startsWith('schemas/')),
      [],
    );
    const once = snapshot(copy);
    renders(copy);
    assert.equal(changedSince(once, copy), []);
  }));

test('kpt sees the CRDs and nothing else', () =>
  withCheckout((copy) => {
    const printed = must([program('kpt') ?? 'kpt', 'fn', 'source', copy, '--output', 'unwrap'], { env: docker() });
    const kinds = [...printed.matchAll(/^kind: (.*)$/gm)].map(([, kind]) => kind);
    assert.equal([...new Set(kinds)].sort(), ['CustomResourceDefinition']);
  }));

test('a Seat put into the package is expanded there', () =>
  withCheckout((copy) => {
    writeFileSync(join(copy, 'schemas/seat.yaml'), SEAT_WITH_TIER);
    const before = snapshot(copy);
    renders(copy);
    const files = changedSince(before, copy).filter((file) => !before.has(file));
    const rendered = files.flatMap((file) => readStream(readFileSync(join(copy, file), 'utf8'))).map(identity);
    assert.ok(
      rendered.some((id) => id.startsWith('apps/StatefulSet/agents/')),
      rendered.join('\n'),
    );
  }));

const SEAT_WITH_TIER = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata:
  name: tier-0
spec:
  runtimeClassName: gvisor
  isolation: gvisor
  defaultResources:
    limits:
      cpu: "1"
      memory: 1Gi
---
apiVersion: steadmesh.io/v1alpha1
kind: Seat
metadata:
  name: writer
  namespace: agents
spec:
  organization: acme
  tierRef:
    name: tier-0
  harness:
    adapter: shell
    image: registry.example/agent@sha256:${'a'.repeat(64)}
`;

test.run();
