/** The names in the older layout, which had no user in its paths, and where each item goes. */

/** The pattern that the contract sets for ids of threads and users. */
const folderName = /^[A-Za-z0-9_-]{1,64}$/;
const agentName = /^[A-Za-z0-9-]{1,64}$/;

/** The user that receives the data without an owner. */
export const defaultUser = 'default';
export const conflictFolder = 'migration-conflicts';

export function isFolderName(name: string): boolean {
  return folderName.test(name);
}

export function isAgentName(name: string): boolean {
  return agentName.test(name);
}

/** Single files, each with the name that it gets when its own is taken. */
export const legacyFiles = [
  { name: 'memory.json', spare: 'memory.legacy.json' },
  { name: 'USER.md', spare: 'USER.legacy.md' },
] as const;
