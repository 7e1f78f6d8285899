import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consolePaths } from '@switchyard/contract/console-pages';
import { binary } from '@switchyard/dev-env/binary';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, describe, expect, it } from 'vitest';
import { brokenAddresses } from '../../scripts/public-addresses.mjs';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

/** Every file that the build has put there for browsers, beside its packed forms. */
const assets = readdirSync(join(binary, '../../dist/console/assets'))
  .filter((name) => !/\.(br|gz)$/.test(name))
  .map((name) => `/assets/${name}`);

/** Each page of the console; what stands for an object is any word. */
const pages = consolePaths.flatMap((path) => {
  const filled = path.replace(/:\w+\??/g, 'any');
  return path.endsWith('?') ? [filled, filled.replace('/any', '')] : [filled];
});

describe('the built gateway', () => {
  const home = temporaryFolder();
  let gateway: SpawnedGateway | undefined;
  afterEach(async () => {
    await gateway?.stop();
    home.remove();
  });

  it('answers every public address: its description, its console, and the links of banner and README', async () => {
    gateway = await SpawnedGateway.start({ home: home.path });
    const { url } = gateway;
    await expect.poll(() => gateway?.output()).toContain('Ctrl-C');
    const texts = [gateway.output(), readme];
    expect(assets.length).toBeGreaterThan(20);
    expect(await brokenAddresses(url, { texts, more: [...pages, ...assets] })).toEqual([]);
  });
});
