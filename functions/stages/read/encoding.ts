// Bytes to text: UTF-8 only, without a byte order mark. What cannot be read is a finding, never a replacement character.
import { type Finding, report } from '../../finding';

/** Longest input that is read, in bytes: all files of a package together, or one ResourceList. */
export const LARGEST_INPUT = 256 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Text of a file or of stdin (`file` undefined), or the finding that tells why there is none. `before`: how many bytes
 * were read from other files.
 */
export function textOf(bytes: Uint8Array, file: string | undefined, before = 0): string | Finding {
  const place = file === undefined ? {} : { file, index: 0 };
  const name = file === undefined ? 'the input' : 'the file';
  const length = before + bytes.length;
  if (length > LARGEST_INPUT) {
    return report(
      'INPUT_TOO_LARGE',
      undefined,
      '',
      `${before ? 'with the files before it ' : ''}${name} has ${length} bytes; at most ${LARGEST_INPUT} are read`,
      place,
    );
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return report(
      'INVALID_ENCODING',
      undefined,
      '',
      `${name} is not valid UTF-8, the only encoding of Kubernetes YAML`,
      place,
    );
  }
}
