// Field paths in spec form: `spec.files["a.txt"]`, `spec.tools[3].resource`.

const PLAIN = /^[A-Za-z_][\w-]*$/;

/** Path of a member: keys that could be misread stand in brackets, as in JSONPath. */
export const fieldOf = (path: string, key: string): string =>
  PLAIN.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${JSON.stringify(key)}]`;
