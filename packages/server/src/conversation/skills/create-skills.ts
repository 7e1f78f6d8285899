import type { FileMount } from '../../agents/tools/workspace.ts';
import type { Routes } from '../../http/app.ts';
import { steadyClock } from '../../lib/clock.ts';
import type { ChangeLock } from '../../platform/ownership/change-lock.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { ExtensionsFile } from '../mcp/extensions-file.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { CustomSkills } from './custom-skills.ts';
import { skillsRoot } from './skill.ts';
import { SkillFiles } from './skill-files.ts';
import { SkillFolders } from './skill-folders.ts';
import { SkillInstall } from './skill-install.ts';
import { skillRoutes } from './skill-routes.ts';
import { Skills } from './skills.ts';
import { skillsPrompt } from './skills-prompt.ts';

export interface SkillsOptions {
  /** The folder that holds `public` and `custom`. */
  path: string;
  /** The skills that come with the product; null when there are none. */
  shipped: string | null;
}

export interface SkillsPart {
  routes: Routes;
  /** Returns the prompt for agents; limited to the given names when there are any. */
  promptFor(only: readonly string[] | null): Promise<string>;
  /** The files as tools that read them see them. */
  mount: FileMount;
}

export function createSkills({
  extensions,
  changes,
  access,
  files,
  audit,
  diskReserveBytes,
  clock,
  log,
  options,
}: Pick<ConversationParts, 'audit' | 'clock' | 'log'> & {
  extensions: ExtensionsFile;
  changes: ChangeLock;
  access: Pick<ThreadAccess, 'require'>;
  files: WorkspaceFiles;
  diskReserveBytes: number;
  options: SkillsOptions;
}): SkillsPart {
  const folders = new SkillFolders({ ...options, log });
  const skills = new Skills({ folders, extensions });
  const custom = new CustomSkills({ folders, skills, extensions, changes, clock });
  const archives = new SkillInstall({ custom, access, files, reserveBytes: diskReserveBytes });
  return {
    routes: skillRoutes({ skills, custom, archives, audit }),
    promptFor: async (only) => {
      const enabled = await skills.enabled();
      return skillsPrompt(enabled.filter(({ name }) => only === null || only.includes(name)));
    },
    mount: {
      prefix: skillsRoot,
      files: new SkillFiles({ enabled: () => skills.enabled(), clock: steadyClock }),
    },
  };
}
