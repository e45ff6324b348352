// The provider's tools that a seat gets: those that it asks for and that its tier allows.
import { report } from '../../finding';
import type { Located, Outcome, Seat, TrustTier } from '../../model';

const VERSION = /_\d+$/;

/** A canonical name admits its versions, `web_search` also `web_search_20250305`; a versioned entry only itself. */
const admits = (entry: string, tool: string): boolean =>
  entry === tool || (!VERSION.test(entry) && tool.replace(VERSION, '') === entry);

/** undefined when the seat asks for none. Without a tier nothing is removed; in a tier without a list everything is. */
export function resolveProviderTools(
  { object: { spec }, item }: Located<Seat>,
  tier: TrustTier | undefined,
): Outcome<readonly string[] | undefined> {
  const wanted = spec.harness.model?.providerTools;
  if (!wanted?.length) return { value: undefined, findings: [] };
  const allowed = tier ? (tier.spec.allowedProviderTools ?? []) : wanted;
  const isAllowed = (tool: string): boolean => allowed.some((entry) => admits(entry, tool));
  return {
    value: [...new Set(wanted.filter(isAllowed))],
    findings: wanted.flatMap((tool, index) =>
      isAllowed(tool)
        ? []
        : [
            report(
              'PROVIDER_TOOL_REMOVED',
              item,
              `spec.harness.model.providerTools[${index}]`,
              `removed: tier "${tier?.metadata.name}" allows ${allowed.length ? allowed.map((entry) => `"${entry}"`).join(', ') : 'none'}`,
              { value: tool },
            ),
          ],
    ),
  };
}
