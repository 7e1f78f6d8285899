import { skillsRoot, virtualPathOf } from './skill.ts';
import type { FoundSkill } from './skill-folders.ts';

/** Some 4,000 tokens, in each call of a model. */
const longestList = 16_000;

/** What agents are told of the skills that they may use; empty where there are none. */
export function skillsPrompt(skills: readonly FoundSkill[]): string {
  if (skills.length === 0) return '';
  const lines: string[] = [];
  let length = 0;
  for (const skill of skills) {
    const line = `- ${skill.name} (${virtualPathOf(skill)}): ${onOneLine(skill.description)}`;
    length += line.length + 1;
    if (length > longestList) break;
    lines.push(line);
  }
  const left = skills.length - lines.length;
  return [
    '<skills>',
    'Skills are instructions for certain kinds of work. When a request fits the description of one, read its SKILL.md first and follow it; what it names lies beside it. Their files can be read and not changed.',
    ...lines,
    ...(left === 0 ? [] : [`- and ${left} more: list ${skillsRoot} to see them.`]),
    '</skills>',
  ].join('\n');
}

/** No description ends the list or begins a line of its own. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[<>]/g, ' ');
}
