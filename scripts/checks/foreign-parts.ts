import { parseSync } from 'oxc-parser';
import type { Finding } from './finding.ts';
import { isNode, lineOf, type Node, visit } from './source-file.ts';

/** Tests and their support stay outside: they may replace a part to see what happens then. */
const held = /^packages\/[^/]+\/src\/.+\.tsx?$/;

interface Exception {
  file: string;
  /** The beginnings of the names that are found. */
  names: readonly string[];
  reason: string;
}

const lookAt = 'docs/adr/0042-what-libraries-do-not-promise.md';

/** Each stands in the ADR with its reason, and unpromised-behaviour.test.ts holds what the first three rely on. */
export const exceptions: readonly Exception[] = [
  {
    file: 'packages/server/src/agents/store/graph-store.ts',
    names: ['AsyncBatchedStore.prototype', 'DirectStore.prototype', 'BaseStore.prototype'],
    reason: 'LangGraph offers no way around the queue of a store, and a missing method fails at load',
  },
  {
    file: 'packages/server/src/agents/subagents/run-subagent.ts',
    names: ['__pregel_abort_signals'],
    reason: 'a graph inside a tool has no other way to a signal of its own',
  },
  {
    file: 'packages/server/src/agents/tools/ask-human.ts',
    names: ['__pregel_scratchpad'],
    reason: 'only `interrupt` gives an answer, and it stops the run when there is none',
  },
  {
    file: 'packages/server/src/agents/loading/sdk-logger.ts',
    names: ['globalThis'],
    reason: "LangGraph's SDK looks for the logger of its server there, and nowhere else",
  },
  {
    file: 'packages/server/src/agents/own-code/own-code.ts',
    names: ['globalThis'],
    reason: "LangGraph's SDK looks there, and nowhere else, for the server that runs it",
  },
  {
    file: 'packages/server/src/agents/langchain.ts',
    names: ['EventEmitter.defaultMaxListeners'],
    reason: 'a setting that Node documents',
  },
];

/** Fields of data that is sent or stored: of a node of ComfyUI's graph, and of the values of a waiting run. */
const dataFields = ['_meta', '__value__', '__interrupt__'];
const globals = ['globalThis', 'global', 'crypto', 'console', 'process', 'Reflect', 'JSON', 'Math'];
/** What a program may set of its own process. The linter says where the environment may be read. */
const ownSettings = /^process\.(exitCode|title|env\.[^.]+)$/;
const definers = ['Object.assign', 'Object.defineProperty', 'Object.defineProperties', 'Reflect.set'];

/**
 * Finds private members of libraries, and globals, prototypes and parts of modules that are replaced. Our own classes have
 * `#names`, so a member whose name begins with an underscore belongs to other people's code.
 */
export function findForeignParts(path: string, text: string): Finding[] {
  if (!held.test(path) || path.includes('.test.')) return [];
  const { program } = parseSync(path, text);
  const shared = sharedNames(program);
  const findings: Finding[] = [];
  visit(program, (node) => {
    const [kind, name] = privateMember(node) ?? replacedPart(node, shared) ?? takenPrototype(node) ?? [];
    if (kind === undefined || name === undefined || isExcepted(path, name)) return;
    findings.push({
      file: path,
      line: lineOf(text, node.start),
      rule: 'no-foreign-parts',
      found: `${kind} ${name}`,
      fix: `use what the library offers in public; what has no other way needs an exception here and a line in ${lookAt}`,
    });
  });
  return findings;
}

/** Returns the exceptions that no file needs any more. */
export function findUnusedExceptions(textOf: (path: string) => string | null): Finding[] {
  return exceptions.flatMap(({ file, names }) =>
    names
      .filter((name) => !textOf(file)?.includes(name))
      .map((name) => ({
        file: 'scripts/checks/foreign-parts.ts',
        line: 0,
        rule: 'no-foreign-parts',
        found: `an exception for ${name} in ${file}, which has no such thing`,
        fix: 'remove the exception',
      })),
  );
}

type Found = [kind: string, name: string];

function privateMember(node: Node): Found | undefined {
  if (node.type === 'MemberExpression') return privateName(node.property, node.computed === true);
  if (node.type === 'ObjectPattern') {
    const keys = (node.properties as Node[]).map(({ key, computed }) => privateName(key, computed === true));
    return keys.find((name) => name !== undefined);
  }
  if (node.type !== 'Property') return undefined;
  // In an object of ours only the keys of LangGraph's own settings reach into a library.
  return keyName(node.key, node.computed === true)?.startsWith('__pregel_')
    ? privateName(node.key, false)
    : undefined;
}

/** `lc_kwargs`, `lc_source` and the like are public fields and data; the ADR lists those that we read. */
function privateName(key: unknown, isComputed: boolean): Found | undefined {
  const name = keyName(key, isComputed);
  if (!name?.startsWith('_') || dataFields.includes(name)) return undefined;
  return ['the private member', name];
}

function replacedPart(node: Node, shared: ReadonlySet<string>): Found | undefined {
  if (node.type === 'AssignmentExpression' && isNode(node.left) && node.left.type === 'MemberExpression') {
    return isShared(node.left.object, shared) && !ownSettings.test(pathOf(node.left))
      ? ['a replaced part:', pathOf(node.left)]
      : undefined;
  }
  if (node.type !== 'CallExpression' || !definers.includes(pathOf(node.callee))) return undefined;
  const [target] = Array.isArray(node.arguments) ? node.arguments : [];
  return isShared(target, shared) ? ['a replaced part of', pathOf(target)] : undefined;
}

/** `Object.prototype` is compared with. Code that holds another prototype can replace its methods. */
function takenPrototype(node: Node): Found | undefined {
  if (node.type !== 'MemberExpression' || keyName(node.property, node.computed === true) !== 'prototype')
    return undefined;
  const name = pathOf(node);
  return name === 'Object.prototype' ? undefined : ['the prototype', name];
}

/** Names for globals, for what is imported from packages, and for parts of these. */
function sharedNames(program: unknown): ReadonlySet<string> {
  const names = new Set(globals);
  visit(program, (node) => {
    if (node.type === 'ImportDeclaration' && !/^[.]|^@switchyard/.test(sourceOf(node))) {
      for (const { local } of node.specifiers as { local: Node }[]) names.add(String(local.name));
    }
    const [name, value] = aliasIn(node);
    if (name !== undefined && isPartOf(value, names)) names.add(name);
  });
  return names;
}

/** `const queue = Store.prototype` and `(web = globalThis.crypto) => …` give a shared thing another name. */
function aliasIn({ type, id, init, left, right }: Node): [string | undefined, unknown] {
  if (type === 'VariableDeclarator') return [nameOf(id), init];
  if (type === 'AssignmentPattern') return [nameOf(left), right];
  return [undefined, undefined];
}

/** A member of a shared name. A call makes a new thing, which may be changed. */
function isPartOf(node: unknown, names: ReadonlySet<string>): boolean {
  const inner = unwrapped(node);
  return (
    inner?.type === 'MemberExpression' &&
    isShared(inner, names) &&
    /prototype$|^globalThis/.test(pathOf(inner))
  );
}

function isShared(node: unknown, names: ReadonlySet<string>): boolean {
  const path = pathOf(node);
  const [root = ''] = path.split('.');
  return names.has(root) || path.endsWith('.prototype');
}

/** Returns `a.b.c`; a computed member without a constant name is `*`. */
function pathOf(node: unknown): string {
  const inner = unwrapped(node);
  if (!inner) return '';
  if (inner.type !== 'MemberExpression') return nameOf(inner) ?? '';
  return `${pathOf(inner.object)}.${keyName(inner.property, inner.computed === true) ?? '*'}`;
}

/** Leaves out `as`, `!` and parentheses. */
function unwrapped(node: unknown): Node | undefined {
  if (!isNode(node)) return undefined;
  return /^(TS.*Expression|ParenthesizedExpression|ChainExpression)$/.test(node.type)
    ? unwrapped(node.expression)
    : node;
}

function keyName(key: unknown, isComputed: boolean): string | undefined {
  if (!isNode(key)) return undefined;
  if (key.type === 'Literal') return typeof key.value === 'string' ? key.value : undefined;
  return isComputed || key.type !== 'Identifier' ? undefined : nameOf(key);
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined;
}

function sourceOf({ source }: Node): string {
  return String((source as { value?: unknown }).value);
}

function isExcepted(path: string, name: string): boolean {
  return exceptions.some(({ file, names }) => file === path && names.some((known) => name.startsWith(known)));
}
