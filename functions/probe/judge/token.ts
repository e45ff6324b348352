// I1, I2: whether the pod has no token for the API, and the declared one for one audience only.
import type { V1Volume } from '@kubernetes/client-node';
import { DEFAULT_ACCOUNT } from '../profile';
import { API_TOKEN_FOLDER } from '../sight-paths';
import type { Judged, Seen } from './sight';

/** Kubernetes' own token volumes ask for 3607 s and call it an hour (k8s.io/kubernetes plugin/pkg/admission/serviceaccount). */
const TOLERANCE_SECONDS = 7;
/** What the API server gives where a projected token says nothing. */
const DEFAULT_SECONDS = 3600;

export function judgeToken(seen: Seen): Judged[] {
  return [judgeApiToken(seen), judgeClaims(seen)];
}

/** The pod as admitted counts too: a webhook may add what the ServiceAccount controller left out. */
function judgeApiToken({ profile, pod, sight }: Seen): Judged {
  const check = 'I1';
  const volumes = pod.spec?.volumes?.filter((volume) => isForApi(volume, profile.audience)) ?? [];
  const mounted = pod.spec?.containers.some(({ volumeMounts }) =>
    volumeMounts?.some(({ mountPath }) => mountPath.startsWith(API_TOKEN_FOLDER)),
  );
  const names = volumes.map(({ name }) => name);
  const evidence = { file: sight.apiToken, volumes: names };
  if (sight.apiToken || names.length || mounted) {
    const how = names.length ? `as volume ${names.join(', ')}` : `at ${API_TOKEN_FOLDER}`;
    const message = `the pod has a token for the API, ${how}`;
    return { check, verdict: 'FAIL', reason: 'ApiTokenMounted', message, evidence };
  }
  return { check, verdict: 'PASS', message: 'no token for the API', evidence };
}

/** A token without an audience, or with one that nobody declared, may be one for the API server. */
const isForApi = ({ name, projected }: V1Volume, audience: string): boolean =>
  name.startsWith('kube-api-access-') ||
  projected?.sources?.some(({ serviceAccountToken: token }) => token !== undefined && token.audience !== audience) ===
    true;

function judgeClaims({ profile, template, pod, result, sight }: Seen): Judged {
  const check = 'I2';
  const declared = template.spec?.volumes
    ?.flatMap(({ projected }) => projected?.sources ?? [])
    .find(({ serviceAccountToken }) => serviceAccountToken)?.serviceAccountToken;
  if (!declared) return { check, verdict: 'SKIP', reason: 'NotDeclared', message: 'the pod declares no token' };
  const { token } = sight;
  if (!token) {
    const message = sight.tokenProblem ?? 'the pod did not read its token';
    return { check, verdict: 'INCONCLUSIVE', reason: 'NotShown', message };
  }
  const evidence = { token };
  const [audience, ...others] = token.audiences;
  if (audience !== profile.audience || others.length) {
    const message = `declared is the audience ${profile.audience}, the token is for ${token.audiences.join(', ') || 'none'}`;
    return { check, verdict: 'FAIL', reason: 'WrongAudience', message, evidence };
  }
  const seconds = token.expiresAt - token.issuedAt;
  const most = declared.expirationSeconds ?? DEFAULT_SECONDS;
  // Not a number is not understood, and so not short.
  if (!(seconds <= most + TOLERANCE_SECONDS)) {
    const message = `the token lives for ${seconds} s, declared is ${most} s`;
    return { check, verdict: 'FAIL', reason: 'TokenTooLong', message, evidence };
  }
  const account = pod.spec?.serviceAccountName;
  const declaredAccount = template.spec?.serviceAccountName ?? DEFAULT_ACCOUNT;
  const mine = account !== undefined && account === declaredAccount && isOf(token.serviceAccount, account);
  if (token.podUID !== result.podUID || !mine) {
    const whose = `pod ${token.podUID ?? '(none)'} and account ${token.serviceAccount ?? '(none)'}`;
    const message = `the token is bound to ${whose}, not to this pod and ${declaredAccount}`;
    return { check, verdict: 'FAIL', reason: 'TokenOfOtherPod', message, evidence };
  }
  return { check, verdict: 'PASS', message: `one audience, ${seconds} s, of this pod`, evidence };
}

/** Agents tell the account by its name or as the API server calls it, `system:serviceaccount:<namespace>:<name>`. */
const isOf = (told: string | undefined, account: string): boolean => told?.split(':').at(-1) === account;
