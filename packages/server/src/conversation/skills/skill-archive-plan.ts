import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { safeSegments } from '../../platform/files/safe-path.ts';
import type { ZipMember } from '../workspace/zip-archive.ts';
import { skillFile } from './skill.ts';

/** One file of the archive, and its path below the skill's folder. */
export interface PlannedFile<Member extends ZipMember = ZipMember> {
  member: Member;
  path: string;
}

const maxFiles = 1_000;
const maxFileBytes = 64 * 1024 * 1024;
const maxTotalBytes = 512 * 1024 * 1024;
/** Text packs to a tenth of its size, seldom to a fiftieth. */
const maxRatio = 100;
/** Small files are harmless, however well they are packed. */
const freeBytes = 1024 * 1024;

/** Returns `SKILL.md` and all files beside it, checked before a byte is unpacked. Throws `skill_archive_invalid`. */
export function planOf<Member extends ZipMember>(
  members: readonly Member[],
  archiveBytes: number,
): PlannedFile<Member>[] {
  for (const member of members) requireOrdinary(member);
  const files = members.filter(({ name }) => !name.endsWith('/') && !isLitter(name));
  if (files.length > maxFiles) throw invalid(say('archive_many_files', { count: maxFiles }));
  requireSizes(files, archiveBytes);
  const root = rootOf(files.map(({ name }) => name));
  const planned = files.map((member) => ({ member, path: member.name.slice(root.length) }));
  requireApart(planned.map(({ path }) => path));
  return planned;
}

/** Folders are marked as such in the archive, or by their name. */
function requireOrdinary({ name, unixType }: ZipMember): void {
  if (unixType !== 'file' && unixType !== 'folder') {
    throw invalid(say('archive_link', { entry: shortened(name) }));
  }
  try {
    safeSegments(name.endsWith('/') ? name.slice(0, -1) : name);
  } catch (cause) {
    throw invalid(say('archive_name_leads_out', { entry: shortened(name) }), cause);
  }
}

function requireSizes(files: readonly ZipMember[], archiveBytes: number): void {
  const large = files.find(({ sizeBytes }) => sizeBytes > maxFileBytes);
  if (large) throw invalid(say('archive_file_large', { entry: shortened(large.name), bytes: maxFileBytes }));
  const total = sumOf(files, ({ sizeBytes }) => sizeBytes);
  if (total > maxTotalBytes) throw invalid(say('archive_large_together', { bytes: maxTotalBytes }));
  const packed = sumOf(files, ({ packedBytes }) => packedBytes);
  if (packed > archiveBytes) throw invalid(say('archive_overlap'));
  if (total > freeBytes && total > packed * maxRatio) {
    throw invalid(say('archive_unpacks_large', { count: maxRatio }));
  }
}

/** Returns `''`, or the one folder that holds everything. */
function rootOf(names: readonly string[]): string {
  if (names.includes(skillFile)) return '';
  const folder = `${names[0]?.split('/', 1)[0] ?? ''}/`;
  if (names.includes(folder + skillFile) && names.every((name) => name.startsWith(folder))) return folder;
  throw invalid(say('archive_without_skill'));
}

/** Refuses two names that some file system takes for the same one, and a file whose name another path uses as a folder. */
function requireApart(paths: readonly string[]): void {
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const path of paths) {
    const folded = path.normalize('NFC').toLowerCase();
    if (files.has(folded)) throw invalid(say('archive_name_twice', { entry: shortened(path) }));
    files.add(folded);
    const parts = folded.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) folders.add(parts.slice(0, depth).join('/'));
  }
  const clash = paths.find((path) => folders.has(path.normalize('NFC').toLowerCase()));
  if (clash !== undefined) throw invalid(say('archive_file_and_folder', { entry: shortened(clash) }));
}

/** Names that desktops add to archives. */
function isLitter(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(^|\/)(\.DS_Store|Thumbs\.db)$/.test(name);
}

function sumOf(files: readonly ZipMember[], bytesOf: (file: ZipMember) => number): number {
  return files.reduce((sum, file) => sum + bytesOf(file), 0);
}

function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}

function invalid(reason: Wording, cause?: unknown): AppError {
  return new AppError('skill_archive_invalid', {
    message: say('archive_refused', { cause: reason }),
    cause,
  });
}
