// Valid Seats and TrustTiers that the mutations start from. Together they hold every field of both kinds.

export interface Sample {
  readonly kind: 'Seat' | 'TrustTier';
  readonly text: string;
}

const DIGEST = 'a'.repeat(64);

const SEAT_ALL = `apiVersion: steadmesh.io/v1alpha1
kind: Seat
metadata:
  name: lead-engineer
  labels:
    team: platform
    example.com/stage: "1"
  annotations:
    example.com/note: any text
spec:
  organization: acme
  key: lead_engineer
  organizationID: 7c9e6679-7425-40de-944b-e07fc1f90ae7
  seatID: seat:42
  tierRef:
    name: tier-0-gvisor
  state: Running
  workload: StatefulSet
  rollout: OnDelete
  harness:
    adapter: claude-code
    image: registry.example.com/agents/runner@sha256:${DIGEST}
    config:
      effort: high
      a.b/c: x
    model:
      connection: anthropic
      name: some-model
      providerTools: [web_search, web_fetch_20250305]
    command: [/usr/local/bin/seat-runner]
    args: [--verbose, "$(HOME)"]
    env:
      - name: LANG
        value: C.UTF-8
      - name: FEATURES
        valueFrom:
          configMapKeyRef:
            name: features
            key: all.json
            optional: true
      - name: TOKEN
        valueFrom:
          secretKeyRef:
            name: token
            key: token
    health:
      port: 8081
      livenessPath: /healthz
      readinessPath: /readyz
  resources:
    requests:
      cpu: 250m
      memory: 512Mi
    limits:
      cpu: "1"
      memory: 1Gi
      example.com/device: 1
  resourceClaims:
    - name: gpu
      resourceClaimTemplateName: gpu-template
    - name: fpga
      resourceClaimName: fpga
  workspace:
    size: 10Gi
    storageClassName: fast
    retention: Retain
    shared:
      - claimName: datasets
        mountPath: /data
        readOnly: true
  access:
    egress:
      - host: api.example.com
      - host: "*.example.org"
        ports: [443, 8443]
    network:
      - cidr: 10.0.0.0/8
        except: [10.1.0.0/16]
        protocol: TCP
        ports: [5432]
        endPort: 5440
      - cidr: fd00::/8
        protocol: udp
    browser:
      sessionConnection: browser
    binaries: [git, node]
    repositories:
      - connection: github
        host: github.com
        repos: [acme/app, acme/infra.live]
        permissions:
          contents: write
          pull_requests: write
          issues: read
          metadata: read
        delivery: platform
  instructions: |
    Be kind.
  files:
    docs/style.md: |
      Short sentences.
    notes.txt: ""
  tools:
    - resource: tickets
      operations: [read, comment]
      targets: [acme]
  requires:
    isolation: [gvisor]
    jurisdiction: EU-DE
    attestation: false
  session:
    ttl: 1h30m
    expiresAt: "2031-01-31T12:00:00Z"
  scheduling:
    tolerations:
      - key: seats
        operator: Equal
        value: "yes"
        effect: NoExecute
        tolerationSeconds: 300
      - key: example.com/spot
        operator: Exists
    priorityClassName: agents
    nodeLabels:
      example.com/pool: agents
  imagePullSecrets: [registry]
`;

const SEAT_SMALL = `apiVersion: steadmesh.io/v1alpha1
kind: Seat
metadata:
  name: scribe
spec:
  organization: acme
  harness:
    adapter: claude-code
`;

const SEAT_WITHOUT_TIER = `apiVersion: steadmesh.io/v1alpha1
kind: Seat
metadata: {name: auditor, labels: {a: b}}
spec:
  organization: acme
  sandbox:
    runtimeClassName: gvisor
  harness: {adapter: x, image: "r/x:1", env: []}
  workspace: {adoptClaim: old, storageClassName: ""}
  session: {ttl: 90s}
`;

const SEAT_KYAML = `---
{
  apiVersion: "steadmesh.io/v1alpha1",
  kind: "Seat",
  metadata: {
    name: "reviewer",
  },
  spec: {
    organization: "acme",
    # the team's own tier
    tierRef: { name: "tier-1-microvm" },
    workload: "StatefulSet",
    harness: {
      adapter: "claude-code",
      image: "r/x@sha256:${DIGEST}",
    },
    scheduling: {
      tolerations: [
        {
          operator: "Exists",
        },
      ],
    },
  },
}
`;

const TIER_GVISOR = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata:
  name: tier-0-gvisor
spec:
  runtimeClassName: gvisor
  isolation: gvisor
  jurisdiction: EU-DE
  egress: gateway-only
  allowedNodeLabels:
    topology.kubernetes.io/region: eu-central-1
  defaultResources:
    requests:
      cpu: 250m
      memory: 512Mi
    limits:
      cpu: "1"
      memory: 1Gi
  maxSessionTTL: 8h
`;

const TIER_ALL = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata:
  name: tier-1-microvm
spec:
  runtimeClassName: kata-fc
  isolation: microvm
  jurisdiction: EU-DE
  egress: deny-all
  attestationRequired: false
  allowedProviderTools: [web_search]
  sandboxTemplateName: coder-microvm
  warmPoolSize: 2
  warmPoolNamespaces:
  - team-a
  allowedNodeLabels:
    topology.kubernetes.io/region: eu-central-1
  defaultResources:
    claims:
    - name: gpu
      request: one
    - name: fpga
    limits:
      cpu: 2
      memory: 4Gi
  maxSessionTTL: 4h
`;

const TIER_STATUS = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata: { name: tier-2 }
spec: { runtimeClassName: kata-qemu-snp, isolation: confidential, attestationRequired: true }
status:
  warmPoolReady: 1
  observedGeneration: 3
  conditions:
    - { type: Ready, status: "True", reason: Done, message: "", lastTransitionTime: "2030-01-01T00:00:00Z" }
`;

const seat = (text: string): Sample => ({ kind: 'Seat', text });
const tier = (text: string): Sample => ({ kind: 'TrustTier', text });

export const CORPUS: readonly Sample[] = [
  seat(SEAT_ALL),
  seat(SEAT_SMALL),
  seat(SEAT_WITHOUT_TIER),
  seat(SEAT_KYAML),
  tier(TIER_GVISOR),
  tier(TIER_ALL),
  tier(TIER_STATUS),
];

/** How often each is taken: the one with every field most. */
export const WEIGHTED: readonly Sample[] = [
  ...CORPUS,
  ...Array<Sample>(8).fill(CORPUS[0]!),
  CORPUS[5]!,
  CORPUS[5]!,
  CORPUS[1]!,
];
