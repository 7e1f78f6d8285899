import type { WorkingAgent } from '../working-agent.ts';

/** Returns what the lead agent is told about the agent that it works as. */
export function agentPrompt({
  name,
  description,
  soul,
}: Pick<WorkingAgent, 'name' | 'description' | 'soul'>): string {
  const about = description.trim() === '' ? '' : ` It is described so: ${description.trim()}`;
  const introduction = `You work as the user's own agent "${name}".${about}`;
  if (soul.trim() === '') return introduction;
  return [introduction, 'Who you are and how you work:', '<soul>', soul.trim(), '</soul>'].join('\n');
}

/** Returns what every agent of the user is told about them, or an empty text for nothing. */
export function profilePrompt(content: string | null): string {
  if (content === null || content.trim() === '') return '';
  return ['What the user says of themselves:', '<user_profile>', content.trim(), '</user_profile>'].join(
    '\n',
  );
}
