import type { Model } from '@switchyard/contract/conversation/model';
import { leadAgentName } from '../agents/agent-ids.ts';
import type { ChannelConfig } from '../config/channels.ts';
import type { Memories } from '../conversation/memory/memories.ts';
import type { Runs } from '../conversation/runs/runs.ts';
import type { Owner } from '../lib/owner.ts';
import { type Command, helpText, unknownText } from './channel-command.ts';
import type { ChatThreads } from './chat-threads.ts';
import type { ChannelMessageRow } from './tables.ts';

const agentName = /^[A-Za-z0-9-]{1,64}$/;

interface Asked {
  owner: Owner;
  row: ChannelMessageRow;
  config: ChannelConfig;
}

/** Answers commands. A command only shows and changes what belongs to its sender. */
export class ChannelCommands {
  readonly #options;

  constructor(options: {
    chats: ChatThreads;
    runs: Pick<Runs, 'list' | 'cancelMany'>;
    memories: Pick<Memories, 'get'>;
    models: readonly Model[];
  }) {
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

  async #begin({ owner, row, config }: Asked): Promise<string> {
    await this.#options.chats.begin(owner, row, config);
    return 'New conversation started.';
  }

  /** The agent is set up in a dialogue, so the setup has a conversation of its own. */
  async #setUp({ owner, row }: Asked, name: string): Promise<string> {
    if (!agentName.test(name)) return 'Name the agent with letters, digits and -, as in: /bootstrap my-agent';
    await this.#options.chats.begin(owner, row, { assistant: leadAgentName, agentSetup: name });
    return `What should "${name}" be for, and how should it work? /new ends the set-up.`;
  }

  async #status({ owner, row }: Asked): Promise<string> {
    const current = await this.#options.chats.current(owner, row);
    if (!current) return 'No active conversation.';
    const { thread_id: threadId, display_name: title, status } = current.thread;
    const [last] = await this.#options.runs.list(owner, threadId, { limit: 1 });
    const lines = [
      `Active thread: ${threadId}`,
      `Title: ${title ?? '(none yet)'}`,
      `Status: ${status}`,
      `Last run: ${last?.status ?? '(none)'}`,
    ];
    return lines.join('\n');
  }

  async #stop({ owner, row }: Asked): Promise<string> {
    const current = await this.#options.chats.current(owner, row);
    if (!current) return 'Nothing is running.';
    const { thread_id: threadId } = current.thread;
    const stopped = await this.#options.runs.cancelMany(owner, { threadId }, 'interrupt');
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
}
