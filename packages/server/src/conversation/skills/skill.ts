import type { SkillCategory } from '@switchyard/contract/conversation/skill';
import { isMap, parseDocument } from 'yaml';
import { AppError } from '../../lib/app-error.ts';

/** What `SKILL.md` says about its skill. */
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

/** Whether a folder name can be a skill's name; checked before anything in the folder is read. */
export function isSkillName(name: string): boolean {
  return name.length <= maxNameLength && namePattern.test(name) && !reservedNames.has(name);
}

export function virtualPathOf(skill: { category: SkillCategory; name: string }): string {
  return `${skillsRoot}/${skill.category}/${skill.name}/${skillFile}`;
}

/** Reads the front matter of a `SKILL.md`. Throws `skill_invalid`, which says what is wrong and what is expected. */
export function readSkillText(text: string): SkillFacts {
  if (Buffer.byteLength(text) > maxSkillBytes) {
    throw invalid(`${skillFile} is larger than ${maxSkillBytes} bytes. Put parts of it into other files.`);
  }
  if (controls.test(text)) throw invalid(`${skillFile} holds control characters.`);
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
    throw invalid(
      `${skillFile} begins with a line "---", then name and description in YAML, then "---" again.`,
    );
  }
  if (yaml.length > maxFrontMatterLength) {
    throw invalid(`The front matter is longer than ${maxFrontMatterLength} characters.`);
  }
  const document = parseDocument(yaml, { logLevel: 'silent' });
  const [fault] = document.errors;
  if (fault) throw invalid(`The front matter is not valid YAML: ${firstLineOf(fault.message)}`);
  if (!isMap(document.contents)) throw invalid('The front matter is no list of keys with values.');
  try {
    // Aliases are off: a few lines of them can unfold to more than fits into memory.
    return document.toJS({ maxAliasCount: 0 }) as Fields;
  } catch (cause) {
    throw invalid('The front matter refers to itself. Write values out.', cause);
  }
}

function nameIn(given: unknown): string {
  const name = textIn('name', given, maxNameLength);
  if (namePattern.test(name) && !reservedNames.has(name)) return name;
  throw invalid(`name is lower-case letters and digits with single hyphens between words, unlike "${name}".`);
}

function textIn(key: string, given: unknown, maxLength: number): string {
  if (given === undefined || given === null) throw invalid(`${key} is missing in the front matter.`);
  if (typeof given !== 'string') throw invalid(`${key} is text. Put it into quotes.`);
  const text = given.trim();
  if (text === '') throw invalid(`${key} is empty.`);
  if (text.length > maxLength) throw invalid(`${key} is longer than ${maxLength} characters.`);
  return text;
}

/** A list, or names separated by spaces or commas. Brackets within a tool's name may contain either. */
function toolsIn(given: unknown): string[] | null {
  if (given === undefined || given === null) return null;
  const tools = typeof given === 'string' ? (given.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []) : given;
  const isList = Array.isArray(tools) && tools.every((tool) => typeof tool === 'string');
  if (isList && tools.length <= maxTools && tools.every((tool) => tool.length <= maxToolLength)) return tools;
  throw invalid(`allowed-tools is a list of at most ${maxTools} names of tools.`);
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('skill_invalid', { message, cause });
}
