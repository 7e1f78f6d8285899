import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentModules } from './load-agent-modules.ts';
import { ownAuth } from './own-auth.ts';

let cwd: string;
let remove: () => void;
beforeEach(() => {
  ({ path: cwd, remove } = temporaryFolder());
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
});
afterEach(() => remove());

/** An object that keeps its handlers as the SDK's class does. */
function write(handlers: string): void {
  const file = join(cwd, 'src/auth.ts');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `export const auth = { '~handlerCache': ${handlers} };\nexport const other = {};\n`);
}

function load(target = './src/auth.ts:auth') {
  return ownAuth({ target, cwd, modules: new AgentModules() });
}

const authenticate = "authenticate: () => 'ada'";

describe('the authentication of langgraph.json', () => {
  it.each([
    ['{}', './src/auth.ts:auth', 'src/auth.ts:1: `auth` is a plain object; give it an authenticate handler'],
    ['{}', './src/auth.ts:other', 'src/auth.ts:2: `other` is a plain object; export an Auth of'],
    ['{}', './src/auth.ts:none', 'src/auth.ts: has no export named `none`; it exports auth, other'],
    ['{}', './src/none.ts:auth', 'src/none.ts: there is no such file'],
    [
      `{ ${authenticate}, callbacks: { thread: () => true } }`,
      './src/auth.ts:auth',
      "no event 'thread' for on(); do you mean 'threads'?",
    ],
    [
      `{ ${authenticate}, callbacks: { threads: 5 } }`,
      './src/auth.ts:auth',
      "give on('threads', …) a function",
    ],
  ])('says what is wrong with %s at %s', async (handlers, target, message) => {
    write(handlers);

    expect((await load(target).fault())?.message).toContain(message);
  });

  it('asks the most particular handler of an event, and no other', async () => {
    const named = (keys: string[]) =>
      `{ ${authenticate}, callbacks: { ${keys.map((key) => `'${key}': () => '${key}'`).join(', ')} } }`;
    const all = ['threads:read', 'threads', '*:read', '*'];
    const asked: unknown[] = [];
    for (let from = 0; from <= all.length; from += 1) {
      write(named(all.slice(from)));
      const { on } = await load().value();
      asked.push(on('threads:read')?.({} as never));
    }
    expect(asked).toEqual([...all, undefined]);
  });

  it('is loaded again after a fault, and when it is forgotten because its file has changed', async () => {
    const modules = new AgentModules();
    write('{}');
    const auth = ownAuth({ target: './src/auth.ts:auth', cwd, modules });
    expect(await auth.fault()).not.toBeNull();

    write(`{ ${authenticate} }`);
    const { authenticate: first } = await auth.value();
    expect(first({} as Request)).toBe('ada');

    write("{ authenticate: () => 'bob' }");
    expect((await auth.value()).authenticate({} as Request)).toBe('ada');
    modules.renew();
    auth.forget();
    expect((await auth.value()).authenticate({} as Request)).toBe('bob');
  });
});
