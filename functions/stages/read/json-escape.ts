// Escapes of JSON that the API server's YAML parser does not know, so that they depend on which of the two a text is.

/** In the raw text of a quoted scalar: an escaped slash, or a character in two halves. */
export const JSON_ESCAPE = /^(?:[^\\]|\\[^/u]|\\u(?![dD][89abAB]))*\\(?:\/|u[dD][89abAB])/;

export function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
