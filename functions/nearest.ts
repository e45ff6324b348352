// The word that a misspelt one most likely means.

/** The candidate within two edits (one for short words, case counts as none); undefined when none is that near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const limit = word.length < 5 ? 1 : 2;
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = edits(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (!best || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Levenshtein distance; both words are short, since their lengths are near. */
function edits(a: string, b: string): number {
  if (a.length > 100) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...b].entries()) {
      current.push(
        Math.min(
          (current[column] ?? 0) + 1,
          (previous[column + 1] ?? 0) + 1,
          (previous[column] ?? 0) + Number(letter !== other),
        ),
      );
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
