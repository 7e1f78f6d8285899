import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrokenSkill, SkillCategory } from '@switchyard/contract/conversation/skill';
import { say, sentencesOf, textOf, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import { readTextFile } from '../user-files/text-file.ts';
import { isSkillName, maxSkillBytes, readSkillText, type SkillFacts, skillFile } from './skill.ts';

export interface FoundSkill extends SkillFacts {
  category: SkillCategory;
  /** A path on the disk; clients and agents never see it. */
  folder: string;
}

export interface FoundSkills {
  /** Ordered by name. */
  skills: FoundSkill[];
  broken: BrokenSkill[];
}

interface SkillFoldersOptions {
  /** The folder that holds `public` and `custom`. It need not exist. */
  path: string;
  /** The skills that come with the product; null when there are none. */
  shipped: string | null;
  log: Pick<Log, 'warn'>;
}

type Reading = { facts: SkillFacts } | { reason: Wording };

/** The limit for one root, in the order of names. Further folders are ignored. */
const maxFolders = 500;

/**
 * The skills on the disk. They are looked up for each request, so a change counts at once; a file is read again only when it has
 * changed. When two skills have the same name, the custom one wins, then the host's own, then the shipped one.
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
        if ('reason' in reading) broken.push(brokenSkill(reading.reason, { name, category }));
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
      this.#log.warn(
        { skill: name, reason: textOf(reading.reason) },
        'A skill cannot be used and is left out',
      );
    }
    return { version, reading };
  }
}

function brokenSkill(reason: Wording, folder: Pick<BrokenSkill, 'name' | 'category'>): BrokenSkill {
  return { ...folder, reason: textOf(reason), sentences: sentencesOf(reason) };
}

async function readSkill(folder: string, name: string): Promise<Reading> {
  try {
    if (!(await lstat(folder)).isDirectory()) return { reason: say('skill_is_link') };
    if (!isSkillName(name)) return { reason: say('skill_folder_named') };
    // Opening a pipe in its place would wait for ever.
    if (!(await lstat(join(folder, skillFile))).isFile()) return { reason: say('skill_file_wrong') };
    const file = await readTextFile(join(folder, skillFile), { maxBytes: maxSkillBytes });
    if (file === null || file === 'unchanged') return { reason: say('skill_file_missing') };
    const facts = readSkillText(file.text);
    if (facts.name !== name) return { reason: say('skill_named_otherwise', { name: facts.name }) };
    return { facts };
  } catch (error) {
    if (error instanceof AppError) return { reason: error.sentences };
    // The system's message contains a path of the host.
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { reason: say('skill_file_missing') };
    if (code === undefined) return { reason: say('skill_text_large', { bytes: maxSkillBytes }) };
    return { reason: say('skill_file_unreadable', { systemCode: code }) };
  }
}

/** Identifies a version of the text: it changes with the file, its size or its time. */
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

/** Names that begin with a dot belong to the gateway or to tools of the host. */
async function foldersIn(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort()
      .slice(0, maxFolders);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
