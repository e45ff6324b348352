// Writes a decoded value as JSON.

/** As JSON.stringify, and whole numbers that a JavaScript number would round keep all their digits. */
export function toJSON(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(toJSON).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  return `{${Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${toJSON(member)}`)
    .join(',')}}`;
}
