import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('needs nothing that a browser lacks', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../src/client.ts', import.meta.url))],
    bundle: true,
    // A module of Node would be an error here.
    platform: 'browser',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  expect(outputFiles).toHaveLength(1);
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  expect([...new Set(packages)]).toEqual(['typebox', 'eventsource-parser']);
});
