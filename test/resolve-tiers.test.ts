// What a seat and its tier owe each other: one case for each rule.
import { noTier, RUNSC, runtimeClass, SEAT, seats, table, without } from './resolve-table';
import { seatWith, tierWith } from './seats';

table('tiers', {
  'a seat and a tier without a fault bring no finding': { findings: [] },
  'a seat must name its tier': { declared: seats(seatWith(noTier())), findings: ['TIER_REQUIRED spec.tierRef'] },
  'a seat may do without a tier where the options say so': { ...without(), findings: [] },
  'a tier that nobody declared is unknown': {
    seat: { tierRef: { name: 'tier-9' } },
    findings: ['UNKNOWN_TIER spec.tierRef.name'],
  },
  'a tier with errors of its own is not called unknown': {
    seat: { tierRef: { name: 'broken' } },
    declared: { brokenTiers: new Set(['broken']) },
    findings: [],
  },
  'two tiers of one name are both told': {
    declared: { tiers: [tierWith(), tierWith()] },
    findings: ['DUPLICATE_TIER metadata.name', 'DUPLICATE_TIER metadata.name'],
  },
  'a tier name longer than a label value is refused': {
    seat: { tierRef: { name: 't'.repeat(64) } },
    declared: { tiers: [tierWith({}, 't'.repeat(64))] },
    findings: ['NAME_TOO_LONG metadata.name'],
  },
  'a jurisdiction that is no label value is refused': {
    tier: { jurisdiction: 'EU/DE', allowedNodeLabels: { region: 'x' } },
    findings: ['INVALID_LABEL_VALUE spec.jurisdiction'],
  },
  'a node label that no node can have is refused': {
    tier: { allowedNodeLabels: { region: 'eu central' } },
    findings: ['INVALID_LABEL_VALUE spec.allowedNodeLabels.region'],
  },
  'a runtime class name that the API would refuse is refused': {
    tier: { runtimeClassName: 'G Visor' },
    findings: ['INVALID_VALUE spec.runtimeClassName', 'RUNTIME_NOT_IN_PACKAGE spec.runtimeClassName'],
  },
  'an unused tier of the platform concerns nobody': {
    declared: {
      tiers: [
        tierWith(),
        { ...tierWith({ jurisdiction: 'a/b' }, 'other'), item: { ...tierWith({}, 'other').item, level: 'platform' } },
      ],
    },
    findings: [],
  },
  'an unused tier of the package is checked': {
    declared: { tiers: [tierWith(), tierWith({ jurisdiction: 'EU' }, 'other')] },
    findings: ['JURISDICTION_NOT_SCHEDULED spec.jurisdiction'],
  },
});

table('tier access', {
  'no list admits everyone': { findings: [] },
  'a seat must match an entry': {
    options: { tierAccess: [{ namespaces: ['other'] }, { organizations: ['other'] }, { tiers: ['other'] }] },
    findings: ['TIER_NOT_ALLOWED spec.tierRef.name'],
  },
  'an entry matches as a whole, not in parts': {
    options: { tierAccess: [{ namespaces: ['seats'], organizations: ['other'] }] },
    findings: ['TIER_NOT_ALLOWED spec.tierRef.name'],
  },
  'a list that an entry leaves out admits any': { options: { tierAccess: [{ tiers: ['tier-0'] }] }, findings: [] },
  'an empty list admits none': {
    options: { tierAccess: [{ tiers: [] }] },
    findings: ['TIER_NOT_ALLOWED spec.tierRef.name'],
  },
  'a seat without a tier matches no list of tiers': {
    ...without(),
    options: { requireTier: false, tierAccess: [{ tiers: ['tier-0'] }] },
    findings: ['TIER_NOT_ALLOWED spec.tierRef'],
  },
});

table('isolation', {
  'a runtime class that is not here is an info, once for all seats': {
    related: [],
    declared: seats(seatWith(SEAT, 'a'), seatWith(SEAT, 'b')),
    findings: ['RUNTIME_NOT_IN_PACKAGE spec.runtimeClassName'],
  },
  'a handler that gives less is refused': {
    related: [runtimeClass('runc')],
    findings: ['RUNTIME_DOES_NOT_PROVIDE spec.isolation'],
  },
  'an annotation can say what an unknown handler provides': {
    related: [runtimeClass('custom', 'gvisor', 'microvm, gvisor')],
    findings: [],
  },
  'two classes of one name must both provide it': {
    related: [RUNSC, runtimeClass('runc')],
    findings: ['RUNTIME_DOES_NOT_PROVIDE spec.isolation'],
  },
  'kata and firecracker are micro VMs': {
    tier: { isolation: 'microvm' },
    related: [runtimeClass('kata-fc')],
    findings: [],
  },
  'kata alone is not confidential': {
    tier: { isolation: 'confidential' },
    related: [runtimeClass('kata-qemu')],
    findings: ['RUNTIME_DOES_NOT_PROVIDE spec.isolation'],
  },
  'SNP, TDX and CoCo handlers are confidential': {
    tier: { isolation: 'confidential' },
    related: ['kata-qemu-snp', 'kata-qemu-tdx', 'kata-qemu-coco-dev'].map((handler) => runtimeClass(handler)),
    findings: [],
  },
  'a required isolation must be the tier’s': {
    seat: { requires: { isolation: ['gvisor', 'microvm'] } },
    findings: ['ISOLATION_NOT_PROVIDED spec.requires.isolation[1]'],
  },
  'a confidential tier offers micro VMs too': {
    tier: { isolation: 'confidential' },
    related: [runtimeClass('kata-qemu-snp')],
    seat: { requires: { isolation: ['microvm', 'confidential'] } },
    findings: [],
  },
  'without a tier the package’s runtime class may provide it': {
    ...without({ sandbox: { runtimeClassName: 'gvisor' }, requires: { isolation: ['gvisor'] } }),
    findings: [],
  },
  'without a tier an unknown runtime class provides nothing': {
    ...without({ sandbox: { runtimeClassName: 'gvisor' }, requires: { isolation: ['gvisor'] } }, []),
    findings: ['ISOLATION_NOT_PROVIDED spec.requires.isolation[0]'],
  },
  'without tier and runtime class nothing is provided': {
    ...without({ requires: { isolation: ['gvisor'], jurisdiction: 'EU', attestation: true } }),
    findings: [
      'ISOLATION_NOT_PROVIDED spec.requires.isolation[0]',
      'JURISDICTION_MISMATCH spec.requires.jurisdiction',
      'ATTESTATION_NOT_PROVIDED spec.requires.attestation',
    ],
  },
});

const EU = { jurisdiction: 'EU-DE', allowedNodeLabels: { region: 'eu' } };
table('jurisdiction and attestation', {
  'a required jurisdiction must be the tier’s': {
    tier: EU,
    seat: { requires: { jurisdiction: 'EU-FR' } },
    findings: ['JURISDICTION_MISMATCH spec.requires.jurisdiction'],
  },
  'the same jurisdiction fits': { tier: EU, seat: { requires: { jurisdiction: 'EU-DE' } }, findings: [] },
  'a jurisdiction without nodes is only a promise': {
    tier: { jurisdiction: 'EU-DE' },
    findings: ['JURISDICTION_NOT_SCHEDULED spec.jurisdiction'],
  },
  'attestation needs confidential machines': {
    tier: { attestationRequired: true },
    findings: ['ATTESTATION_NEEDS_CONFIDENTIAL spec.attestationRequired'],
  },
  'a seat that requires attestation needs a tier that does': {
    seat: { requires: { attestation: true } },
    findings: ['ATTESTATION_NOT_PROVIDED spec.requires.attestation'],
  },
});
