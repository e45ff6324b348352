// The seat's container: image, entry point, environment and health. Nothing in it loosens the pod's security.
import { type Finding, report } from '../../finding';
import { escapeExpansion } from '../../kubernetes/expansion';
import { parseImageReference } from '../../kubernetes/image-reference';
import type { EnvEntry, Item, Located, Options, Outcome, ResolvedSeat, Seat } from '../../model';

type Container = Pick<ResolvedSeat, 'image' | 'command' | 'args' | 'env' | 'adapter' | 'health'>;

export const DEFAULT_COMMAND: readonly string[] = ['/usr/local/bin/seat-runner'];
export const DEFAULT_HEALTH = { port: 8081, livenessPath: '/healthz', readinessPath: '/readyz' } as const;

/** Texts leave escaped, so that the kubelet hands them on as the user wrote them. */
export function resolveContainer({ object: { spec }, item }: Located<Seat>, options: Options): Outcome<Container> {
  const { image = '', adapter, command, args = [], env = [], health } = spec.harness;
  return {
    value: {
      image,
      adapter,
      command: command?.length ? command.map(escapeExpansion) : DEFAULT_COMMAND,
      args: args.map(escapeExpansion),
      env: env.map(escapeEntry),
      health: { ...DEFAULT_HEALTH, ...health },
    },
    findings: [
      ...checkImage(image, item, options),
      ...env.flatMap((entry, index) => checkEntry(entry, index, item, options)),
    ],
  };
}

const escapeEntry = (entry: EnvEntry): EnvEntry =>
  entry.value === undefined ? entry : { ...entry, value: escapeExpansion(entry.value) };

function checkImage(image: string, item: Item, { allowImageTags }: Options): Finding[] {
  const path = 'spec.harness.image';
  if (image === '') return [report('MISSING_FIELD', item, path, 'a StatefulSet seat must name its image')];
  const reference = parseImageReference(image);
  if (!reference) {
    const message = 'must be an image reference: [registry/]path[:tag]@sha256:<64 hex digits>';
    return [report('IMAGE_INVALID', item, path, message, { value: image })];
  }
  if (reference.digest !== undefined || (allowImageTags && reference.tag !== undefined)) return [];
  const message = allowImageTags
    ? 'must have a tag or a digest'
    : 'must be pinned by digest (@sha256:…); the option `allowImageTags` would admit a tag';
  return [report('IMAGE_NOT_PINNED', item, path, message, { value: image })];
}

function checkEntry(entry: EnvEntry, index: number, item: Item, { allowSecretEnv }: Options): Finding[] {
  if (!entry.valueFrom?.secretKeyRef || allowSecretEnv) return [];
  const path = `spec.harness.env[${index}].valueFrom.secretKeyRef`;
  const message = 'what is in the pod can leave it; only with the option `allowSecretEnv` may a Secret come in';
  return [report('SECRET_ENV_NOT_ALLOWED', item, path, message)];
}
