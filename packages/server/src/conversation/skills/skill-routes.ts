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
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../../http/access/actor.ts';
import { identityOf, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Audit } from '../../platform/audit/audit.ts';
import { type CustomSkills, etagOf } from './custom-skills.ts';
import type { SkillInstall } from './skill-install.ts';
import type { Skills } from './skills.ts';

export function skillRoutes({
  skills,
  custom,
  archives,
  audit,
}: {
  skills: Skills;
  custom: CustomSkills;
  archives: SkillInstall;
  audit: Pick<Audit, 'add'>;
}): Routes {
  const record = (request: FastifyRequest, action: string, name: string | null, details = {}) =>
    audit.add(actorOf(request), { action, target: name === null ? null : ['skill', name], details });

  return (app) => {
    app.route({ ...listSkills, handler: async () => skills.list() });

    app.route({ ...getSkill, handler: async (request) => skills.get(request.params.skill_name) });

    app.route({
      ...switchSkill,
      handler: async (request) => {
        const { skill_name: name } = request.params;
        const { enabled } = request.body;
        const skill = await skills.switch(name, enabled);
        await record(request, enabled ? 'skill.enabled' : 'skill.disabled', name);
        return skill;
      },
    });

    app.route({
      ...installSkill,
      handler: async (request) => {
        const { thread_id: threadId, path } = request.body;
        const author = identityOf(request).userId;
        const name = await archives.install(ownerOf(request), { threadId, path, author });
        await record(request, 'skill.installed', name, { thread: threadId });
        return { success: true, skill_name: name, message: `Skill '${name}' installed successfully` };
      },
    });

    app.route({
      ...reloadSkills,
      handler: async (request) => {
        skills.reload();
        await record(request, 'skills.reloaded', null);
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
        await record(request, 'skill.changed', request.params.skill_name);
        reply.header('etag', etagOf(skill.content));
        return skill;
      },
    });

    app.route({
      ...deleteCustomSkill,
      handler: async (request) => {
        await custom.delete(request.params.skill_name, identityOf(request).userId);
        await record(request, 'skill.deleted', request.params.skill_name);
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
        await record(request, 'skill.rolled_back', request.params.skill_name);
        reply.header('etag', etagOf(skill.content));
        return skill;
      },
    });
  };
}
