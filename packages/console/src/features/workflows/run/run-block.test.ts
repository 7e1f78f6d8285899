import type { ObstacleCode } from '@switchyard/contract/dispatch/task-why';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { runBlock } from './run-block.ts';

function outlook(...boxes: { name: string; codes: ObstacleCode[]; missing?: string[] }[]) {
  const instances = boxes.map(({ name, codes, missing = [] }) => ({
    instanceId: name,
    serverName: name,
    couldRun: false,
    reasons: codes.map((code) => ({
      code,
      message: '',
      until: null,
      pause: null,
      missing: code === 'lacks' ? missing : [],
    })),
  }));
  const totals = { instances: boxes.length, couldRun: 0, free: 0 };
  return { totals, instances, instead: [], queueFull: null };
}

const model = {
  name: 'model',
  label: 'Model',
  type: 'model',
  hidden: false,
  choices: ['a.safetensors', 'b.safetensors', 'gone.safetensors'],
} as WorkflowParameter;
const draft = { values: { model: 'gone.safetensors' }, seeds: {} };

it('says nothing while an instance can run it and the queue takes it', () => {
  const lacking = outlook({ name: 'x', codes: ['lacks'] });
  const able = { ...lacking, totals: { instances: 2, couldRun: 1, free: 0 } };
  expect(runBlock(able, [], draft)).toBeNull();
  expect(runBlock({ ...able, queueFull: 'user' }, [], draft)).toEqual({ kind: 'full', of: 'user' });
  expect(runBlock(outlook(), [], draft)).toEqual({ kind: 'none' });
});

it('names the field whose model no instance has, and what instances have instead', () => {
  const lacking = outlook({ name: 'x', codes: ['lacks', 'busy'], missing: ['gone.safetensors'] });
  const others = { instances: ['x'], models: ['a.safetensors'] };
  const instead = [
    { model: 'other.safetensors', ...others, models: [] },
    { model: 'gone.safetensors', ...others },
  ];
  const block = { kind: 'model', model: 'gone.safetensors', field: model };
  expect(runBlock({ ...lacking, instead }, [model], draft)).toMatchObject({ ...block, instead: others });
  expect(runBlock(lacking, [model], draft)).toEqual({ ...block, instead: null });
});

it('names what the nearest instance lacks, and the instance only when others lack more', () => {
  const x = { name: 'x', codes: ['lacks'] as ObstacleCode[], missing: ['NodeA', 'NodeB'] };
  const y = { name: 'y', codes: ['lacks'] as ObstacleCode[], missing: ['NodeA'] };
  expect(runBlock(outlook(x, y), [], draft)).toEqual({ kind: 'lacks', missing: ['NodeA'], instance: null });
  const z = { name: 'z', codes: ['lacks'] as ObstacleCode[], missing: ['NodeC'] };
  expect(runBlock(outlook(x, z), [], draft)).toEqual({ kind: 'lacks', missing: ['NodeC'], instance: 'z' });
});

it('does not say that something is missing everywhere while an instance that has it only rests or is paused', () => {
  const x = { name: 'x', codes: ['lacks'] as ObstacleCode[], missing: ['NodeA'] };
  const kind = (...codes: ObstacleCode[]) => runBlock(outlook(x, { name: 'y', codes }), [], draft)?.kind;
  expect(kind('cooling')).toBe('later');
  expect(kind('paused')).toBe('paused');
  expect(kind('unreachable')).toBe('lacks');
});

it('tells what somebody has to change from what ends by itself', () => {
  const kind = (...codes: ObstacleCode[]) =>
    runBlock(outlook(...codes.map((code) => ({ name: code, codes: [code] }))), [], draft)?.kind;
  expect(kind('off')).toBe('off');
  expect(kind('off', 'unreachable')).toBe('unreachable');
  expect(kind('unreachable', 'paused')).toBe('paused');
  expect(kind('paused', 'checking')).toBe('later');
});

it('names the instances that do not answer, and not those that are switched off', () => {
  const pool = outlook(
    ...['off', 'unreachable'].map((code) => ({ name: code, codes: [code as ObstacleCode] })),
  );
  expect(runBlock(pool, [], draft)).toEqual({
    kind: 'unreachable',
    instances: ['unreachable (unreachable)'],
  });
});
