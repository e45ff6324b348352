// What is measured: which program, on which input, and how many objects its output must hold.
import { join, resolve } from 'node:path';
import { writePackage, writeResourceList, writeValues } from './packages';

const ROOT = resolve(__dirname, '..');
export const CLI = join(ROOT, 'dist/cli.js');
const FUNCTION = join(ROOT, 'dist/expand-seats.js');
const CHART = join(__dirname, 'chart');

const OBJECTS_PER_SEAT = 5;
const FOREIGN_OBJECTS = 6000;
const SEATS_AMONG_FOREIGN = 10;

export interface Contender {
  readonly name: 'seatplan' | 'helm' | 'expand-seats';
  readonly command: readonly string[];
  readonly input?: string;
  /** How the line that names an object's kind begins in the output, and how many there must be. */
  readonly kindLine: string;
  readonly objects: number;
}

export interface Case {
  readonly name: string;
  readonly contenders: readonly Contender[];
  /** Runs per round: what takes a tenth of a second feels every other program on the machine. */
  readonly rounds: number;
}

/** Writes the inputs into `folder`. */
export function prepare(folder: string, helm: string): Case[] {
  return [
    ...[1, 1000, 10_000].map((count) => sideBySide(folder, helm, count)),
    fileEach(folder, 1000),
    foreignObjects(folder),
  ];
}

const render = (name: string, folder: string, count: number): Contender => ({
  name: 'seatplan',
  command: [process.execPath, CLI, 'render', join(folder, name)],
  kindLine: 'kind: ',
  objects: count * OBJECTS_PER_SEAT,
});

function sideBySide(folder: string, helm: string, count: number): Case {
  const values = join(folder, `values-${count}.yaml`);
  writePackage(join(folder, String(count)), count);
  writeValues(values, count);
  return {
    name: count === 1 ? '1 seat' : `${count.toLocaleString('en')} seats`,
    rounds: count === 1 ? 4 : 1,
    contenders: [
      render(String(count), folder, count),
      {
        name: 'helm',
        command: [helm, 'template', 'bench', CHART, '--values', values],
        kindLine: 'kind: ',
        objects: count * OBJECTS_PER_SEAT,
      },
    ],
  };
}

function fileEach(folder: string, count: number): Case {
  writePackage(join(folder, 'files'), count, 'seat');
  return { name: '1,000 seats, one file each', rounds: 1, contenders: [render('files', folder, count)] };
}

/** What kpt pipes through the function: the tier, the seats and the function config stay in it. */
function foreignObjects(folder: string): Case {
  const input = join(folder, 'list.yaml');
  writeResourceList(input, FOREIGN_OBJECTS, SEATS_AMONG_FOREIGN);
  const ours = SEATS_AMONG_FOREIGN * (1 + OBJECTS_PER_SEAT) + 2;
  return {
    name: 'ResourceList: 6,000 foreign objects, 10 seats',
    rounds: 2,
    contenders: [
      {
        name: 'expand-seats',
        command: [process.execPath, FUNCTION],
        input,
        kindLine: '  kind: ',
        objects: FOREIGN_OBJECTS + ours,
      },
    ],
  };
}
