// What a package may say beside the platform: only what tightens; and what loosens where no platform decides.
import { type Finding, report } from '../../finding';
import type { Item, Outcome } from '../../model';
import { OPTIONS, type OptionRule, platformURL, type Settings } from '../../options';

export interface Level {
  readonly settings: Settings;
  /** The config item that wrote each setting. */
  readonly written: Readonly<Record<string, Item>>;
  readonly inline: readonly Item[];
}

export const pathOf = (item: Item, key: string): string =>
  item.kind === 'ConfigMap' ? `data["${key}"]` : `spec.${key}`;

/** The package's settings without those that are refused: where it may not speak, the platform's word stands. */
export function refuseLoosening(above: Level, below: Level): Outcome<Settings> {
  const settings: Record<string, unknown> = {};
  const findings: Finding[] = [];
  for (const [key, value] of Object.entries(below.settings)) {
    const rule = OPTIONS[key];
    const item = below.written[key];
    const platform = above.settings[key] ?? (key === 'platformURL' ? platformURL(above.settings) : rule?.default);
    if (!rule || !item || isTighter(rule, platform, value)) {
      settings[key] = value;
      continue;
    }
    const allowed = platform === undefined ? 'does not set it' : `says ${JSON.stringify(platform)}`;
    const message = `a package may only tighten the platform's options, and the platform ${allowed}`;
    findings.push(report('OPTION_NOT_ALLOWED', item, pathOf(item, key), message, { value }));
  }
  return { value: settings, findings };
}

function isTighter({ package: tightening, type }: OptionRule, platform: unknown, value: unknown): boolean {
  if (tightening === 'free' || JSON.stringify(value) === JSON.stringify(platform)) return true;
  if (tightening === 'same') return false;
  const order = typeof type === 'string' ? [false, true] : type;
  const step = order.indexOf(value as never) - order.indexOf(platform as never);
  return tightening === 'up' ? step > 0 : step < 0;
}

export function warnOfLoosening({ settings, written }: Level): Outcome<Settings> {
  const findings = Object.entries(settings)
    .filter(([key, value]) => OPTIONS[key]?.loosens === value && OPTIONS[key]?.loosens !== undefined)
    .flatMap(([key, value]) => {
      const item = written[key];
      const message = `\`${key}: ${value}\` weakens every seat of the package, and no platform level decides it`;
      return item ? [report('OPTION_LOOSENS', item, pathOf(item, key), message, { value })] : [];
    });
  return { value: settings, findings };
}
