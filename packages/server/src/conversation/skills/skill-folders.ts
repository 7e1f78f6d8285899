import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrokenSkill, SkillCategory } from '@switchyard/contract/conversation/skill';
import { AppError } from '../../lib/app-error.ts';
import { readTextFile } from '../user-files/text-file.ts';
import { isSkillName, largestSkillBytes, readSkillText, type SkillFacts, skillFile } from './skill.ts';

export interface FoundSkill extends SkillFacts {
  category: SkillCategory;
  /** On the disk; never told to clients and agents. */
  folder: string;
}

export interface FoundSkills {
  /** By name. */
  skills: FoundSkill[];
  broken: BrokenSkill[];
}

interface SkillFoldersOptions {
  /** Holds `public` and `custom`; need not be there. */
  path: string;
  /** The skills that come with the product; null for none. */
  shipped: string | null;
  log: { warn(details: object, message: string): void };
}

type Reading = { facts: SkillFacts } | { reason: string };

/** Of one root. Further folders, in the order of their names, are not looked at. */
const mostFolders = 500;

/**
 * The skills that lie on the disk. Looked up for each question, so that a change counts at once; a file is read again when
 * it is another one than before. Of two with one name the custom one counts, then the host's own, then the shipped one.
 */
export class SkillFolders {
  readonly customRoot: string;
  readonly #roots: readonly { root: string; category: SkillCategory }[];
  readonly #log: SkillFoldersOptions['log'];
  #read = new Map<string, { version: string; reading: Reading }>();

  constructor({ path, shipped, log }: SkillFoldersOptions) {
    this.customRoot = join(path, 'custom');
    this.#roots = [
      { root: this.customRoot, category: 'custom' },
      { root: join(path, 'public'), category: 'public' },
      ...(shipped === null ? [] : [{ root: shipped, category: 'public' as const }]),
    ];
    this.#log = log;
  }

  async find(): Promise<FoundSkills> {
    const skills = new Map<string, FoundSkill>();
    const broken: BrokenSkill[] = [];
    const seen = new Map<string, { version: string; reading: Reading }>();
    for (const { root, category } of this.#roots) {
      for (const name of await foldersIn(root)) {
        const folder = join(root, name);
        const { version, reading } = await this.#readingOf(folder, name);
        seen.set(folder, { version, reading });
        if ('reason' in reading) broken.push({ name, category, reason: reading.reason });
        else if (!skills.has(name)) skills.set(name, { ...reading.facts, category, folder });
      }
    }
    this.#read = seen;
    return {
      skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
      broken,
    };
  }

  forget(): void {
    this.#read = new Map();
  }

  async #readingOf(folder: string, name: string): Promise<{ version: string; reading: Reading }> {
    const version = await versionOf(folder);
    const known = this.#read.get(folder);
    if (known?.version === version) return known;
    const reading = await readSkill(folder, name);
    if ('reason' in reading) {
      this.#log.warn({ skill: name, reason: reading.reason }, 'A skill cannot be used and is left out');
    }
    return { version, reading };
  }
}

async function readSkill(folder: string, name: string): Promise<Reading> {
  try {
    if (!(await lstat(folder)).isDirectory()) return { reason: 'It is a link. Copy the folder.' };
    if (!isSkillName(name)) {
      return { reason: 'Name the folder with lower-case letters, digits and single hyphens between words.' };
    }
    // A pipe in its place would be waited for.
    if (!(await lstat(join(folder, skillFile))).isFile()) return { reason: `Its ${skillFile} is no file.` };
    const file = await readTextFile(join(folder, skillFile), { maxBytes: largestSkillBytes });
    if (file === null || file === 'unchanged') return { reason: `It has no ${skillFile}.` };
    const facts = readSkillText(file.text);
    if (facts.name !== name) return { reason: `${skillFile} has another name: "${facts.name}".` };
    return { facts };
  } catch (error) {
    if (error instanceof AppError) return { reason: error.message };
    // The system's words hold a path of the host.
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { reason: `It has no ${skillFile}.` };
    return { reason: `${skillFile} cannot be read (${code ?? `larger than ${largestSkillBytes} bytes`}).` };
  }
}

/** Of the text: another file, size or time makes another one. */
async function versionOf(folder: string): Promise<string> {
  try {
    const [outer, inner] = await Promise.all([
      lstat(folder, { bigint: true }),
      lstat(join(folder, skillFile), { bigint: true }),
    ]);
    return `${outer.mode} ${inner.ino} ${inner.size} ${inner.mtimeNs} ${inner.ctimeNs}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** Names that begin with a dot are the gateway's own, or those of tools of the host. */
async function foldersIn(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort()
      .slice(0, mostFolders);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
