import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The browser that the environment names, or the one of the machine. Undefined when there is none. */
function findChromium(): string | undefined {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  return PATH.split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find((path) => existsSync(path));
}

/** A machine without a browser skips these tests visibly; where everything has to run, that is a failure. */
export const canBrowse = findChromium() !== undefined || process.env.CI === 'true';

/**
 * A name that leads to this machine and that the browser takes for another one. A page from there over plain HTTP has none of what
 * browsers keep for secure pages.
 */
export const otherMachine = 'studio.test';

/** Each of the names leads to this machine. */
export function launchChromium(names: readonly string[] = [otherMachine]): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('There is no chromium on PATH. Run scripts/install-services.sh, or set CHROMIUM_PATH.');
  return chromium.launch({
    executablePath,
    args: [
      // A container gives root no sandbox and little shared memory.
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--host-resolver-rules=${names.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
    ],
  });
}
