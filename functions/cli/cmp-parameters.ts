// Parameters of an Application for the plugin. Whoever can commit to the app can set them (`.argocd-source.yaml`), so that
// none of them loosens anything.
import { EXIT, Refusal } from './shell';

export interface Parameters {
  /** An app without any Seat is meant; else it is an error, since Argo CD would prune all seats. */
  readonly allowEmpty: boolean;
  /** Warnings are errors. */
  readonly strict: boolean;
}

const NAMES: Readonly<Record<string, keyof Parameters>> = { 'allow-empty': 'allowEmpty', strict: 'strict' };
const VALUES: Readonly<Record<string, boolean>> = { true: true, false: false };

/** `text` is Argo CD's ARGOCD_APP_PARAMETERS: a JSON list of `{name, string | array | map}`. Anything unknown is refused. */
export function readParameters(text = ''): Parameters {
  const parameters: { -readonly [key in keyof Parameters]: boolean } = { allowEmpty: false, strict: false };
  for (const { name, string: value } of parse(text)) {
    const key = Object.hasOwn(NAMES, String(name)) ? NAMES[String(name)] : undefined;
    if (!key) throw refuse(`has no parameter "${name}"; it has ${Object.keys(NAMES).join(' and ')}`);
    const flag = Object.hasOwn(VALUES, String(value)) ? VALUES[String(value)] : undefined;
    if (flag === undefined) throw refuse(`takes "true" or "false" as the parameter ${name}`);
    parameters[key] = flag;
  }
  return parameters;
}

function parse(text: string): readonly { readonly name?: unknown; readonly string?: unknown }[] {
  let value: unknown;
  try {
    value = text.trim() === '' ? [] : JSON.parse(text);
  } catch {
    throw refuse('cannot read ARGOCD_APP_PARAMETERS: it is no JSON');
  }
  if (value === null) return [];
  if (Array.isArray(value) && value.every((one) => one !== null && typeof one === 'object')) return value;
  throw refuse('cannot read ARGOCD_APP_PARAMETERS: it must be a list of objects');
}

const refuse = (message: string): Refusal => new Refusal(`this plugin ${message}`, EXIT.usage);
