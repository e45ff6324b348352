// What can be wrong with a text, and where.

export interface TextProblem {
  readonly code: 'INVALID_YAML' | 'DUPLICATE_KEY' | 'ALIAS_EXPANSION';
  readonly message: string;
  /** Field path of a repeated key. */
  readonly path?: string;
  /** 1-based place in the text. */
  readonly line: number;
  readonly column: number;
}

/** Ends the decoding: what follows would make no sense. `offset` is where in the text the cause stands. */
export class Refusal extends Error {
  readonly problem: TextProblem;

  constructor(code: TextProblem['code'], message: string, text: string, offset: number) {
    super(message);
    const before = text.slice(0, offset);
    this.problem = { code, message, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
  }
}
