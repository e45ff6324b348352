// Seats that try to get around their tier, and what they are told.
import { HARNESS, LIMITS, seats, table } from './resolve-table';
import { seatWith } from './seats';

const BROKEN = { tiers: [], brokenTiers: new Set(['tier-0']) };

table('a seat without its tier is told only that', {
  'what it requires is not judged by a tier that is not there': {
    seat: { requires: { isolation: ['gvisor'], jurisdiction: 'EU-DE', attestation: true } },
    declared: { tiers: [] },
    findings: ['UNKNOWN_TIER spec.tierRef.name'],
  },
  'nor where the tier has errors of its own': {
    seat: { requires: { isolation: ['gvisor'] } },
    declared: BROKEN,
    findings: [],
  },
  'nor where the seat names none': {
    declared: seats(
      seatWith({ organization: 'acme', harness: HARNESS, resources: LIMITS, requires: { isolation: ['gvisor'] } }),
    ),
    findings: ['TIER_REQUIRED spec.tierRef'],
  },
  'nor are its tolerations': {
    seat: { scheduling: { tolerations: [{ operator: 'Exists' }] } },
    declared: { tiers: [] },
    findings: ['UNKNOWN_TIER spec.tierRef.name'],
  },
  'nor are its direct rules': {
    seat: { access: { network: [{ cidr: '0.0.0.0/0' }] } },
    declared: { tiers: [] },
    findings: ['UNKNOWN_TIER spec.tierRef.name'],
  },
});
