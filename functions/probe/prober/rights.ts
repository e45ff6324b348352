// What a seat's ServiceAccount must not be allowed to do; bindings of its groups count like its own.
import type { Api } from './api';
import * as paths from './paths';

interface Attributes {
  readonly verb: string;
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: in the namespace of the seats. */
  readonly everywhere?: true;
}

const FORBIDDEN: readonly Attributes[] = [
  { verb: '*', group: '*', resource: '*' },
  { verb: 'get', resource: 'secrets' },
  { verb: 'list', resource: 'secrets' },
  { verb: 'get', resource: 'configmaps' },
  { verb: 'list', resource: 'pods' },
  { verb: 'create', resource: 'pods' },
  { verb: 'create', resource: 'pods', subresource: 'exec' },
  { verb: 'create', resource: 'serviceaccounts', subresource: 'token' },
  { verb: 'patch', group: 'apps', resource: 'statefulsets' },
  { verb: 'delete', group: 'networking.k8s.io', resource: 'networkpolicies' },
  { verb: 'list', resource: 'nodes', everywhere: true },
  { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews', everywhere: true },
  { verb: 'impersonate', resource: 'users', everywhere: true },
];

/** Those that the API server would allow, as `verb resource`; empty: none. Throws ApiError. */
export async function forbidden(api: Api, namespace: string, account: string): Promise<readonly string[]> {
  const allowed: string[] = [];
  // one after the other: accounts are asked about side by side already
  for (const one of FORBIDDEN) if (await isAllowed(api, namespace, account, one)) allowed.push(wordsOf(one));
  return allowed;
}

const wordsOf = ({ verb, resource, subresource }: Attributes): string =>
  `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;

async function isAllowed(
  api: Api,
  namespace: string,
  account: string,
  { verb, group = '', resource, subresource, everywhere }: Attributes,
): Promise<boolean> {
  const review = await api.call<{ status?: { allowed?: boolean } }>('POST', paths.accessReviews, {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: `system:serviceaccount:${namespace}:${account}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
        resourceAttributes: {
          ...(everywhere ? {} : { namespace }),
          verb,
          group,
          resource,
          ...(subresource === undefined ? {} : { subresource }),
        },
      },
    },
  });
  return review.status?.allowed === true;
}
