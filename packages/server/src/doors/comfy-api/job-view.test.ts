import { expect, it } from 'vitest';
import { type JobTask, viewJob } from './job-view.ts';

const dayMs = 86_400_000;
const ended = Date.parse('2026-01-01T00:00:00.000Z');

function taskWith(filename: string, contentType: string): JobTask {
  const output = {
    fileId: 'f',
    filename,
    url: 'http://x/uploads/f?expires=1800000000',
    contentType,
    size: 1,
    node: '2',
  };
  return {
    id: 't',
    status: 'completed',
    phase: 'ended',
    progress: 100,
    createdAt: '2025-12-31T00:00:00.000Z',
    startedAt: '2025-12-31T00:00:02.000Z',
    finishedAt: new Date(ended).toISOString(),
    position: null,
    error: null,
    result: { files: [], outputs: [output], texts: [], outputsReused: false, outputsMissing: 0 },
  } as unknown as JobTask;
}

it('shows a job as expired, without its outputs, from the moment at which they may be deleted', () => {
  const at = (nowMs: number) => viewJob(taskWith('a.png', 'image/png'), { nowMs, retentionMs: dayMs });
  expect(at(ended + dayMs - 1)).toMatchObject({ status: 'succeeded', outputs: [{ id: 'f' }] });
  expect(at(ended + dayMs)).toMatchObject({ status: 'expired', outputs: [] });
  expect(at(ended).expires_at).toBe('2026-01-02T00:00:00.000Z');
});

it('names a day far ahead in a gateway that keeps all files', () => {
  const { expires_at: day } = viewJob(taskWith('a.png', 'image/png'), { nowMs: ended, retentionMs: null });
  expect(day).toMatch(/^2126-01-/);
});

it.each([
  ['a.png', 'image/png', 'image'],
  ['a.mp4', 'video/mp4', 'video'],
  ['a.flac', 'audio/flac', 'audio'],
  ['a.txt', 'text/plain; charset=utf-8', 'text'],
  ['a.json', 'application/json', 'text'],
  ['a.latent', 'application/octet-stream', 'latent'],
  ['a.glb', 'application/octet-stream', 'file'],
])('calls %s of type %s an output of type %s', (filename, contentType, type) => {
  const { outputs } = viewJob(taskWith(filename, contentType), { nowMs: ended, retentionMs: null });
  expect(outputs).toMatchObject([{ type, url_expires_at: '2027-01-15T08:00:00.000Z' }]);
});
