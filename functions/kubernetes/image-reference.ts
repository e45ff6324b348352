// Container image references, by the grammar of github.com/distribution/reference (regexp.go, normalize.go).

const LONGEST_REPOSITORY = 255;
const DOMAIN_COMPONENT = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `(?:${DOMAIN_COMPONENT}(?:\\.${DOMAIN_COMPONENT})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const PATH_COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const REFERENCE = new RegExp(
  `^((?:(?:${DOMAIN})/)?${PATH_COMPONENT}(?:/${PATH_COMPONENT})*)(?::(\\w[\\w.-]{0,127}))?(?:@(.*))?$`,
);
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const IMAGE_ID = /^[0-9a-f]{64}$/;
/** Longer texts are refused before the pattern sees them: repository, tag and digest have bounds of their own. */
const LONGEST_REFERENCE = LONGEST_REPOSITORY + 1 + 128 + 1 + 71;

export interface ImageReference {
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/**
 * Registry, path, tag and digest together are allowed. Undefined for a text outside the grammar, for a bare image ID
 * (64 hex digits name no repository), and for a digest other than sha256.
 */
export function parseImageReference(text: string): ImageReference | undefined {
  if (text.length > LONGEST_REFERENCE) return undefined;
  const [, repository = '', tag, digest] = REFERENCE.exec(text) ?? [];
  if (repository === '' || repository.length > LONGEST_REPOSITORY || IMAGE_ID.test(repository)) return undefined;
  if (digest !== undefined && !DIGEST.test(digest)) return undefined;
  return { repository, tag, digest };
}
