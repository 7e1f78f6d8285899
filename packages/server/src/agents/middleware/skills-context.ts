import { createMiddleware } from 'langchain';
import { textOrNothing } from '../optional-text.ts';
import type { WorkingAgents } from '../working-agent.ts';

interface SkillsContextOptions {
  /** What to tell of the skills, or of the named ones alone; empty for nothing. */
  skillsFor: (only: readonly string[] | null) => Promise<string>;
  /** A custom agent may know some skills alone. */
  working: Pick<WorkingAgents, 'of'> | null;
  log: { warn(details: object, message: string): void };
}

/** The tool that reads what the prompt names. */
const readingTool = 'read_file';

/**
 * Tells the model which skills there are, where it can read them. Asked for each call, so that one that was switched counts
 * at once, and never kept in the thread. Where skills cannot be read the run goes on without them.
 */
export function skillsContext({ skillsFor, working, log }: SkillsContextOptions) {
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
