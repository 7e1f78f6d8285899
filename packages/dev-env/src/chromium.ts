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

export function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('There is no chromium on PATH. Run scripts/install-services.sh, or set CHROMIUM_PATH.');
  // A container gives root no sandbox and little shared memory.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
