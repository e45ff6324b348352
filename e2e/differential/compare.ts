// One text, decided by the API server and by us.
import { decode } from '../../functions/stages/read/decode';
import { checkResource } from '../../functions/stages/schema';
import type { ApiServer, Status } from '../apiserver';
import type { Sample } from './corpus';

export interface Verdict {
  readonly accepted: boolean;
  readonly problems: readonly { readonly code: string; readonly path: string; readonly message: string }[];
}
export interface Comparison {
  readonly ours: Verdict;
  readonly server: { readonly accepted: boolean; readonly status: Status; readonly path: string | undefined };
  /** What differs, in words; undefined: nothing. */
  readonly disagreement: string | undefined;
}

export function decideOurselves({ kind, text }: Sample): Verdict {
  const { value, problems } = decode(text);
  const all = problems.length ? problems : checkResource(value, kind).problems;
  return { accepted: all.length === 0, problems: all.map(({ code, path = '', message }) => ({ code, path, message })) };
}

export async function compare(server: ApiServer, sample: Sample): Promise<Comparison> {
  const { code, body } = await server.call(
    'POST',
    `${pathOf(sample)}?dryRun=All&fieldValidation=Strict`,
    sample.text,
    typeOf(sample.text),
  );
  const ours = decideOurselves(sample);
  const accepted = code < 300;
  const path = accepted ? undefined : onlyPath(body);
  const disagreement = differ(ours, accepted, path, code);
  return { ours, server: { accepted, status: body, path }, disagreement };
}

/** JSON that YAML 1.1 does not understand goes to the API server as what it is, as kubectl sends it. */
function typeOf(text: string): string {
  if (!/\\\/|\\u[dD][89abAB]/.test(text)) return 'application/yaml';
  try {
    JSON.parse(text);
    return 'application/json';
  } catch {
    return 'application/yaml';
  }
}

/** The API server reads one document and leaves the rest of the text unread; we refuse to lose it. */
const BEYOND_THE_DOCUMENT = /^end of the stream or a document separator is expected/;

const REFUSALS = [400, 403, 422, 500]; // 500: what it says to a resourceVersion on create, and to a broken group

function differ(ours: Verdict, accepted: boolean, path: string | undefined, code: number): string | undefined {
  if (!accepted && !REFUSALS.includes(code)) return `the API server answered ${code}`;
  if (ours.problems.some(({ message }) => BEYOND_THE_DOCUMENT.test(message))) return undefined;
  if (ours.accepted !== accepted)
    return `the API server ${accepted ? 'accepts' : 'refuses'} what we ${ours.accepted ? 'accept' : 'refuse'}`;
  if (path === undefined || ours.problems.some((problem) => TYPE.has(problem.path) || tellsOf(problem, path)))
    return undefined;
  return `the API server refuses ${path}, we refuse ${ours.problems.map((problem) => problem.path).join(', ')}`;
}

/** Of an object of another type the API server knows no field at all. */
const TYPE = new Set(['apiVersion', 'kind']);

/** A value of the wrong type is one problem for us; the API server names each field inside it as unknown. */
const tellsOf = ({ code, path }: Verdict['problems'][number], other: string): boolean =>
  bare(path) === bare(other) || (code === 'INVALID_TYPE' && bare(other).startsWith(`${bare(path)}.`));

/** `a["b"][0]` and `a.b[0]` are spellings of one path. */
const bare = (path: string): string =>
  path
    .replace(/\["((?:[^"\\]|\\.)*)"\]/g, (_step, key: string) => `.${JSON.parse(`"${key}"`)}`)
    .replace(/\[([^\]]*)\]/g, '.$1')
    .replace(/^\.+/, '');

const UNKNOWN = /^.*strict decoding error: unknown field "([^"]*)"$/;

/** The path, if the API server names exactly one. */
function onlyPath({ message = '', details }: Status): string | undefined {
  const unknown = UNKNOWN.exec(message)?.[1];
  if (unknown !== undefined) return unknown;
  const causes = details?.causes ?? [];
  return causes.length === 1 ? causes[0]?.field : undefined;
}

function pathOf({ kind, text }: Sample): string {
  if (kind === 'TrustTier') return '/apis/maqpna.com/v1alpha1/trusttiers';
  const { metadata } = (decode(text).value ?? {}) as { metadata?: { namespace?: unknown } };
  const namespace = typeof metadata?.namespace === 'string' && metadata.namespace ? metadata.namespace : 'default';
  return `/apis/steadmesh.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}/${kind === 'Seat' ? 'seats' : 'taskruns'}`;
}
