// Findings as SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0), the format of code scanning services.

import { forTerminal } from '../escape';
import { CODES, type Code, type Finding, type Severity } from '../finding';
import { kindOf } from '../finding-kind';
import { toJson } from './json';
import { nameOf } from './text';

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };
const RULES = Object.keys(CODES) as Code[];

export function sarifOf(findings: readonly Finding[], version: string): string {
  return toJson({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'seatplan', semanticVersion: version, rules: RULES.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        results: findings.map(resultOf),
      },
    ],
  });
}

function ruleOf(code: Code): object {
  const page = `docs/findings.md#${code.toLowerCase()}`;
  return {
    id: code,
    shortDescription: { text: sentenceOf(code) },
    // `helpUri` must be absolute, and only whoever publishes the docs knows where they stand.
    help: { text: `See ${page}`, markdown: `See [${page}](${page})` },
    defaultConfiguration: { level: LEVELS[CODES[code]] },
    properties: { kind: kindOf(code) },
  };
}

/** `UNKNOWN_TIER` as `Unknown tier`. */
const sentenceOf = (code: Code): string => code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' ');

function resultOf(finding: Finding): object {
  const { code, severity, message } = finding;
  const location = locationOf(finding);
  return {
    ruleId: code,
    ruleIndex: RULES.indexOf(code),
    level: LEVELS[severity],
    message: { text: forTerminal(message) },
    ...(location ? { locations: [location] } : {}),
  };
}

function locationOf({ file, line, column, resource, path }: Finding): object | undefined {
  const name = [resource && nameOf(resource), path].filter((part) => part).join(' ');
  if (file === undefined && !name) return undefined;
  const region =
    line === undefined ? {} : { region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } };
  return {
    ...(file === undefined ? {} : { physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } }),
    ...(name ? { logicalLocations: [{ fullyQualifiedName: forTerminal(name), kind: 'resource' }] } : {}),
  };
}

/** A path as a URI reference: absolute paths as `file:`, and no colon that would read as a scheme. */
function uriOf(file: string): string {
  const encoded = file
    .replace(/\p{Cs}/gu, '\uFFFD')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  return file.startsWith('/') ? `file://${encoded}` : encoded;
}
