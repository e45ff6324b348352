// What the decoder builds a value of.

/** A decoded node, and how many values it stands for. `merge`: the scalar is the merge key `<<`. */
export interface Node {
  readonly value: unknown;
  readonly size: number;
  readonly start: number;
  readonly merge: boolean;
  /** Text of a scalar as it stands, else empty. */
  readonly source: string;
}

/** Sets a field of any name; `__proto__` is a name like any other, and never the prototype. */
export function setField(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}
