import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../lib/app-error.ts';
import { readZipDirectory, readZipMember } from './zip-archive.ts';

/** Of one file in it, unpacked. */
const largestMemberBytes = 16 * 1024 * 1024;

/** `…/x.skill/inner/path`, taken apart at the first archive on the way. Null where there is none. */
export function splitAtArchive(path: string): { archive: string; inner: string } | null {
  const at = path.indexOf('.skill/');
  if (at < 0) return null;
  const end = at + '.skill'.length;
  return { archive: path.slice(0, end), inner: path.slice(end + 1) };
}

/** A file of a skill's archive, by its exact name, or else any whose path ends in it: archives often hold one folder. */
export async function readSkillMember(archive: FileHandle, inner: string): Promise<Buffer> {
  const members = await readZipDirectory(archive);
  const files = members.filter(({ name }) => !name.endsWith('/'));
  const member =
    files.find(({ name }) => name === inner) ?? files.find(({ name }) => name.endsWith(`/${inner}`));
  if (!member || inner === '') {
    throw new AppError('artifact_not_found', { message: `File '${inner}' not found in skill archive` });
  }
  return readZipMember(archive, member, largestMemberBytes);
}
