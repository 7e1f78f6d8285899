import type { Model } from '@switchyard/contract/conversation/model';
import type { ChannelConfig } from '../../config/channels.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Memories } from '../memory/memories.ts';
import { mountRules } from '../mount-rules.ts';
import type { Runs } from '../runs/runs.ts';
import type { ChannelMessageRow } from '../tables.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { Threads } from '../threads/threads.ts';
import { type Command, helpText, unknownText } from './channel-command.ts';
import type { ChannelStore } from './channel-store.ts';

interface ChannelCommandsOptions {
  store: ChannelStore;
  threads: Pick<Threads, 'create'>;
  access: Pick<ThreadAccess, 'require'>;
  runs: Pick<Runs, 'list' | 'cancelMany'>;
  memories: Pick<Memories, 'get'>;
  models: readonly Model[];
  clock: Clock;
}

const agentName = /^[A-Za-z0-9-]{1,64}$/;

interface Asked {
  owner: Owner;
  row: ChannelMessageRow;
  config: ChannelConfig;
}

/** What is answered to a command, for its sender and about nobody else's things. */
export class ChannelCommands {
  readonly #options: ChannelCommandsOptions;

  constructor(options: ChannelCommandsOptions) {
    this.#options = options;
  }

  async answer(command: Command, asked: Asked): Promise<string> {
    switch (command.name) {
      case 'new':
        return this.#begin(asked);
      case 'bootstrap':
        return this.#setUp(asked, command.argument.trim());
      case 'status':
        return this.#status(asked);
      case 'stop':
        return this.#stop(asked);
      case 'models':
        return this.#models();
      case 'memory':
        return this.#memory(asked);
      case 'help':
        return helpText();
      case 'unknown':
        return unknownText(command.given);
    }
  }

  async #begin(asked: Asked): Promise<string> {
    await this.#beginThread(asked, null);
    return 'New conversation started.';
  }

  /** The agent is set up in talk, so it has a conversation of its own. */
  async #setUp(asked: Asked, name: string): Promise<string> {
    if (!agentName.test(name)) return 'Name the agent with letters, digits and -, as in: /bootstrap my-agent';
    await this.#beginThread(asked, name);
    return `What should "${name}" be for, and how should it work? /new ends the set-up.`;
  }

  async #beginThread({ owner, row, config }: Asked, agentSetup: string | null): Promise<void> {
    const { store, threads, clock } = this.#options;
    const threadId = newId();
    await threads.create(
      owner,
      {
        threadId,
        assistantId: config.assistant,
        metadata: { channel: row.channel, chat_id: row.chat_id },
        ifExists: 'do_nothing',
        supersteps: [],
      },
      mountRules['/api'],
    );
    await store.beginThread(keyOf(row), { threadId, agentSetup, at: toIso(clock()) });
  }

  async #status(asked: Asked): Promise<string> {
    const { runs, access } = this.#options;
    const threadId = await this.#threadId(asked);
    if (threadId === null) return 'No active conversation.';
    const thread = await access.require(asked.owner, threadId, { mustExist: true });
    const [last] = await runs.list(asked.owner, threadId, { limit: 1 });
    const lines = [
      `Active thread: ${threadId}`,
      `Title: ${thread?.display_name ?? '(none yet)'}`,
      `Status: ${thread?.status}`,
      `Last run: ${last?.status ?? '(none)'}`,
    ];
    return lines.join('\n');
  }

  async #stop(asked: Asked): Promise<string> {
    const threadId = await this.#threadId(asked);
    if (threadId === null) return 'Nothing is running.';
    const stopped = await this.#options.runs.cancelMany(asked.owner, { threadId }, 'interrupt');
    return stopped.length === 0 ? 'Nothing is running.' : 'Stopping.';
  }

  #models(): string {
    const lines = this.#options.models.map(
      ({ name, display_name: shown }, index) =>
        `- ${name}${shown && shown !== name ? ` (${shown})` : ''}${index === 0 ? ' [default]' : ''}`,
    );
    return ['Available models:', ...lines].join('\n');
  }

  async #memory({ owner }: Asked): Promise<string> {
    const { facts } = await this.#options.memories.get(owner, null);
    return `Memory contains ${facts.length} fact(s).`;
  }

  /** Null where the chat has none, or its thread was deleted. */
  async #threadId({ owner, row }: Asked): Promise<string | null> {
    const current = await this.#options.store.currentThread(keyOf(row));
    if (!current) return null;
    try {
      await this.#options.access.require(owner, current.thread_id, { mustExist: true });
      return current.thread_id;
    } catch (error) {
      if (error instanceof AppError && error.code === 'thread_not_found') return null;
      throw error;
    }
  }
}

function keyOf({ channel, chat_id, user_id }: ChannelMessageRow) {
  return { channel, chatId: chat_id, userId: user_id };
}
