// Repository grants: what the platform is asked to open must be names, not paths through its API.
import type { Repository, SeatSpec } from '../functions/model';
import { table } from './resolve-table';

const grant = (...repositories: Partial<Repository>[]): Partial<SeatSpec> => ({
  access: {
    repositories: repositories.map((one) => ({
      connection: 'forge',
      host: 'forge.example.com',
      repos: ['a/b'],
      ...one,
    })),
  },
});

table('repositories', {
  'names with dots are names': { seat: grant({ repos: ['acme/.github', 'a.b/c..d'] }), findings: [] },
  'names of dots alone are steps in a path': {
    seat: grant({ repos: ['a/b', '../..', './x'] }, { repos: ['a/..'] }),
    findings: [
      'INVALID_VALUE spec.access.repositories[0].repos[1]',
      'INVALID_VALUE spec.access.repositories[0].repos[2]',
      'INVALID_VALUE spec.access.repositories[1].repos[0]',
    ],
  },
  'the host is one name, whoever delivers': {
    seat: grant({ host: 'http://forge.example.com/' }, { host: '*.example.com' }, { host: 'FORGE.example.com' }),
    findings: ['INVALID_HOST spec.access.repositories[0].host', 'INVALID_HOST spec.access.repositories[1].host'],
  },
  'a host is told once where the seat itself goes there': {
    seat: grant({ host: 'a b', delivery: 'sandbox' }),
    options: { egressURL: 'http://egress.steadmesh-system.svc:3128', egressPort: 3128 },
    findings: ['INVALID_HOST spec.access.repositories[0].host'],
  },
});
