import { createMiddleware } from 'langchain';
import type { Log } from '../../lib/log.ts';
import type { WorkingAgents } from '../working-agent.ts';
import { textOrNothing } from './optional-text.ts';

/** The tool that reads the files which the prompt names. */
const readingTool = 'read_file';

/**
 * Tells the model which skills exist and where it can read them. The list is read for each call, so switching a skill takes
 * effect at once, and it is never kept in the thread. When skills cannot be read the run continues without them.
 */
export function skillsContext({
  skillsFor,
  working,
  log,
}: {
  /** Returns the prompt about all skills or about the named ones; empty for none. */
  skillsFor: (only: readonly string[] | null) => Promise<string>;
  /** A custom agent may be limited to some skills. */
  working: Pick<WorkingAgents, 'of'> | null;
  log: Pick<Log, 'warn'>;
}) {
  return createMiddleware({
    name: 'SkillsMiddleware',
    wrapModelCall: async (request, handler) => {
      if (!request.tools.some(({ name }) => name === readingTool)) return handler(request);
      const agent = working && (await working.of(request.runtime));
      const skills = await textOrNothing(
        skillsFor(agent?.skills ?? null),
        log,
        'Skills cannot be read; the run goes on without them',
      );
      if (skills === '') return handler(request);
      return handler({ ...request, systemMessage: request.systemMessage.concat(`\n\n${skills}`) });
    },
  });
}
