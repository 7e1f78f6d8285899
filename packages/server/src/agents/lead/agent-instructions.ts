import { createMiddleware } from 'langchain';
import type { Log } from '../../lib/log.ts';
import { textOrNothing } from '../middleware/optional-text.ts';
import { runHandleOf } from '../run-contract/run-handle.ts';
import type { UserAgents, WorkingAgent } from '../working-agent.ts';

/**
 * Tells the model which agent it works as and what its user says about themselves. Neither is kept in the thread. A run continues
 * without a profile that cannot be read. It fails without its agent, because it would be a different run.
 */
export function agentInstructions({ working, profileOf }: UserAgents, log: Pick<Log, 'warn'>) {
  return createMiddleware({
    name: 'AgentInstructionsMiddleware',
    wrapModelCall: async (request, handler) => {
      const agent = await working.of(request.runtime);
      const userId = runHandleOf(request.runtime)?.userId;
      const profile =
        userId === undefined
          ? ''
          : await textOrNothing(
              profileOf(userId).then(profilePrompt),
              log,
              'A user profile cannot be read; the run goes on without it',
            );
      const told = [agent ? agentPrompt(agent) : '', profile].filter(Boolean);
      if (told.length === 0) return handler(request);
      return handler({ ...request, systemMessage: request.systemMessage.concat(`\n\n${told.join('\n\n')}`) });
    },
  });
}

/** Returns the prompt of the agent that the lead agent works as. */
function agentPrompt({
  name,
  description,
  soul,
}: Pick<WorkingAgent, 'name' | 'description' | 'soul'>): string {
  const about = description.trim() === '' ? '' : ` It is described so: ${description.trim()}`;
  const introduction = `You work as the user's own agent "${name}".${about}`;
  if (soul.trim() === '') return introduction;
  return [introduction, 'Who you are and how you work:', '<soul>', soul.trim(), '</soul>'].join('\n');
}

/** Returns the prompt about the user for each of their agents; empty for none. */
function profilePrompt(content: string | null): string {
  if (content === null || content.trim() === '') return '';
  return ['What the user says of themselves:', '<user_profile>', content.trim(), '</user_profile>'].join(
    '\n',
  );
}
