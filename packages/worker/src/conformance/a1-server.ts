import assert from 'node:assert/strict';
import { request } from 'node:http';
import { factsOf, optional } from './fact.ts';
import { NotObservable } from './not-observable.ts';
import type { Subject } from './subject.ts';

export const serverFacts = factsOf('A1', {
  'serves every route with and without /api': async (subject) => {
    for (const path of [
      '/prompt',
      '/queue',
      '/history',
      '/system_stats',
      '/object_info/SaveImage',
      '/features',
    ]) {
      assert.equal((await subject.request(path)).status, 200, path);
      assert.equal((await subject.request(`/api${path}`)).status, 200, `/api${path}`);
    }
  },

  'refuses a request from another origin on loopback with 403': optional(async (subject) => {
    const { hostname } = new URL(subject.url);
    if (!/^(127\.|localhost$|\[::1\]$)/.test(hostname)) throw new NotObservable('it is not on loopback');
    assert.equal(await statusWithOrigin(subject, 'http://elsewhere.example'), 403);
    assert.equal(await statusWithOrigin(subject, new URL(subject.url).origin), 200);
  }),

  'refuses a body beyond max_upload_size with 413 and says so in plain text': optional(async (subject) => {
    const { max_upload_size: limit } = await subject.json('/features');
    if (limit > 200 * 1024 * 1024) throw new NotObservable('its limit is too high to try');
    const response = await subject.post('/prompt', JSON.stringify({ filler: 'x'.repeat(limit) }));
    assert.equal(response.status, 413);
    assert.match(await response.text(), /^Maximum request body size \d+ exceeded/);
  }),
});

/** The caller of fetch cannot set Origin. */
function statusWithOrigin(subject: Subject, origin: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(`${subject.url}/prompt`, { headers: { origin } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    call.end();
  });
}
