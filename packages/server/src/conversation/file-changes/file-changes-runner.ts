import { leadAgentName } from '../../agents/agent-ids.ts';
import type {
  AgentRunEnd,
  AgentRunner,
  AgentRunRequest,
  AgentRunTools,
} from '../../agents/run-contract/agent-run.ts';
import { isStoppedForGood } from '../../agents/run-contract/run-handle.ts';
import type { Log } from '../../lib/log.ts';
import type { RecordedChanges } from './change-report.ts';
import type { FileChanges } from './file-changes.ts';
import type { FollowedFiles } from './followed-files.ts';
import { changesEventType } from './recorded-changes.ts';

/** Records what a run of the lead agent has changed in the files of its thread, however the run ends. */
export class FileChangesRunner implements AgentRunner {
  readonly #options;

  constructor(options: {
    inner: AgentRunner;
    changes: Pick<FileChanges, 'follow' | 'forget'>;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  async run(request: AgentRunRequest, tools: AgentRunTools): Promise<AgentRunEnd> {
    const { inner, changes } = this.#options;
    // The graphs of users have no tools for these files.
    if (request.graphId !== leadAgentName) return inner.run(request, tools);
    const followed = changes.follow(request);
    try {
      return await inner.run(request, tools);
    } finally {
      // A run that was released or lost has not ended: the process that continues it records the rest.
      if (!tools.signal.aborted || isStoppedForGood(tools.signal))
        await this.#record(followed, { request, tools });
      changes.forget(request.runId);
    }
  }

  async #record(
    followed: FollowedFiles,
    { request, tools }: { request: AgentRunRequest; tools: AgentRunTools },
  ): Promise<void> {
    try {
      const changes = await followed.changes();
      if (changes === null) return;
      // This process does not know the files that an earlier process wrote for the run.
      const content = request.attempt > 1 ? marked(changes) : changes;
      tools.recorder.record({ event_type: changesEventType, category: 'workspace', content, origin: null });
    } catch (error) {
      const { runId } = request;
      this.#options.log.warn({ err: error, runId }, 'What a run changed in its files could not be recorded');
    }
  }
}

function marked(changes: RecordedChanges): RecordedChanges {
  return { ...changes, summary: { ...changes.summary, truncated: true } };
}
