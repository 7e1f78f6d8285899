import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder below the system's temporary one, and a function that removes it. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'switchyard-'));
  // A process that a killed gateway had started writes here until it has noticed.
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };
  return { path, remove: () => rmSync(path, options) };
}
