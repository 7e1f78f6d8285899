import { readFileSync, statSync } from 'node:fs';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml';
import { type ConfigFault, type Source, unknownKey } from './faults.ts';
import { child, isSection, rootSection, type SettingsSection } from './keys.ts';
import type { Entry } from './resolve.ts';

/** People write configurations by hand. A larger file was given by mistake. */
const maxFileBytes = 1024 * 1024;

type Place = (offset?: number) => Source;

interface FileContents {
  entries: Entry[];
  faults: ConfigFault[];
}

/** Reads the file at `path`. Faults call it `name`. */
export function readConfigFile(path: string, name: string): FileContents {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > maxFileBytes) throw new Error(`has ${size} bytes; a configuration may have ${maxFileBytes}`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const source: Source = { kind: 'file', file: name, line: 1, column: 1 };
    return { entries: [], faults: [{ key: null, source, message: `cannot be read: ${reasonOf(error)}` }] };
  }
  return parseConfig(text, name);
}

/** Returns every value with its position. Unknown keys are faults. Whether a value fits its key is checked later. */
export function parseConfig(text: string, file: string): FileContents {
  const lines = new LineCounter();
  // Pretty errors would quote the line, which may hold a secret.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    logLevel: 'error',
  });
  const place = (offset = 0): Source => {
    const { line, col } = lines.linePos(offset);
    return { kind: 'file', file, line, column: col };
  };
  const faults = [...document.errors, ...document.warnings].map((error) => yamlFault(error, place));
  // After a syntax error the tree is a guess, and further faults would mislead.
  const isBroken = document.errors.some(({ code }) => code !== 'DUPLICATE_KEY');
  if (isBroken || !document.contents) return { entries: [], faults };
  const walker = new Walker(document, place);
  walker.section(document.contents, rootSection, '');
  return { entries: walker.entries, faults: [...faults, ...walker.faults] };
}

/** Walks the document along the schema, so the schema limits the depth. */
class Walker {
  readonly entries: Entry[] = [];
  readonly faults: ConfigFault[] = [];
  readonly #document: Document;
  readonly #place: Place;

  constructor(document: Document, place: Place) {
    this.#document = document;
    this.#place = place;
  }

  section(written: Node, section: SettingsSection, key: string): void {
    const node = this.#target(written);
    if (isMap(node)) {
      for (const pair of node.items) this.#pair(pair, section, key);
    } else if (!isScalar(node) || node.value !== null) {
      const message = `must hold keys: ${Object.keys(section.properties).join(', ')}`;
      this.faults.push({ key: key || null, source: this.#place(written.range?.[0]), message });
    }
  }

  #pair({ key: written, value }: Pair, section: SettingsSection, parent: string): void {
    if (!isScalar(written)) return;
    const name = String(written.value);
    const key = parent ? `${parent}.${name}` : name;
    const known = child(section, name);
    if (!known) {
      this.faults.push(unknownKey(key, Object.keys(section.properties), this.#place(written.range?.[0])));
    } else if (isNode(value)) {
      if (isSection(known)) this.section(value, known, key);
      else this.#value(value, key);
    }
  }

  #value(written: Node, key: string): void {
    const node = this.#target(written);
    const source = this.#place(written.range?.[0]);
    if (isAlias(node)) {
      this.faults.push({ key, source, message: `refers to "*${node.source}", which stands nowhere above` });
      return;
    }
    const entry: Entry = {
      key,
      source,
      data: node.toJS(this.#document, { maxAliasCount: 100 }),
      isText: false,
    };
    if (isSeq(node))
      entry.items = node.items.map((item) => (isNode(item) ? this.#place(item.range?.[0]) : source));
    this.entries.push(entry);
  }

  #target(node: Node): Node {
    return (isAlias(node) && node.resolve(this.#document)) || node;
  }
}

function yamlFault(error: YAMLError, place: Place): ConfigFault {
  const isDuplicate = error.code === 'DUPLICATE_KEY';
  const message = isDuplicate ? 'the same key stands here a second time' : `not valid YAML: ${error.message}`;
  return { key: null, source: place(error.pos[0]), message };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES') return 'permission denied';
  return error instanceof Error ? error.message : String(error);
}
