// One YAML or JSON document as a value, exactly as the API server reads it. Collects what is wrong with the text, never throws.
import {
  type AliasEvent,
  COLLECTION_STYLE,
  type CollectionStyle,
  EVENT_ID,
  type Event,
  getScalarValue,
  SCALAR_STYLE,
  type ScalarEvent,
} from 'js-yaml';
import { fieldOf } from '../../field-path';
import { AliasBudget } from './alias-budget';
import { type Node, setField } from './decoded-node';
import { isJSON, JSON_ESCAPE } from './json-escape';
import { type ParsedText, parseText } from './parse';
import { keyText, NOT_OF_TAG, resolvePlain, resolveTagged, shortTag } from './scalar';
import { syntaxError } from './syntax';
import { strayTab } from './tabs';
import { Refusal, type TextProblem } from './text-problem';

export type { TextProblem } from './text-problem';

const HALF_A_CHARACTER = /\p{Surrogate}/u;

/** Without problems, `value` holds only JSON (and bigints for whole numbers that a JavaScript number would round). */
export function decode(text: string): { value: unknown; problems: TextProblem[] } {
  try {
    return new Decoder(parseText(text)).document();
  } catch (error) {
    if (error instanceof Refusal) return { value: undefined, problems: [error.problem] };
    return { value: undefined, problems: [{ code: 'INVALID_YAML', ...syntaxError(error) }] };
  }
}

class Decoder {
  private next = 0;
  /** How many brackets are open. */
  private brackets = 0;
  private readonly budget = new AliasBudget();
  private strictJSON: boolean | undefined;
  private readonly anchors = new Map<string, Node | 'open'>();
  private readonly problems: TextProblem[] = [];

  private readonly text: string;
  private readonly events: readonly Event[];

  constructor({ text, events }: ParsedText) {
    this.text = text;
    this.events = events;
  }

  document(): { value: unknown; problems: TextProblem[] } {
    const first = this.events[this.next++];
    if (first?.type !== EVENT_ID.DOCUMENT || this.events[this.next]?.type === EVENT_ID.POP)
      return { value: null, problems: [] };
    const tab = strayTab(this.text, this.events);
    if (tab !== undefined) throw this.refusal('INVALID_YAML', tab, 'a tab must not stand at the beginning of a line');
    const { value } = this.value('');
    return { value, problems: this.problems };
  }

  /** A value; JSON has no infinite numbers, except in the text of a key. */
  private value(path: string): Node {
    const node = this.node(path);
    if (this.isKeyMark(node.start))
      throw this.refusal('INVALID_YAML', node.start, 'a `?` between brackets begins a key; quote the text');
    if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
      throw this.refusal(
        'INVALID_YAML',
        node.start,
        'an infinite number has no place in JSON; quote it if it is a text',
      );
    }
    return node;
  }

  private node(path: string): Node {
    const event = this.events[this.next++]!;
    if (event.type !== EVENT_ID.ALIAS) this.budget.count();
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return this.anchored(event, () => this.scalar(event));
      case EVENT_ID.MAPPING:
        return this.anchored(event, () => this.within(event.style, () => this.mapping(event.start, path)));
      case EVENT_ID.SEQUENCE:
        return this.anchored(event, () => this.within(event.style, () => this.sequence(event.start, path)));
      case EVENT_ID.ALIAS:
        return this.alias(event);
      default:
        throw this.refusal('INVALID_YAML', this.text.length, 'a value is missing');
    }
  }

  private within(style: CollectionStyle, read: () => Node): Node {
    const step = style === COLLECTION_STYLE.FLOW ? 1 : 0;
    this.brackets += step;
    const node = read();
    this.brackets -= step;
    return node;
  }

  private anchored({ anchorStart, anchorEnd }: { anchorStart: number; anchorEnd: number }, read: () => Node): Node {
    if (anchorStart < 0) return read();
    const name = this.text.slice(anchorStart, anchorEnd);
    this.anchors.set(name, 'open');
    const node = read();
    this.anchors.set(name, node);
    return node;
  }

  private alias({ anchorStart, anchorEnd }: AliasEvent): Node {
    const name = this.text.slice(anchorStart, anchorEnd);
    const node = this.anchors.get(name);
    if (node === undefined)
      throw this.refusal('INVALID_YAML', anchorStart, `there is no anchor "${name}" before this alias`);
    if (node === 'open')
      throw this.refusal('INVALID_YAML', anchorStart, `the value of anchor "${name}" must not contain itself`);
    if (!this.budget.spend(node.size)) {
      throw this.refusal(
        'ALIAS_EXPANSION',
        anchorStart,
        'nearly all of the object would come from aliases; write out what they stand for',
      );
    }
    return { ...node, size: node.size + 1, merge: false };
  }

  /** Between brackets the API server's parser takes any `?` for the mark of a key, also without a space behind it. */
  private isKeyMark(start: number): boolean {
    return this.brackets > 0 && this.text[start] === '?';
  }

  private scalar(event: ScalarEvent): Node {
    const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    const start = quoted ? event.valueStart - 1 : event.valueStart;
    const written = getScalarValue(this.text, event);
    const text = this.isKeyMark(start) ? written.slice(1) : written;
    if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && !event.fast) this.checkEscapes(event);
    const tag = event.tagStart < 0 ? '' : this.text.slice(event.tagStart, event.tagEnd);
    const value = tag ? resolveTagged(tag, text) : event.style === SCALAR_STYLE.PLAIN ? resolvePlain(text) : text;
    if (value === NOT_OF_TAG) throw this.refusal('INVALID_YAML', start, `"${text}" is not what its tag ${tag} says`);
    if (typeof value === 'string' && HALF_A_CHARACTER.test(value))
      throw this.refusal('INVALID_YAML', start, 'the text holds half a character (a lone surrogate)');
    const plain = event.style === SCALAR_STYLE.PLAIN && tag === '';
    return { value, size: 1, start, source: text, merge: text === '<<' && (plain || shortTag(tag) === 'merge') };
  }

  private checkEscapes({ valueStart, valueEnd }: ScalarEvent): void {
    if (!JSON_ESCAPE.test(this.text.slice(valueStart, valueEnd))) return;
    this.strictJSON ??= isJSON(this.text);
    if (this.strictJSON) return;
    throw this.refusal(
      'INVALID_YAML',
      valueStart - 1,
      'only JSON knows the escape \\/ and characters in two \\u halves; write the character itself',
    );
  }

  private sequence(start: number, path: string): Node {
    const value: unknown[] = [];
    let size = 1;
    while (this.events[this.next]?.type !== EVENT_ID.POP) {
      const item = this.value(`${path}[${value.length}]`);
      value.push(item.value);
      size += item.size;
    }
    this.next++;
    return { value, size, start, source: '', merge: false };
  }

  private mapping(start: number, path: string): Node {
    const value: Record<string, unknown> = {};
    let size = 1;
    while (this.events[this.next]?.type !== EVENT_ID.POP) {
      const key = this.node(path);
      if (key.merge) {
        size += this.merge(this.node(path), value, path);
        continue;
      }
      const name = keyText(key.value, key.source);
      if (name === undefined)
        throw this.refusal('INVALID_YAML', key.start, 'a key must be a text, a number or a boolean');
      const child = this.value(fieldOf(path, name));
      size += child.size;
      this.put(value, name, child.value, key.start, path);
    }
    this.next++;
    return { value, size, start, source: '', merge: false };
  }

  /** Fields of the merged mappings. A field that is already there is refused, as the API server does in strict mode. */
  private merge(source: Node, target: Record<string, unknown>, path: string): number {
    const mappings = Array.isArray(source.value) ? source.value.toReversed() : [source.value];
    for (const mapping of mappings) {
      if (typeof mapping !== 'object' || mapping === null || Array.isArray(mapping)) {
        throw this.refusal('INVALID_YAML', source.start, 'a merge key takes a mapping or a list of mappings');
      }
      for (const [name, value] of Object.entries(mapping)) this.put(target, name, value, source.start, path);
    }
    return source.size;
  }

  private put(target: Record<string, unknown>, name: string, value: unknown, start: number, path: string): void {
    if (Object.hasOwn(target, name)) {
      const field = fieldOf(path, name);
      this.problems.push({
        ...this.refusal('DUPLICATE_KEY', start, `the key ${JSON.stringify(name)} stands here already`).problem,
        path: field,
      });
    } else {
      setField(target, name, value);
    }
  }

  private refusal(code: TextProblem['code'], offset: number, message: string): Refusal {
    return new Refusal(code, message, this.text, offset);
  }
}
