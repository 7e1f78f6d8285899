import type { SkillCategory } from '@switchyard/contract/conversation/skill';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { isMap, parseDocument } from 'yaml';
import { AppError } from '../../lib/app-error.ts';

/** The facts about a skill in its `SKILL.md`. */
export interface SkillFacts {
  name: string;
  description: string;
  license: string | null;
  /** The tools that the author had in mind. Readers see them; they are not enforced. */
  allowedTools: string[] | null;
}

/** The folder in which agents see skills. */
export const skillsRoot = '/mnt/skills';
export const skillFile = 'SKILL.md';
export const maxSkillBytes = 128 * 1024;
const maxFrontMatterLength = 16_384;
const maxNameLength = 64;
const maxDescriptionLength = 1_024;
const maxLicenseLength = 512;
const maxTools = 100;
const maxToolLength = 128;

const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** A name that the API uses itself: `/api/skills/custom` lists custom skills. */
const reservedNames = new Set(['custom']);
const frontMatter = /^\uFEFF?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s;
const controls = /[^\P{Cc}\n\r\t]/u;

/** Returns whether a folder name can be a skill's name; checked before anything in the folder is read. */
export function isSkillName(name: string): boolean {
  return name.length <= maxNameLength && namePattern.test(name) && !reservedNames.has(name);
}

export function virtualPathOf(skill: { category: SkillCategory; name: string }): string {
  return `${skillsRoot}/${skill.category}/${skill.name}/${skillFile}`;
}

/** Reads the front matter of a `SKILL.md`. Throws `skill_invalid`, which says what is wrong and what is expected. */
export function readSkillText(text: string): SkillFacts {
  if (Buffer.byteLength(text) > maxSkillBytes) {
    throw invalid(say('skill_text_large', { bytes: maxSkillBytes }));
  }
  if (controls.test(text)) throw invalid(say('skill_text_controls'));
  const fields = frontMatterOf(text);
  return {
    name: nameIn(fields.name),
    description: textIn('description', fields.description, maxDescriptionLength),
    license: fields.license === undefined ? null : textIn('license', fields.license, maxLicenseLength),
    allowedTools: toolsIn(fields['allowed-tools']),
  };
}

interface Fields {
  name?: unknown;
  description?: unknown;
  license?: unknown;
  'allowed-tools'?: unknown;
}

function frontMatterOf(text: string): Fields {
  const yaml = frontMatter.exec(text)?.[1];
  if (yaml === undefined) {
    throw invalid(say('skill_text_begins_wrong'));
  }
  if (yaml.length > maxFrontMatterLength) {
    throw invalid(say('front_matter_long', { length: maxFrontMatterLength }));
  }
  const document = parseDocument(yaml, { logLevel: 'silent' });
  const [fault] = document.errors;
  if (fault) throw invalid(say('front_matter_no_yaml', { cause: firstLineOf(fault.message) }));
  if (!isMap(document.contents)) throw invalid(say('front_matter_no_map'));
  try {
    // Aliases are off: a few lines of them can unfold to more than fits into memory.
    return document.toJS({ maxAliasCount: 0 }) as Fields;
  } catch (cause) {
    throw invalid(say('front_matter_circular'), cause);
  }
}

function nameIn(given: unknown): string {
  const name = textIn('name', given, maxNameLength);
  if (namePattern.test(name) && !reservedNames.has(name)) return name;
  throw invalid(say('skill_name_wrong', { name }));
}

function textIn(key: 'name' | 'description' | 'license', given: unknown, maxLength: number): string {
  if (given === undefined || given === null) throw invalid(say('skill_field_missing', { skillField: key }));
  if (typeof given !== 'string') throw invalid(say('skill_field_no_text', { skillField: key }));
  const text = given.trim();
  if (text === '') throw invalid(say('skill_field_empty', { skillField: key }));
  if (text.length > maxLength) throw invalid(say('skill_field_long', { skillField: key, length: maxLength }));
  return text;
}

/** A list, or names separated by spaces or commas. Brackets within a tool's name may contain either. */
function toolsIn(given: unknown): string[] | null {
  if (given === undefined || given === null) return null;
  const tools = typeof given === 'string' ? (given.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []) : given;
  const isList = Array.isArray(tools) && tools.every((tool) => typeof tool === 'string');
  if (isList && tools.length <= maxTools && tools.every((tool) => tool.length <= maxToolLength)) return tools;
  throw invalid(say('skill_tools_wrong', { count: maxTools }));
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function invalid(message: Wording, cause?: unknown): AppError {
  return new AppError('skill_invalid', { message, cause });
}
