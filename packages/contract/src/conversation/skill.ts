import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { sentenceList } from '../sentences/sentence.ts';
import { isoTime, nullable, oneOf } from '../shapes.ts';
import { threadId } from './ids.ts';

const tags = ['Skills'];
const url = '/api/skills';

export const skillName = Type.String({
  maxLength: 64,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  description: 'Lower-case words with hyphens between them, at most 64 characters.',
});

export const skillCategories = ['public', 'custom'] as const;
export type SkillCategory = (typeof skillCategories)[number];

const category = oneOf(skillCategories, {
  description: 'public: came with the gateway or its host. custom: installed over the API.',
});

/** Instructions that an agent reads when its task matches the description. */
export const skill = Type.Object({
  name: skillName,
  description: Type.String(),
  license: nullable(Type.String()),
  allowed_tools: nullable(Type.Array(Type.String(), { description: 'Told to readers, and not enforced.' })),
  category,
  enabled: Type.Boolean({ description: 'Whether agents see it.' }),
  editable: Type.Boolean({ description: 'Custom skills can be changed over the API.' }),
});
export type Skill = Static<typeof skill>;

const brokenSkill = Type.Object({
  name: Type.String({ description: 'Of its folder.' }),
  category,
  reason: Type.String(),
  sentences: sentenceList,
});
export type BrokenSkill = Static<typeof brokenSkill>;

export const skillList = Type.Object({
  skills: Type.Array(skill),
  broken: Type.Array(brokenSkill, {
    description: 'Folders that hold no usable skill; agents do not see them.',
  }),
});
export type SkillList = Static<typeof skillList>;

/** The limit in bytes is checked where the text is read. */
const content = Type.String({
  minLength: 1,
  maxLength: 131_072,
  description: 'The text of `SKILL.md`, front matter included; at most 128 kB.',
});
export const skillText = Type.Object({ ...skill.properties, content });
export type SkillText = Static<typeof skillText>;

const skillChange = Type.Object({
  ts: isoTime,
  action: oneOf(['install', 'edit', 'delete', 'rollback']),
  author: Type.String({ description: 'Id of the user.' }),
  file_path: Type.String(),
  prev_content: nullable(Type.String()),
  new_content: nullable(Type.String()),
});
export type SkillChange = Static<typeof skillChange>;

const params = Type.Object({ skill_name: skillName });

export const listSkills = {
  method: 'GET',
  url,
  config: { access: 'conversation:read' },
  schema: { summary: 'List skills by name', tags, response: { 200: skillList } },
} as const satisfies Endpoint;

export const getSkill = {
  method: 'GET',
  url: `${url}/:skill_name`,
  config: { access: 'conversation:read' },
  schema: { summary: 'A skill', tags, params, response: { 200: skill } },
} as const satisfies Endpoint;

export const switchSkill = {
  method: 'PUT',
  url: `${url}/:skill_name`,
  config: { access: 'admin' },
  schema: {
    summary: 'Switch a skill on or off, for all agents and users',
    tags,
    params,
    body: Type.Object({ enabled: Type.Boolean() }),
    response: { 200: skill },
  },
} as const satisfies Endpoint;

export const installSkill = {
  method: 'POST',
  url: `${url}/install`,
  config: { access: 'admin' },
  schema: {
    summary: "Install a `.skill` archive that lies among the caller's files of a thread",
    description: 'A zip archive with `SKILL.md` at its top or in its one folder. It becomes a custom skill.',
    tags,
    body: Type.Object({
      thread_id: threadId,
      path: Type.String({
        minLength: 1,
        maxLength: 4_096,
        description: 'A virtual path: `/mnt/user-data/outputs/x.skill`.',
      }),
    }),
    response: {
      200: Type.Object({ success: Type.Boolean(), skill_name: skillName, message: Type.String() }),
    },
  },
} as const satisfies Endpoint;

export const reloadSkills = {
  method: 'POST',
  url: `${url}/reload`,
  config: { access: 'admin' },
  schema: {
    summary: 'Read all skills from their files again',
    description: 'Changed files count without it; it is for files whose time of change did not move.',
    tags,
    response: {
      200: Type.Object({ success: Type.Boolean(), scope: oneOf(['process']), message: Type.String() }),
    },
  },
} as const satisfies Endpoint;

export const listCustomSkills = {
  method: 'GET',
  url: `${url}/custom`,
  config: { access: 'conversation:read' },
  schema: { summary: 'List custom skills by name', tags, response: { 200: skillList } },
} as const satisfies Endpoint;

export const getCustomSkill = {
  method: 'GET',
  url: `${url}/custom/:skill_name`,
  config: { access: 'conversation:read' },
  schema: {
    summary: 'A custom skill with its text',
    description: 'The header `ETag` names the text for a change of it.',
    tags,
    params,
    response: { 200: skillText },
  },
} as const satisfies Endpoint;

export const updateCustomSkill = {
  method: 'PUT',
  url: `${url}/custom/:skill_name`,
  config: { access: 'admin' },
  schema: {
    summary: 'Replace the text of a custom skill',
    description:
      'Its other files stay. `If-Match` with the text that was read guards against overwriting somebody else.',
    tags,
    params,
    headers: Type.Object({ 'if-match': Type.Optional(Type.String({ maxLength: 128 })) }),
    body: Type.Object({ content }),
    response: { 200: skillText },
  },
} as const satisfies Endpoint;

export const deleteCustomSkill = {
  method: 'DELETE',
  url: `${url}/custom/:skill_name`,
  config: { access: 'admin' },
  schema: {
    summary: 'Delete a custom skill with all its files',
    description: 'Its history stays; a rollback brings the text back, not the other files.',
    tags,
    params,
    response: { 200: Type.Object({ success: Type.Boolean() }) },
  },
} as const satisfies Endpoint;

export const getSkillHistory = {
  method: 'GET',
  url: `${url}/custom/:skill_name/history`,
  config: { access: 'admin' },
  schema: {
    summary: 'The newest 20 changes of a custom skill, the oldest first',
    tags,
    params,
    response: { 200: Type.Object({ history: Type.Array(skillChange) }) },
  },
} as const satisfies Endpoint;

export const rollBackSkill = {
  method: 'POST',
  url: `${url}/custom/:skill_name/rollback`,
  config: { access: 'admin' },
  schema: {
    summary: 'Put back the text that a custom skill had before a change',
    tags,
    params,
    body: Type.Object({
      history_index: Type.Integer({
        minimum: -1_000,
        maximum: 1_000,
        default: -1,
        description: 'Place of the change in the history; negative numbers count from the newest.',
      }),
    }),
    response: { 200: skillText },
  },
} as const satisfies Endpoint;
