import { skillsRoot, virtualPathOf } from './skill.ts';
import type { FoundSkill } from './skill-folders.ts';

/** About 4,000 tokens in each call of a model. */
const maxListLength = 16_000;

/** Returns the prompt about the skills that an agent may use; empty when there are none. */
export function skillsPrompt(skills: readonly FoundSkill[]): string {
  if (skills.length === 0) return '';
  const lines: string[] = [];
  let length = 0;
  for (const skill of skills) {
    const line = `- ${skill.name} (${virtualPathOf(skill)}): ${onOneLine(skill.description)}`;
    length += line.length + 1;
    if (length > maxListLength) break;
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

/** A description can neither end the list nor begin a line of its own. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[<>]/g, ' ');
}
