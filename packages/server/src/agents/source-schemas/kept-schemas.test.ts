import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SourceProject, sourceProject } from '../../../testing/source-project.ts';
import { KeptSchemas } from './kept-schemas.ts';
import { SourceSchemas } from './source-schemas.ts';

const files = {
  'graph.ts': `import { Annotation, StateGraph } from '@langchain/langgraph';
import type { Topic } from './topic.ts';
export const graph = new StateGraph(Annotation.Root({ topic: Annotation<Topic>() }))
  .addNode('answer', () => ({}))
  .addEdge('__start__', 'answer');`,
  'topic.ts': "export type Topic = 'tea';",
  'tsconfig.json': '{ "extends": "./base.json" }',
  'base.json': '{ "compilerOptions": { "skipLibCheck": true } }',
};

let project: SourceProject;
/** The number of answers of the compiler. */
let answers: number;
beforeEach(() => {
  project = sourceProject({ files, compiler: 'real' });
  answers = 0;
});
afterEach(() => project.remove());

/** The topic of the graph as a process says it that was just started. */
async function topic(version = '1'): Promise<unknown> {
  const onDisk = new KeptSchemas({ folder: project.file('kept'), version });
  const schemas = new SourceSchemas({
    kept: {
      find: (place) => onDisk.find(place),
      keep: (place, answer) => {
        answers += 1;
        return onDisk.keep(place, answer);
      },
    },
    log: { warn: (facts) => expect.unreachable(JSON.stringify(facts)) },
  });
  const graphs = await schemas.of({ file: project.file('graph.ts'), exportName: 'graph' }, 'state');
  schemas.close();
  const state = graphs?.['']?.state as { properties: { topic: unknown } } | undefined;
  return state?.properties.topic;
}

it('a later process has the schemas without the compiler, as long as no source has changed', async () => {
  expect(await topic()).toMatchObject({ const: 'tea' });
  expect(await topic()).toMatchObject({ const: 'tea' });
  expect(answers).toBe(1);
});

it('the compiler is asked again after a change of what the graph imports, or of the options of its project', async () => {
  await topic();
  writeFileSync(project.file('topic.ts'), "export type Topic = 'milk';");
  expect(await topic()).toMatchObject({ const: 'milk' });
  writeFileSync(project.file('base.json'), '{ "compilerOptions": { "skipLibCheck": false } }');
  await topic();
  expect(answers).toBe(3);
});

it('the compiler is asked again by another version of the gateway', async () => {
  await topic('1');
  await topic('2');
  expect(answers).toBe(2);
});
