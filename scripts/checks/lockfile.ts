import type { Finding } from './finding.ts';

const address = /"resolved":\s*"(https?|git|file):/;
const registryHost = /https?:\/\/[^\s"/]*registry[^\s"/]*/i;

/**
 * The lockfile and npm's settings name no place to download from, so that an install uses the registry of the machine
 * that runs it. Integrity hashes stay.
 */
export function findAddresses(path: string, text: string): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const match = address.exec(line) ?? registryHost.exec(line) ?? /^\s*(@[^:]+:)?registry\s*=.*/.exec(line);
    if (!match) return [];
    return {
      file: path,
      line: index + 1,
      rule: 'no-download-addresses',
      found: match[0],
      fix: 'remove it, and keep omit-lockfile-registry-resolved=true in .npmrc',
    };
  });
}
