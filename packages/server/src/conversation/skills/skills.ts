import type { Skill, SkillCategory, SkillList } from '@switchyard/contract/conversation/skill';
import { AppError } from '../../lib/app-error.ts';
import type { ExtensionsFile } from '../mcp/extensions-file.ts';
import type { FoundSkill, SkillFolders } from './skill-folders.ts';
import { isEnabled, type SkillSwitches, switchesIn, withSwitch } from './skill-switches.ts';

/** All skills of this gateway, and which of them are switched on. */
export class Skills {
  readonly #options;

  constructor(options: { folders: SkillFolders; extensions: ExtensionsFile }) {
    this.#options = options;
  }

  async list(only?: SkillCategory): Promise<SkillList> {
    const { skills, broken } = await this.#options.folders.find();
    const switches = await this.#switches();
    const isWanted = ({ category }: { category: SkillCategory }) => only === undefined || category === only;
    return {
      skills: skills.filter(isWanted).map((found) => shown(found, switches)),
      broken: broken.filter(isWanted),
    };
  }

  async get(name: string): Promise<Skill> {
    return shown(await this.#require(name), await this.#switches());
  }

  async switch(name: string, enabled: boolean): Promise<Skill> {
    const found = await this.#require(name);
    let switches: SkillSwitches = {};
    await this.#options.extensions.change((extensions) => {
      switches = withSwitch(switchesIn(extensions.skills), name, enabled);
      return { ...extensions, skills: switches };
    });
    return shown(found, switches);
  }

  /** The skills that agents may see. */
  async enabled(): Promise<FoundSkill[]> {
    const { skills } = await this.#options.folders.find();
    const switches = await this.#switches();
    return skills.filter(({ name }) => isEnabled(switches, name));
  }

  /** Makes the next lookup read every file again. */
  reload(): void {
    this.#options.folders.forget();
  }

  async #require(name: string): Promise<FoundSkill> {
    const { skills } = await this.#options.folders.find();
    const found = skills.find((skill) => skill.name === name);
    if (found) return found;
    throw new AppError('skill_not_found', { message: `Skill '${name}' not found` });
  }

  async #switches(): Promise<SkillSwitches> {
    return switchesIn((await this.#options.extensions.read()).skills);
  }
}

function shown(found: FoundSkill, switches: SkillSwitches): Skill {
  const { name, description, license, allowedTools, category } = found;
  return {
    name,
    description,
    license,
    allowed_tools: allowedTools,
    category,
    enabled: isEnabled(switches, name),
    editable: category === 'custom',
  };
}
