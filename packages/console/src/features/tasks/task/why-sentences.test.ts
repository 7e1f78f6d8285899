import type { TaskWhy } from '@switchyard/contract/dispatch/task-why';
import { expect, it } from 'vitest';
import { reasonSentences } from '../../../kit/obstacles/obstacle-sentences.ts';
import { helpSentences, whySentences } from './why-sentences.ts';

type Outlook = TaskWhy['instances'][number];
type Code = Outlook['reasons'][number]['code'];

const reason = (code: Code, more: Partial<Outlook['reasons'][number]> = {}) => ({
  code,
  message: `The gateway says ${code}.`,
  until: null,
  missing: [],
  pause: null,
  ...more,
});
const outlook = (instanceId: string, ...reasons: Outlook['reasons']): Outlook => ({
  instanceId,
  serverName: 'Box',
  couldRun: reasons.length === 0,
  reasons,
});
const queued: TaskWhy = {
  taskId: 't',
  status: 'pending',
  phase: 'queued',
  waiting: 'As the gateway says it.',
  position: 3,
  ahead: { total: 2, higherPriority: 0, own: 2, others: 0, competing: 2 },
  pause: null,
  retryAt: null,
  totals: { instances: 2, couldRun: 1, free: 0 },
  instances: [],
  runsOn: null,
  eta: null,
  help: [],
};
const running: TaskWhy = {
  ...queued,
  status: 'running',
  phase: 'executing',
  position: null,
  ahead: null,
  runsOn: { instanceId: 'a:1', since: '2030-01-01T00:00:00.000Z', seconds: 12, node: null },
};
const nameOf = (instanceId: string) => `Box (${instanceId})`;
const said = (why: TaskWhy) => whySentences(why, nameOf)?.map(({ key, values }) => [key, values]) ?? null;

it('says what is ahead, and how many instances could run it', () => {
  const totals = { instances: 2, couldRun: 0, free: 0 };
  expect(said(queued)).toEqual([
    ['why.place', { ahead: 2 }],
    ['why.allBusy', { could: 1, free: 0 }],
  ]);
  expect(said({ ...queued, totals })?.[1]).toEqual(['why.noneAble', {}]);
  expect(said({ ...queued, totals: { ...totals, instances: 0 } })?.[1]).toEqual(['why.noInstance', {}]);
});

it('says where it runs, with the node when one is known', () => {
  const values = { name: 'Box (a:1)', seconds: 12 };
  expect(said(running)).toEqual([['why.executing', values]]);
  const atNode = running.runsOn && { ...running.runsOn, node: 'KSampler' };
  expect(said({ ...running, runsOn: atNode })).toEqual([
    ['why.executingNode', { ...values, node: 'KSampler' }],
  ]);
  expect(said({ ...running, phase: 'collecting' })).toEqual([['why.collecting', { name: 'Box (a:1)' }]]);
});

it('says who has paused what, and why', () => {
  const pause = {
    scope: 'pool',
    target: 'gpu',
    by: 'administrator',
    since: '2030-01-01T00:00:00.000Z',
    reason: 'New drivers',
  } as const;
  const told = { target: 'gpu', by: 'administrator', since: pause.since, told: 'yes', reason: 'New drivers' };
  const paused = outlook('a:1', reason('paused', { pause }));
  expect(reasonSentences(paused)[0]?.sentence).toEqual({
    key: 'paused.pool',
    values: { name: 'Box (a:1)', ...told },
  });
  const own = { ...pause, scope: 'user', target: 'u1', by: 'owner', reason: null } as const;
  expect(said({ ...queued, pause: own })).toEqual([
    ['why.place', { ahead: 2 }],
    ['why.paused.user', { ...told, target: 'u1', by: 'owner', told: 'no', reason: '' }],
  ]);
});

it('leaves a pause of which nothing is told to the text of the gateway', () => {
  const message = 'The gateway says paused.';
  const paused = outlook('a:1', reason('paused'));
  expect(reasonSentences(paused)).toEqual([{ code: 'paused', message, sentence: null }]);
});

it('names three of the things that an instance lacks, and counts the others', () => {
  const lacks = outlook('a:1', reason('lacks', { missing: ['A', 'B', 'C', 'D', 'E'] }));
  expect(reasonSentences(lacks)[0]?.sentence).toEqual({
    key: 'lacks',
    values: { name: 'Box (a:1)', missing: 'A, B, C', left: 2 },
  });
  const cooling = outlook('a:1', reason('cooling'));
  expect(reasonSentences(cooling)[0]?.sentence?.values).toEqual({ name: 'Box (a:1)', until: 'none' });
});

it('offers as help what a person can change, the shortest way first', () => {
  const instances = [
    outlook('a:1', reason('off'), reason('lacks', { missing: ['A'] })),
    outlook('b:1', reason('cooling')),
    outlook('c:1', reason('draining'), reason('busy')),
    outlook('d:1', reason('off')),
    outlook('e:1'),
  ];
  expect(helpSentences({ instances, pause: null }).map((help) => help.map(({ code }) => code))).toEqual([
    ['off'],
    ['draining'],
    ['off', 'lacks'],
  ]);
});

it('says nothing twice: a pause of the whole queue stands in the answer, one of a pool with its instances', () => {
  const pause = {
    scope: 'all',
    target: null,
    by: 'administrator',
    since: '2030-01-01T00:00:00.000Z',
    reason: null,
  } as const;
  const ofPool = { ...pause, scope: 'pool', target: 'gpu' } as const;
  const instances = [
    outlook('a:1', reason('paused', { pause })),
    outlook('b:1', reason('off'), reason('paused', { pause })),
    outlook('c:1', reason('paused', { pause: ofPool })),
  ];
  expect(helpSentences({ instances, pause }).map((help) => help.map(({ code }) => code))).toEqual([
    ['paused'],
    ['off'],
  ]);
});
