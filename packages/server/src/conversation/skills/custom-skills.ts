import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkillChange, SkillText } from '@switchyard/contract/conversation/skill';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import type { ChangeLock } from '../../platform/ownership/change-lock.ts';
import type { ExtensionsFile } from '../mcp/extensions-file.ts';
import { readTextFile, writeTextFile } from '../user-files/text-file.ts';
import { maxSkillBytes, readSkillText, type SkillFacts, skillFile } from './skill.ts';
import type { SkillFolders } from './skill-folders.ts';
import { SkillStaging } from './skill-staging.ts';
import { switchesIn, withoutSwitch } from './skill-switches.ts';
import type { Skills } from './skills.ts';

const maxChanges = 20;
/** Twenty changes hold forty texts of 128 kB, and JSON writes some characters with six. */
const maxFileBytes = 32 * 1024 * 1024;
/** Counts existing and deleted skills. Beyond it the histories that changed longest ago are removed. */
const maxHistories = 500;

const maxSkills = 200;

/**
 * The skills that administrators change over the API. Each change is written to the history before it is made, so no text is ever
 * lost. Changes happen one after the other.
 */
export class CustomSkills {
  readonly staging: SkillStaging;
  readonly #options;
  readonly #history: SkillHistory;

  constructor(options: {
    folders: SkillFolders;
    skills: Skills;
    extensions: ExtensionsFile;
    changes: ChangeLock;
    clock: Clock;
  }) {
    this.#options = options;
    this.#history = new SkillHistory(options.folders.customRoot);
    this.staging = new SkillStaging(options.folders.customRoot, options.clock);
  }

  async get(name: string): Promise<SkillText> {
    const { skills } = await this.#options.skills.list('custom');
    const skill = skills.find((each) => each.name === name);
    const content = skill && (await this.#textOf(name));
    if (!skill || content === null || content === undefined) throw notFound(name);
    return { ...skill, content };
  }

  /** Works for a broken skill too. `ifMatch` is the `ETag` of the text that the caller read. */
  async edit(
    name: string,
    { content, ifMatch, author }: { content: string; ifMatch?: string | undefined; author: string },
  ): Promise<SkillText> {
    requireName(readSkillText(content), name);
    return this.#inTurn(async () => {
      const before = await this.#requireText(name);
      if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== etagOf(before ?? '')) {
        throw new AppError('skill_changed');
      }
      await this.#record(name, { action: 'edit', author, before, after: content });
      await writeTextFile(this.#fileOf(name), content);
      return this.get(name);
    });
  }

  /** Works for a broken skill too. */
  async delete(name: string, author: string): Promise<void> {
    await this.#inTurn(async () => {
      const before = await this.#requireText(name);
      await this.#record(name, { action: 'delete', author, before, after: null });
      await this.staging.remove(this.#folderOf(name));
    });
  }

  async history(name: string): Promise<SkillChange[]> {
    const changes = await this.#history.read(name);
    if (changes) return changes;
    await this.#requireText(name);
    return [];
  }

  /** Returns the text before the change at `index`; negative numbers count from the newest. Works for a deleted skill too. */
  async rollBack(name: string, { index, author }: { index: number; author: string }): Promise<SkillText> {
    return this.#inTurn(async () => {
      const after = previousText(await this.history(name), index);
      requireName(readSkillText(after), name);
      const isThere = await isFolder(this.#folderOf(name));
      if (!isThere) await this.requireRoomFor(name);
      const before = isThere ? await this.#textOf(name) : null;
      await this.#record(name, { action: 'rollback', author, before, after });
      await writeTextFile(this.#fileOf(name), after);
      return this.get(name);
    });
  }

  /** Makes a skill of a folder in the staging area and switches it on, even when an earlier skill of that name was off. */
  async add(
    draft: string,
    { name, text, author }: { name: string; text: string; author: string },
  ): Promise<void> {
    const { folders, extensions } = this.#options;
    await this.#inTurn(async () => {
      await this.requireRoomFor(name);
      await this.#record(name, { action: 'install', author, before: null, after: text });
      await extensions.change((given) => ({
        ...given,
        skills: withoutSwitch(switchesIn(given.skills), name),
      }));
      await rename(draft, this.#folderOf(name));
      await nodeDisk.syncDirectory(folders.customRoot);
    });
  }

  /** Throws when the name is taken or there are too many skills. */
  async requireRoomFor(name: string): Promise<void> {
    const { customRoot } = this.#options.folders;
    await mkdir(customRoot, { recursive: true, mode: 0o700 });
    const taken = (await readdir(customRoot)).filter((entry) => !entry.startsWith('.'));
    const { skills } = await this.#options.folders.find();
    if (taken.includes(name) || skills.some((skill) => skill.name === name)) {
      throw new AppError('skill_exists', { message: say('skill_present', { name }) });
    }
    if (taken.length >= maxSkills)
      throw new AppError('skill_limit', { message: say('skills_full', { count: maxSkills }) });
  }

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    return this.#options.changes.run('skills', change);
  }

  async #record(
    name: string,
    {
      action,
      author,
      before,
      after,
    }: { action: SkillChange['action']; author: string; before: string | null; after: string | null },
  ): Promise<void> {
    const ts = toIso(this.#options.clock());
    const texts = { prev_content: before, new_content: after };
    await this.#history.add(name, { ts, action, author, file_path: skillFile, ...texts });
  }

  /** Returns null when the folder has no text that can be read. */
  async #requireText(name: string): Promise<string | null> {
    if (await isFolder(this.#folderOf(name))) return this.#textOf(name);
    throw notFound(name);
  }

  async #textOf(name: string): Promise<string | null> {
    try {
      const file = await readTextFile(this.#fileOf(name), { maxBytes: maxSkillBytes });
      return file === null || file === 'unchanged' ? null : file.text;
    } catch {
      // A link, a folder or a file that is too long was put there by hand.
      return null;
    }
  }

  #folderOf(name: string): string {
    return join(this.#options.folders.customRoot, name);
  }

  #fileOf(name: string): string {
    return join(this.#folderOf(name), skillFile);
  }
}

/** The ETag of the text, with its quotes. */
export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 24)}"`;
}

function requireName(facts: SkillFacts, name: string): void {
  if (facts.name === name) return;
  throw new AppError('skill_invalid', {
    message: say('skill_keeps_name', { name, given: facts.name }),
  });
}

function previousText(changes: readonly SkillChange[], index: number): string {
  const change = changes.at(index);
  if (!change) {
    throw new AppError('skill_rollback_invalid', {
      message: say('skill_change_unknown', { count: changes.length }),
    });
  }
  if (change.prev_content !== null) return change.prev_content;
  throw new AppError('skill_rollback_invalid', { message: say('skill_change_first') });
}

function notFound(name: string): AppError {
  return new AppError('skill_not_found', { message: `Custom skill '${name}' not found` });
}

/** Does not follow links. */
async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** The changes of the texts of custom skills, deleted ones included: `<custom>/.history/<name>.json`. */
class SkillHistory {
  readonly #folder: string;

  constructor(customRoot: string) {
    this.#folder = join(customRoot, '.history');
  }

  /** Oldest first; null for a skill that was never changed. */
  async read(name: string): Promise<SkillChange[] | null> {
    const file = await readTextFile(this.#fileOf(name), { maxBytes: maxFileBytes });
    if (file === null || file === 'unchanged') return null;
    const parsed: unknown = JSON.parse(file.text);
    if (!Array.isArray(parsed)) throw new Error('The history of a skill holds something else than a list.');
    return parsed as SkillChange[];
  }

  async add(name: string, change: SkillChange): Promise<void> {
    const before = await this.read(name);
    if (before === null) await this.#makeRoom();
    const changes = [...(before ?? []), change].slice(-maxChanges);
    await writeTextFile(this.#fileOf(name), `${JSON.stringify(changes)}\n`);
  }

  async #makeRoom(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const histories = names.filter((name) => name.endsWith('.json'));
    if (histories.length < maxHistories) return;
    const files = await Promise.all(
      histories.map(async (name) => {
        const path = join(this.#folder, name);
        return { path, modifiedMs: (await stat(path)).mtimeMs };
      }),
    );
    files.sort((a, b) => a.modifiedMs - b.modifiedMs);
    for (const { path } of files.slice(0, files.length - maxHistories + 1)) await rm(path, { force: true });
  }

  #fileOf(name: string): string {
    return join(this.#folder, `${name}.json`);
  }
}
