import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StateGraph } from '@langchain/langgraph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAgent } from './load-agent.ts';
import { AgentModules } from './load-agent-modules.ts';

const packages = fileURLToPath(new URL('../../../../../node_modules', import.meta.url));
const modules = new AgentModules();
// The test runner formats stacks without what tsx has compiled; Node's own formatting knows it.
const { prepareStackTrace } = Error;
let cwd = '';

beforeAll(() => {
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  cwd = mkdtempSync(join(tmpdir(), 'agents-'));
  symlinkSync(packages, join(cwd, 'node_modules'));
  write('package.json', '{ "type": "module" }');
  write('src/words.ts', "export enum Word { Hello = 'hello' }\n");
  write(
    'src/agent.ts',
    `import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { Word } from './words.js';

const builder = new StateGraph(MessagesAnnotation)
  .addNode('answer', (): object => ({ messages: [{ role: 'ai', content: Word.Hello }] }))
  .addEdge('__start__', 'answer');
export const uncompiled = builder;
export const graph = builder.compile();
export const promised = Promise.resolve(builder);
export const factory = async ({ configurable }: { configurable?: { word?: string } }) =>
  new StateGraph(MessagesAnnotation)
    .addNode('answer', () => ({ messages: [{ role: 'ai', content: configurable?.word ?? 'none' }] }))
    .addEdge('__start__', 'answer');
export const number = 3;
export const impatient = () => {
  throw new Error('no key given');
};
export { StateGraph };
`,
  );
  write('src/broken.ts', "import { StateGraph } from '@langchain/langgraph';\n\nconst x: = 3;\n");
  write(
    'src/throwing.ts',
    `interface Key { name: string }

function connect(): Key {
  throw new Error('no key given');
}
export const graph = connect();
`,
  );
  write(
    'src/lacking.ts',
    "export const a = 1;\nimport { b } from 'no-such-package';\nexport const graph = b;\n",
  );
  write('src/untyped.mjs', "import { graph } from './agent.ts';\nexport default graph;\n");
  write('common/package.json', '{}');
  write('common/agent.ts', "import { graph } from './inner';\nexport { graph };\n");
  write(
    'common/inner.ts',
    `import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', () => ({ messages: [{ role: 'ai', content: 'common' }] }))
  .addEdge('__start__', 'answer');
`,
  );
});

afterAll(() => {
  Error.prepareStackTrace = prepareStackTrace;
  rmSync(cwd, { recursive: true });
});

describe('loading an agent', () => {
  it.each(['graph', 'uncompiled', 'promised'])('takes a graph exported as %s', async (exportName) => {
    const make = await load('src/agent.ts', exportName);

    expect(await lastWords(make)).toBe('hello');
  });

  it('calls a factory with the config of each use', async () => {
    const make = await load('src/agent.ts', 'factory');

    expect(await lastWords(make, { configurable: { word: 'first' } })).toBe('first');
    expect(await lastWords(make, { configurable: { word: 'second' } })).toBe('second');
  });

  it("accepts what langchain's createAgent makes", async () => {
    write(
      'src/react.ts',
      `import { createAgent, fakeModel } from 'langchain';
import { AIMessage } from '@langchain/core/messages';
const model = fakeModel().respond(new AIMessage('made by createAgent'));
export const agent = createAgent({ model, tools: [] });
`,
    );
    const make = await load('src/react.ts', 'agent');

    expect(await lastWords(make)).toBe('made by createAgent');
  });

  it('accepts a package without "type": "module", and imports without extensions', async () => {
    expect(await lastWords(await load('common/agent.ts', 'graph'))).toBe('common');
  });

  it('accepts JavaScript, and a default export', async () => {
    expect(await lastWords(await load('src/untyped.mjs', 'default'))).toBe('hello');
  });

  it('shares the one copy of LangGraph with the gateway', async () => {
    const imported = await modules.import(join(cwd, 'src/agent.ts'));

    expect(imported.StateGraph).toBe(StateGraph);
  });

  it('reads a changed file and its imports again after a renewal', async () => {
    const own = new AgentModules();
    write('live/word.ts', "export const word: string = 'before';\n");
    write('live/agent.ts', agentThatSays("import { word } from './word.js';", 'word'));
    const loadLive = async () =>
      loadAgent({ file: join(cwd, 'live/agent.ts'), exportName: 'graph', cwd }, own);
    const before = await loadLive();
    write('live/word.ts', "export const word: string = 'after';\n");

    expect(await lastWords(await loadLive())).toBe('before');
    own.renew();
    expect(await lastWords(await loadLive())).toBe('after');
    expect(await lastWords(before)).toBe('before');
  });
});

describe('a faulty agent', () => {
  it('names file and line of broken syntax', async () => {
    await expect(load('src/broken.ts', 'graph')).rejects.toMatchObject({
      name: 'AgentFault',
      file: 'src/broken.ts',
      line: 3,
      message: 'src/broken.ts:3: Unexpected "="',
    });
  });

  it('names file and line of what its code threw', async () => {
    await expect(load('src/throwing.ts', 'graph')).rejects.toMatchObject({
      message: 'src/throwing.ts:4: no key given',
    });
  });

  it('names file and line of a missing import', async () => {
    await expect(load('src/lacking.ts', 'graph')).rejects.toMatchObject({
      message: "src/lacking.ts:2: Cannot find package 'no-such-package'",
    });
  });

  it('names the existing exports when the requested one is not among them', async () => {
    await expect(load('src/words.ts', 'graph')).rejects.toThrow(
      'src/words.ts: has no export named `graph`; it exports Word',
    );
  });

  it('says what it found instead of a graph', async () => {
    await expect(load('src/agent.ts', 'number')).rejects.toThrow(
      'src/agent.ts:14: `number` is a number; export a graph',
    );
  });

  it('says where its factory threw an error', async () => {
    const make = await load('src/agent.ts', 'impatient');

    await expect(make({}, user)).rejects.toMatchObject({ file: 'src/agent.ts', line: 16 });
  });

  it.each([
    ['src/nowhere.ts', 'src/nowhere.ts: there is no such file'],
    ['src/agent.py', 'src/agent.py: only TypeScript and JavaScript can be loaded'],
  ])('refuses %s', async (file, message) => {
    await expect(load(file, 'graph')).rejects.toThrow(message);
  });

  it('never shows the path of its file on the host', async () => {
    const error = await load('src/lacking.ts', 'graph').catch((thrown: Error) => thrown);

    expect((error as Error).message).not.toContain(cwd);
  });
});

const user = {
  userId: 'ada',
  runtime: { accessContext: 'threads.read', executionRuntime: null } as const,
};

type Factory = Awaited<ReturnType<typeof loadAgent>>;

function load(file: string, exportName: string): Promise<Factory> {
  return loadAgent({ file: join(cwd, file), exportName, cwd }, modules);
}

async function lastWords(make: Factory, config: Parameters<Factory>[0] = {}): Promise<unknown> {
  const graph = await make(config, user);
  const state = await graph.invoke({ messages: [{ role: 'user', content: 'hi' }] });
  return state.messages.at(-1).content;
}

function agentThatSays(imports: string, expression: string): string {
  return `import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
${imports}
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', () => ({ messages: [{ role: 'ai', content: ${expression} }] }))
  .addEdge('__start__', 'answer')
  .compile();
`;
}

function write(path: string, text: string): void {
  const file = join(cwd, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
