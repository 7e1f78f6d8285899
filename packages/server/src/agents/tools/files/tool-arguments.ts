import { z } from 'zod';

/** The first argument of each file tool; clients show it while the tool is running. */
export const description = z
  .string()
  .describe('Why you do this, in a few words; the user reads it. Give it first.');

export const filePath = z.string().describe('The whole path, as /mnt/user-data/workspace/notes.md.');
export const folderPath = z.string().describe('The whole path of a folder, as /mnt/user-data/uploads.');

export function withoutSlash(folder: string): string {
  return folder.length > 1 && folder.endsWith('/') ? folder.slice(0, -1) : folder;
}
