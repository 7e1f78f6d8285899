import {
  deleteCustomSkill,
  getCustomSkill,
  getSkill,
  getSkillHistory,
  installSkill,
  listCustomSkills,
  listSkills,
  reloadSkills,
  rollBackSkill,
  switchSkill,
  updateCustomSkill,
} from '@switchyard/contract/conversation/skill';
import { identityOf, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { type CustomSkills, etagOf } from './custom-skills.ts';
import type { SkillInstall } from './skill-install.ts';
import type { Skills } from './skills.ts';

interface SkillRoutesOptions {
  skills: Skills;
  custom: CustomSkills;
  archives: SkillInstall;
}

export function skillRoutes({ skills, custom, archives }: SkillRoutesOptions): Routes {
  return (app) => {
    app.route({ ...listSkills, handler: async () => skills.list() });

    app.route({ ...getSkill, handler: async (request) => skills.get(request.params.skill_name) });

    app.route({
      ...switchSkill,
      handler: async (request) => skills.switch(request.params.skill_name, request.body.enabled),
    });

    app.route({
      ...installSkill,
      handler: async (request) => {
        const { thread_id: threadId, path } = request.body;
        const author = identityOf(request).userId;
        const name = await archives.install(ownerOf(request), { threadId, path, author });
        return { success: true, skill_name: name, message: `Skill '${name}' installed successfully` };
      },
    });

    app.route({
      ...reloadSkills,
      handler: async () => {
        skills.reload();
        return { success: true, scope: 'process' as const, message: 'All skills are read again.' };
      },
    });

    app.route({ ...listCustomSkills, handler: async () => skills.list('custom') });

    app.route({
      ...getCustomSkill,
      handler: async (request, reply) => {
        const skill = await custom.get(request.params.skill_name);
        reply.header('etag', etagOf(skill.content));
        return skill;
      },
    });

    app.route({
      ...updateCustomSkill,
      handler: async (request, reply) => {
        const skill = await custom.edit(request.params.skill_name, {
          content: request.body.content,
          ifMatch: request.headers['if-match'],
          author: identityOf(request).userId,
        });
        reply.header('etag', etagOf(skill.content));
        return skill;
      },
    });

    app.route({
      ...deleteCustomSkill,
      handler: async (request) => {
        await custom.delete(request.params.skill_name, identityOf(request).userId);
        return { success: true };
      },
    });

    app.route({
      ...getSkillHistory,
      handler: async (request) => ({ history: await custom.history(request.params.skill_name) }),
    });

    app.route({
      ...rollBackSkill,
      handler: async (request, reply) => {
        const skill = await custom.rollBack(request.params.skill_name, {
          index: request.body.history_index,
          author: identityOf(request).userId,
        });
        reply.header('etag', etagOf(skill.content));
        return skill;
      },
    });
  };
}
