// Findings as JUnit XML: one test case per object that was checked, failed by its errors; the rest as its output.

import { asLine, forXml } from '../escape';
import { type Finding, isError } from '../finding';
import type { Item } from '../model';
import { lineOf, type Named, nameOf } from './text';

interface Case {
  readonly file: string;
  readonly name: string;
  readonly findings: Finding[];
}

/** `checked` are the objects that stand in the report even when there is nothing to say about them. */
export function junitOf(findings: readonly Finding[], checked: readonly Item[]): string {
  const cases = [...casesOf(findings, checked).values()];
  const failures = cases.filter((one) => one.findings.some(isError)).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="seatplan" ${counts}>`,
    `  <testsuite name="seatplan validate" ${counts}>`,
    ...cases.flatMap(xmlOf),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function casesOf(findings: readonly Finding[], checked: readonly Item[]): Map<string, Case> {
  const cases = new Map<string, Case>();
  const caseOf = (file: string, resource: (Named & Pick<Item, 'apiVersion'>) | undefined): Case => {
    const name = resource ? nameOf(resource) : file || 'seatplan';
    const key = JSON.stringify([file, resource?.apiVersion, name]);
    const one = cases.get(key) ?? { file, name, findings: [] };
    cases.set(key, one);
    return one;
  };
  for (const item of checked) caseOf(item.origin.file ?? '', item);
  for (const finding of findings) caseOf(finding.file ?? '', finding.resource).findings.push(finding);
  return cases;
}

function xmlOf({ file, name, findings }: Case): string[] {
  const open = `    <testcase classname="${forXml(file || 'seatplan')}" name="${forXml(name)}"`;
  if (findings.length === 0) return [`${open}/>`];
  const errors = findings.filter(isError);
  const others = findings.filter((finding) => !isError(finding));
  const [first] = errors;
  return [
    `${open}>`,
    ...(first
      ? [`      <failure type="${first.code}" message="${forXml(first.message)}">${linesOf(errors)}</failure>`]
      : []),
    ...(others.length ? [`      <system-out>${linesOf(others)}</system-out>`] : []),
    '    </testcase>',
  ];
}

const linesOf = (findings: readonly Finding[]): string =>
  findings.map((finding) => asLine(forXml(lineOf(finding, { colours: false })))).join('\n');
