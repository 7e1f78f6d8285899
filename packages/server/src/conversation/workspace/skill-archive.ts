import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../lib/app-error.ts';
import { type OpenableMember, openZipMember, readZipDirectory } from './zip-archive.ts';

/** The limit for one file of the archive, unpacked. */
const maxMemberBytes = 16 * 1024 * 1024;

/** Splits `…/x.skill/inner/path` at the first archive on the way. Returns null when there is none. */
export function splitAtArchive(path: string): { archive: string; inner: string } | null {
  const at = path.indexOf('.skill/');
  if (at < 0) return null;
  const end = at + '.skill'.length;
  return { archive: path.slice(0, end), inner: path.slice(end + 1) };
}

export interface SkillMember {
  sizeBytes: number;
  /** The first bytes of the content. */
  head: Buffer;
  /** The size of the content. */
  checksum: number;
  content: () => AsyncGenerator<Buffer>;
}

/**
 * A file of a skill's archive, by its exact name, or else a file whose path ends in it: archives often hold one folder. It is
 * unpacked once to check that it is complete, and again while the client reads it, so that no request holds all of it in memory.
 */
export async function openSkillMember(
  archive: FileHandle,
  inner: string,
  { headBytes, signal }: { headBytes: number; signal: AbortSignal | undefined },
): Promise<SkillMember> {
  const member = memberNamed(inner, await readZipDirectory(archive, signal));
  const content = await openZipMember(member, maxMemberBytes);
  let head = Buffer.alloc(0);
  for await (const chunk of content()) {
    signal?.throwIfAborted();
    if (head.length < headBytes) head = Buffer.concat([head, chunk]).subarray(0, headBytes);
  }
  return { sizeBytes: member.sizeBytes, head, checksum: member.crc, content };
}

function memberNamed(inner: string, members: readonly OpenableMember[]): OpenableMember {
  const files = members.filter(({ name }) => !name.endsWith('/'));
  const member =
    files.find(({ name }) => name === inner) ?? files.find(({ name }) => name.endsWith(`/${inner}`));
  if (member && inner !== '') return member;
  throw new AppError('artifact_not_found', { message: `File '${inner}' not found in skill archive` });
}
