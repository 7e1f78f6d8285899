import type { SkillCategory } from '@switchyard/contract/conversation/skill';
import { isMap, parseDocument } from 'yaml';
import { AppError } from '../../lib/app-error.ts';

/** What `SKILL.md` says about its skill. */
export interface SkillFacts {
  name: string;
  description: string;
  license: string | null;
  /** The tools that its author had in mind; told to readers, and not enforced. */
  allowedTools: string[] | null;
}

/** Where agents see skills. */
export const skillsRoot = '/mnt/skills';
export const skillFile = 'SKILL.md';
export const largestSkillBytes = 128 * 1024;
const largestFrontMatter = 16_384;
const longestName = 64;
const longestDescription = 1_024;
const longestLicense = 512;
const mostTools = 100;
const longestTool = 128;

const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** A place of its own in the API: `/api/skills/custom` lists. */
const reservedNames = new Set(['custom']);
const frontMatter = /^\uFEFF?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s;
const controls = /[^\P{Cc}\n\r\t]/u;

/** Whether a folder may be a skill's at all, before anything of it is read. */
export function isSkillName(name: string): boolean {
  return name.length <= longestName && namePattern.test(name) && !reservedNames.has(name);
}

export function virtualPathOf(skill: { category: SkillCategory; name: string }): string {
  return `${skillsRoot}/${skill.category}/${skill.name}/${skillFile}`;
}

/** The front matter of a `SKILL.md`. Throws `skill_invalid` with what is wrong and how it has to be. */
export function readSkillText(text: string): SkillFacts {
  if (Buffer.byteLength(text) > largestSkillBytes) {
    throw invalid(
      `${skillFile} is larger than ${largestSkillBytes} bytes. Put parts of it into other files.`,
    );
  }
  if (controls.test(text)) throw invalid(`${skillFile} holds control characters.`);
  const fields = frontMatterOf(text);
  return {
    name: nameIn(fields.name),
    description: textIn('description', fields.description, longestDescription),
    license: fields.license === undefined ? null : textIn('license', fields.license, longestLicense),
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
  if (yaml.length > largestFrontMatter) {
    throw invalid(`The front matter is longer than ${largestFrontMatter} characters.`);
  }
  const document = parseDocument(yaml, { logLevel: 'silent' });
  const [fault] = document.errors;
  if (fault) throw invalid(`The front matter is not valid YAML: ${firstLineOf(fault.message)}`);
  if (!isMap(document.contents)) throw invalid('The front matter is no list of keys with values.');
  try {
    // Without aliases: a few lines of them unfold to more than memory holds.
    return document.toJS({ maxAliasCount: 0 }) as Fields;
  } catch (cause) {
    throw invalid('The front matter refers to itself. Write values out.', cause);
  }
}

function nameIn(given: unknown): string {
  const name = textIn('name', given, longestName);
  if (namePattern.test(name) && !reservedNames.has(name)) return name;
  throw invalid(`name is lower-case letters and digits with single hyphens between words, unlike "${name}".`);
}

function textIn(key: string, given: unknown, most: number): string {
  if (given === undefined || given === null) throw invalid(`${key} is missing in the front matter.`);
  if (typeof given !== 'string') throw invalid(`${key} is text. Put it into quotes.`);
  const text = given.trim();
  if (text === '') throw invalid(`${key} is empty.`);
  if (text.length > most) throw invalid(`${key} is longer than ${most} characters.`);
  return text;
}

/** A list, or names with spaces or commas between them; brackets of a tool's own may hold either. */
function toolsIn(given: unknown): string[] | null {
  if (given === undefined || given === null) return null;
  const tools = typeof given === 'string' ? (given.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []) : given;
  const isList = Array.isArray(tools) && tools.every((tool) => typeof tool === 'string');
  if (isList && tools.length <= mostTools && tools.every((tool) => tool.length <= longestTool)) return tools;
  throw invalid(`allowed-tools is a list of at most ${mostTools} names of tools.`);
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('skill_invalid', { message, cause });
}
