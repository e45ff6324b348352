// What a plan says of a seat that claims a sandbox: the pod that agent-sandbox makes of the template, and whose policies select it.
import type { V1Container, V1NetworkPolicySpec, V1PodSpec, V1PodTemplateSpec, V1Probe } from '@kubernetes/client-node';
import { templateRef } from '../../labels';
import type { ResolvedSeat, SandboxTemplate } from '../../model';
import type { RenderedSeat } from '../../probe/plan';
import { policySpec } from '../network-policy';
import { renderSandboxClaim } from '../sandbox-claim';

/** Of the claim's own annotations, those that tell one seat from another. */
const SEAT_ANNOTATIONS = ['steadmesh.io/seat-id', 'seatplan.dev/session-expires-at'];

/** What the controller leaves out of a template's marks, or takes from a pod once it is claimed. */
const DROPPED =
  /^(?:extensions\.)?agents\.x-k8s\.io\/|^opentelemetry\.io\/trace-context$|^cluster-autoscaler\.kubernetes\.io\/safe-to-evict$/;

/** Without the template nothing is known of the pod but by which label the template's policy selects it. */
export function renderClaimed(seat: ResolvedSeat): RenderedSeat {
  const { sandboxTemplate: template, sandboxTemplateName = '' } = seat;
  const selector = templateRef(sandboxTemplateName);
  const bounds = policySpec(selector, seat.egress);
  return {
    template: template ? podOf(seat, template, selector) : { metadata: { labels: selector } },
    policy: template?.networkPolicy ? managed(template.networkPolicy, selector) : bounds,
    bounds,
    healthPort: template && healthPortOf(template.podTemplate.spec),
  };
}

/** The policy that agent-sandbox makes (extensions/controllers/sandboxtemplate_controller.go). */
const managed = (
  { ingress, egress }: NonNullable<SandboxTemplate['networkPolicy']>,
  matchLabels: Record<string, string>,
): V1NetworkPolicySpec => ({
  podSelector: { matchLabels },
  policyTypes: ['Ingress', 'Egress'],
  ...(ingress ? { ingress } : {}),
  egress: egress ?? [],
});

/** As ApplySandboxSecureDefaults leaves it (extensions/controllers/utils.go): no API token unless the template asks for one. */
function podOf(
  seat: ResolvedSeat,
  { podTemplate }: SandboxTemplate,
  selector: Record<string, string>,
): V1PodTemplateSpec {
  const { metadata, spec } = podTemplate;
  const said = renderSandboxClaim(seat)?.spec.additionalPodMetadata;
  const kept = (marks: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(marks).filter(([key]) => !DROPPED.test(key)));
  const own = Object.entries(said?.annotations ?? {}).filter(([key]) => SEAT_ANNOTATIONS.includes(key));
  return {
    metadata: {
      labels: { ...kept(metadata?.labels), ...selector, ...said?.labels },
      annotations: { ...kept(metadata?.annotations), ...Object.fromEntries(own) },
    },
    spec: { automountServiceAccountToken: false, ...spec } as V1PodSpec,
  };
}

/** Where a probe pod listens in place of the seat. */
const SOME_PORT = 8081;

/** What the kubelet asks, else the first port that is told of. */
function healthPortOf(spec: V1PodSpec | undefined): number {
  const [first] = spec?.containers ?? [];
  const asked = [first?.readinessProbe, first?.livenessProbe].flatMap((probe) => portOf(probe, first))[0];
  return asked ?? first?.ports?.find(({ protocol = 'TCP' }) => protocol === 'TCP')?.containerPort ?? SOME_PORT;
}

function portOf(probe: V1Probe | undefined, container: V1Container | undefined): number[] {
  const port: unknown = probe?.httpGet?.port ?? probe?.tcpSocket?.port ?? probe?.grpc?.port;
  const number = typeof port === 'string' ? container?.ports?.find(({ name }) => name === port)?.containerPort : port;
  return typeof number === 'number' ? [number] : [];
}
