import { lstat } from 'node:fs/promises';
import { skillCategories } from '@switchyard/contract/conversation/skill';
import { say } from '@switchyard/contract/sentences/sentences';
import type { Workspace, WorkspaceEntry, WorkspaceKey } from '../../agents/tools/workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { openInside } from '../../platform/files/open-inside.ts';
import { resolveInside } from '../../platform/files/safe-path.ts';
import { entriesOf, readFrom } from '../workspace/workspace-files.ts';
import { skillsRoot } from './skill.ts';
import type { FoundSkill } from './skill-folders.ts';

/** A search through thousands of files does not look up all skills for each file. */
const freshMs = 1_000;

/** `/mnt/skills` as agents see it: the files of the skills that are switched on. They can be read but not changed. */
export class SkillFiles implements Pick<Workspace, 'read' | 'list'> {
  readonly #options;
  #known: { skills: Promise<FoundSkill[]>; untilMs: number } | null = null;

  constructor(options: {
    /** The skills that agents may see now. */
    enabled: () => Promise<FoundSkill[]>;
    /** A clock that never goes back. */
    clock: Clock;
  }) {
    this.#options = options;
  }

  async read(
    _whose: WorkspaceKey,
    path: string,
    maxBytes: number,
  ): Promise<{ bytes: Buffer; sizeBytes: number }> {
    const { folder, inner } = await this.#placeOf(path);
    if (folder === null || inner === '') throw notAFile(path);
    try {
      if ((await lstat(await resolveInside(folder, inner))).isDirectory()) throw notAFile(path);
      const file = await openInside(folder, inner, 'read');
      try {
        const { size } = await file.stat();
        const bytes = await readFrom(file, { offset: 0, length: Math.min(size, maxBytes) });
        return { bytes, sizeBytes: size };
      } finally {
        await file.close();
      }
    } catch (error) {
      throw explained(error, path);
    }
  }

  async list(_whose: WorkspaceKey, path: string): Promise<WorkspaceEntry[]> {
    const { folder, inner, names } = await this.#placeOf(path);
    if (folder === null) return names.map((name) => ({ name, kind: 'folder', sizeBytes: 0, modifiedMs: 0 }));
    try {
      return await entriesOf(inner === '' ? folder : await resolveInside(folder, inner));
    } catch (error) {
      throw explained(error, path);
    }
  }

  /** Inside a skill: its folder on the disk and the rest of the path. Above it: the names of the folders there. */
  async #placeOf(path: string): Promise<{ folder: string | null; inner: string; names: string[] }> {
    const [category, name, ...rest] = segmentsOf(path);
    if (category === undefined) return { folder: null, inner: '', names: [...skillCategories] };
    const skills = (await this.#skills()).filter((skill) => skill.category === category);
    const isCategory = (skillCategories as readonly string[]).includes(category);
    if (isCategory && name === undefined) {
      return { folder: null, inner: '', names: skills.map((skill) => skill.name) };
    }
    const skill = skills.find((each) => each.name === name);
    if (!skill) throw notFound(path);
    return { folder: skill.folder, inner: rest.join('/'), names: [] };
  }

  async #skills(): Promise<FoundSkill[]> {
    const { enabled, clock } = this.#options;
    const nowMs = clock();
    if (!this.#known || nowMs >= this.#known.untilMs) {
      this.#known = { skills: enabled(), untilMs: nowMs + freshMs };
    }
    try {
      return await this.#known.skills;
    } catch (error) {
      this.#known = null;
      throw error;
    }
  }
}

/** Accepts a path with or without its first slash, as the workspace does. */
function segmentsOf(path: string): string[] {
  const absolute = (path.startsWith('/') ? path : `/${path}`).replace(/\/$/, '');
  if (absolute === skillsRoot) return [];
  if (absolute.startsWith(`${skillsRoot}/`)) return absolute.slice(skillsRoot.length + 1).split('/');
  throw new AppError('path_invalid', { message: say('path_begins_wrong', { folder: skillsRoot }) });
}

function explained(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return notFound(path);
  if (!(error instanceof AppError) || error.code !== 'path_not_allowed') return error;
  if ((error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOTDIR') return notFound(path);
  return new AppError('path_denied', { cause: error });
}

function notFound(path: string): AppError {
  return new AppError('artifact_not_found', { message: `Skill file not found: ${path}` });
}

function notAFile(path: string): AppError {
  return new AppError('path_invalid', { message: say('path_no_file', { path }) });
}
