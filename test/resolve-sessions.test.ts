// What a tier leaves of a seat's wishes: provider tools, sessions, workloads.
import type { SeatSpec } from '../functions/model';
import { HARNESS, SEAT, seats, table, without } from './resolve-table';
import { seatWith } from './seats';

const TOOLS = (...providerTools: string[]): Partial<SeatSpec> => ({
  harness: { ...HARNESS, model: { providerTools } },
});
const TOOL = 'PROVIDER_TOOL_REMOVED spec.harness.model.providerTools';
table('provider tools', {
  'a tier without a list allows none': { seat: TOOLS('web_search'), findings: [`${TOOL}[0]`] },
  'a canonical name admits its versions': {
    tier: { allowedProviderTools: ['web_search'] },
    seat: TOOLS('web_search', 'web_search_20250305', 'web_search_beta', 'web'),
    findings: [`${TOOL}[2]`, `${TOOL}[3]`],
  },
  'a versioned entry admits only itself': {
    tier: { allowedProviderTools: ['web_search_20250305'] },
    seat: TOOLS('web_search', 'web_search_20250305', 'web_search_20250305_1'),
    findings: [`${TOOL}[0]`, `${TOOL}[2]`],
  },
  'without a tier nothing is removed': { ...without(TOOLS('web_search')), findings: [] },
});

table('sessions', {
  'a StatefulSet does not end a session: told once at the tier': {
    tier: { maxSessionTTL: '8h' },
    declared: seats(seatWith(SEAT, 'a'), seatWith(SEAT, 'b')),
    findings: ['TTL_NOT_ENFORCED spec.maxSessionTTL'],
  },
  'a seat’s own ttl is told at the seat': {
    seat: { session: { ttl: '1h' } },
    findings: ['TTL_NOT_ENFORCED spec.session.ttl'],
  },
  'a seat’s end is told at the seat': {
    seat: { session: { expiresAt: '2030-01-01T00:00:00Z' } },
    findings: ['TTL_NOT_ENFORCED spec.session.expiresAt'],
  },
  'days are no Go duration': { tier: { maxSessionTTL: '1d' }, findings: ['INVALID_DURATION spec.maxSessionTTL'] },
  'a life of zero is none': { tier: { maxSessionTTL: '0s' }, findings: ['INVALID_DURATION spec.maxSessionTTL'] },
  'a seat may live as long as its tier allows': {
    tier: { maxSessionTTL: '90m' },
    seat: { session: { ttl: '1h30m' } },
    findings: ['TTL_NOT_ENFORCED spec.session.ttl'],
  },
  'a seat cannot outlive its tier’s sessions': {
    tier: { maxSessionTTL: '90m' },
    seat: { session: { ttl: '1h30m1s' } },
    findings: ['SESSION_TTL_EXCEEDS_TIER spec.session.ttl', 'TTL_NOT_ENFORCED spec.session.ttl'],
  },
});

table('workloads', {
  'a Sandbox ends a session': {
    tier: { maxSessionTTL: '8h' },
    seat: { workload: 'Sandbox', session: { ttl: '1h', expiresAt: '2030-01-01T00:00:00Z' } },
    findings: [],
  },
  'a Sandbox does not replace its pod': {
    seat: { workload: 'Sandbox', rollout: 'RollingUpdate' },
    findings: ['UNSUPPORTED_BY_WORKLOAD spec.rollout'],
  },
  'a tier with a sandbox template means a SandboxClaim, whose pod is not the seat’s to say': {
    tier: { sandboxTemplateName: 'coder' },
    seat: { workspace: { size: '1Gi' }, resources: {}, files: {} },
    findings: ['UNSUPPORTED_BY_WORKLOAD spec.workspace'],
  },
  'a tier without one has nothing to claim': {
    seat: { workload: 'SandboxClaim' },
    findings: ['UNSUPPORTED_BY_WORKLOAD spec.workload'],
  },
  'in such a tier a seat may ask for a StatefulSet': {
    tier: { sandboxTemplateName: 'coder', warmPoolSize: 2, warmPoolNamespaces: ['seats'] },
    seat: { workload: 'StatefulSet' },
    findings: ['TEMPLATE_NOT_FOUND spec.sandboxTemplateName'],
  },
  'a warm pool needs a template': { tier: { warmPoolSize: 2 }, findings: ['WARM_POOL_IGNORED spec.warmPoolSize'] },
});
