import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { AppError } from '../../lib/app-error.ts';

const maxSegmentBytes = 255;
const maxPathBytes = 4_096;
const deepestPath = 32;
/** A careless proxy in front can encode twice. A third encoding shows an attack. */
const decodings = 3;

const separatorsAndControls = /[\\/\p{Cc}]/u;
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])$/i;

/**
 * The only way from an untrusted relative path (from a user, a worker, an archive or a model) to a path on disk.
 * Returns the absolute real path below `root`, whether or not the file exists. Throws `path_not_allowed` for everything
 * that could lead elsewhere. A link may be swapped after the check, so open the result with `openInside`.
 */
export async function resolveInside(root: string, untrusted: string): Promise<string> {
  const segments = safeSegments(untrusted);
  const realRoot = await realpath(root);
  const real = await realPathOfWhatExists(join(realRoot, ...segments));
  if (!isInside(realRoot, real)) throw refused('it leads out of its folder');
  return real;
}

/** Returns the checked segments of an untrusted relative path, with `/` between them. It does not access the disk. */
export function safeSegments(untrusted: string): string[] {
  if (Buffer.byteLength(untrusted) > maxPathBytes) {
    throw refused(`it is longer than ${maxPathBytes} bytes`);
  }
  const segments = untrusted.split('/');
  if (segments.length > deepestPath) throw refused(`it is deeper than ${deepestPath} folders`);
  for (const segment of segments) {
    const fault = faultOf(segment);
    if (fault) throw refused(fault);
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > maxSegmentBytes)) throw tooLong();
  return segments;
}

/** Both paths must be real and absolute. `root` itself is not inside. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep);
}

function faultOf(segment: string): string | undefined {
  if (segment === '') return 'it is empty, absolute, or has an empty part';
  if (segment === '.' || segment === '..') return 'it has a "." or ".." part';
  if (separatorsAndControls.test(segment)) return 'it has a backslash or a control character';
  if (segment.includes(':')) return 'it has a colon';
  if (/\p{Surrogate}/u.test(segment)) return 'it is not valid Unicode';
  if (/[. ]$/.test(segment)) return 'a part ends in a dot or a space';
  if (isWindowsDevice(segment)) return 'a part is the name of a Windows device';
  if (hidesSeparator(segment)) return 'it hides a separator or ".." behind an encoding';
  return undefined;
}

/** Uses the disk's own code, because such a path cannot exist at all. */
function tooLong(): AppError {
  const cause = Object.assign(new Error('name too long'), { code: 'ENAMETOOLONG' });
  return refused(`a part is longer than ${maxSegmentBytes} bytes`, cause);
}

/** `con.tar.gz` and `con .txt` also open the device. */
export function isWindowsDevice(name: string): boolean {
  return windowsDevice.test(name.split('.', 1)[0]?.trimEnd() ?? '');
}

/**
 * Checks percent-encoding, and letters that compatibility folding turns into `/`, `\` or `.`, as some file systems do.
 */
function hidesSeparator(segment: string): boolean {
  let decoded = segment;
  for (let round = 0; round < decodings; round += 1) {
    if (isTraversal(decoded) || isTraversal(decoded.normalize('NFKC'))) return true;
    const next = percentDecoded(decoded);
    if (next === decoded) return false;
    decoded = next;
  }
  return true;
}

function isTraversal(text: string): boolean {
  return text === '.' || text === '..' || separatorsAndControls.test(text);
}

/** Decodes each escape separately, because one invalid escape must not hide the others. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

async function realPathOfWhatExists(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw refused('it cannot be followed', error);
  }
  if (await isLink(path)) throw refused('it is a link to nothing');
  return join(await realPathOfWhatExists(dirname(path)), basename(path));
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Does not name the path, because a message to a client must not show where files are. */
export function refused(reason: string, cause?: unknown): AppError {
  return new AppError('path_not_allowed', { message: `The path is not allowed: ${reason}.`, cause });
}
