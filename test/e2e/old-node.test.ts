import { tmpdir } from 'node:os';
import { runBinary } from '@switchyard/dev-env/binary';
import { expect, it } from 'vitest';

/** Shows the binary another version; `.ci/run` does the same with a real old Node. */
const pretendToBe = (version: string) =>
  `--import=data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
  )}`;

for (const version of ['18.20.4', '20.18.3']) {
  it(`refuses Node ${version} in one sentence that says what it needs`, async () => {
    const run = runBinary({ args: ['up'], cwd: tmpdir(), env: { NODE_OPTIONS: pretendToBe(version) } });
    const { code } = await run.exited;
    expect(code).toBe(1);
    expect(run.output().trim().split('\n')).toHaveLength(1);
    expect(run.output()).toContain('20.19');
    expect(run.output()).toContain(version);
  });
}
