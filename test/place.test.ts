import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Item, Rendered } from '../functions/model';
import { renderSeats } from '../functions/render/seats';
import { placed } from '../functions/stages/write/place';
import { resolved, wholeOf } from './rendered';

const at = (file: string, index: number | undefined, annotations: Record<string, string> = {}): Item => ({
  text: '',
  origin: { file, ...(index === undefined ? {} : { index }), line: 0, column: 1 },
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  name: 'ws',
  namespace: 'left',
  annotations,
  level: 'package',
});
const PACKAGE = 'internal.config.kubernetes.io/package-path';

function indexes(kept: readonly Item[], packagePath?: string): string[] {
  const seat = resolved({ workspace: { size: '1Gi' } });
  const item = at('seats.yaml', 0, packagePath === undefined ? {} : { [PACKAGE]: packagePath });
  const rendered: Rendered[] = [...renderSeats(wholeOf([{ ...seat, seat: { ...seat.seat, item } }]))];
  const objects = [...placed({ kept, rendered, predecessors: new Map(), directory: 'generated' })];
  return objects.map(({ metadata }) => metadata?.annotations?.['internal.config.kubernetes.io/index'] ?? '');
}
const [file = ''] = [...renderSeats(wholeOf([resolved()]))].map((one) => `generated/${one.file}`);

const places = suite('kpt refuses two objects in one place of a file');
places('without others they are counted from 0', () => assert.equal(indexes([]), ['0', '1', '2', '3', '4']));
places('the place of an object that stays is left out', () => {
  assert.equal(indexes([at(file, 3)]), ['0', '1', '2', '4', '5']);
});
places('no index is index 0', () => assert.equal(indexes([at(file, undefined)]), ['1', '2', '3', '4', '5']));
places('files of other packages do not count', () => {
  assert.equal(indexes([at(file, 0, { [PACKAGE]: '/b' })], '/a'), ['0', '1', '2', '3', '4']);
});
places.run();
