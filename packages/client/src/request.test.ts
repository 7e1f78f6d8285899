import { getArtifact } from '@switchyard/contract/conversation/artifact';
import { streamExistingRun } from '@switchyard/contract/conversation/runs';
import { getTask, listTasks, submitTask } from '@switchyard/contract/dispatch/tasks';
import { describe, expect, it } from 'vitest';
import { buildRequest } from './request.ts';

describe('a request', () => {
  it('puts path, query, headers and body where the endpoint wants them', () => {
    expect(
      buildRequest(submitTask, {
        body: { workflow: {} },
        headers: { 'Idempotency-Key': 'k', other: undefined },
      }),
    ).toEqual({
      method: 'POST',
      path: '/api/tasks',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: '{"workflow":{}}',
    });
    expect(buildRequest(listTasks, { query: { status: 'failed', limit: 5, tag: undefined } })).toEqual({
      method: 'GET',
      path: '/api/tasks?status=failed&limit=5',
      headers: {},
    });
  });

  it('repeats a field of the query for each item of a list', () => {
    const params = { thread_id: 't', run_id: 'r' };
    expect(
      buildRequest(streamExistingRun, { params, query: { stream_mode: ['values', 'custom'] } }).path,
    ).toBe('/api/threads/t/runs/r/stream?stream_mode=values&stream_mode=custom');
  });

  it('has no content type without a body', () => {
    expect(buildRequest(submitTask, {}).headers).toEqual({});
  });

  it('keeps a parameter within its segment of the path', () => {
    expect(buildRequest(getTask, { params: { taskId: 'a/b?c#d e' } }).path).toBe(
      '/api/tasks/a%2Fb%3Fc%23d%20e',
    );
  });

  it('fills the star of a path with a path, each part within its segment', () => {
    const params = { thread_id: 't', '*': 'mnt/a b/c?d.md' };
    expect(buildRequest(getArtifact, { params }).path).toBe('/api/threads/t/artifacts/mnt/a%20b/c%3Fd.md');
    expect(() => buildRequest(getArtifact, { params: { ...params, '*': 'mnt/../x' } })).toThrow(
      'cannot be ".."',
    );
  });

  it.each(['', '.', '..'])('refuses the parameter "%s", which would lead to another endpoint', (taskId) => {
    expect(() => buildRequest(getTask, { params: { taskId } })).toThrow(`taskId cannot be "${taskId}"`);
  });
});
