import type { InstanceDetail } from '@switchyard/contract/dispatch/instance';
import type { InstanceEvent } from '@switchyard/contract/dispatch/instance-event';
import { expect, it } from 'vitest';
import { describeInstance } from './instance-details.ts';

const instance: InstanceDetail = {
  id: 'box:8188',
  serverId: 'box',
  serverName: 'Box',
  ip: 'box',
  port: 8188,
  enabled: true,
  alive: true,
  busy: false,
  lastHeartbeat: '2030-01-01T00:00:00.000Z',
  kind: 'comfyui',
  tags: ['large'],
  draining: false,
  state: 'idle',
  queueRemaining: 0,
  currentTaskId: null,
  version: '0.3.64',
  system: { pytorchVersion: '2.8.0', ramTotalBytes: 64e9, ramFreeBytes: 12e9 },
  devices: [{ name: 'GPU 0', memoryTotalBytes: 24 * 2 ** 30, memoryFreeBytes: 12 * 2 ** 30 }],
  lastError: null,
  lastErrorSentences: [],
  since: '2030-01-01T00:00:00.000Z',
  capabilities: {
    known: true,
    nodeClasses: ['A', 'B'],
    models: { 'L.ckpt': ['b.safetensors', 'a.safetensors'], 'M.ckpt': ['a.safetensors'] },
    updatedAt: null,
  },
};
const event = (kind: InstanceEvent['kind'], message: string): InstanceEvent => ({
  id: kind,
  instanceId: 'box:8188',
  kind,
  at: '2030-01-01T00:00:00.000Z',
  message,
  sentences: [],
  taskId: null,
  attempt: null,
});

it('an instance is shown with its devices, its models and what failed lately', () => {
  const text = describeInstance(instance, [event('up', 'It answers.'), event('down', 'It refused.')]);
  expect(text).toMatch(/^state +idle since 2030/m);
  expect(text).toMatch(/^device +GPU 0, .+ of .+ free$/m);
  expect(text).toMatch(/^memory +12 GB of 64 GB free$/m);
  expect(text).toMatch(/^PyTorch +2\.8\.0$/m);
  expect(text).toMatch(/^node classes +2$/m);
  expect(text).toContain('Models:\n  a.safetensors\n  b.safetensors\n');
  expect(text).toMatch(/Failed lately:\n.*\n.* down .* It refused\.\n$/);
  expect(text).not.toContain('It answers.');
});

it('an instance about which nothing is known yet says so', () => {
  const { system: _system, ...bare } = instance;
  const unknown = { ...bare, capabilities: { ...instance.capabilities, known: false, models: {} } };
  const text = describeInstance(unknown, []);
  expect(text).toMatch(/^models +not known yet$/m);
  expect(text).not.toContain('PyTorch');
  expect(text).toContain('Nothing failed lately.');
});

it('the model names of a worker cannot control the terminal', () => {
  const models = { 'L.ckpt': ['a\u001b[2J\nb'] };
  const text = describeInstance({ ...instance, capabilities: { ...instance.capabilities, models } }, []);
  expect(text).not.toContain('\u001b');
});
