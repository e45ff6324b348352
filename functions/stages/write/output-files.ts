// Files in the making: texts by path, where a second text for a path becomes the next document of that file.
export interface OutputFile {
  /** `/` between parts, relative. */
  readonly path: string;
  readonly text: string;
}

export class OutputFiles {
  private readonly files = new Map<string, string>();

  /** `text` is one document, with its end of line. */
  add(path: string, text: string): void {
    const earlier = this.files.get(path);
    this.files.set(path, earlier === undefined ? text : `${earlier}---\n${text}`);
  }

  /** In the order in which their paths came. */
  list(): readonly OutputFile[] {
    return [...this.files].map(([path, text]) => ({ path, text }));
  }
}
