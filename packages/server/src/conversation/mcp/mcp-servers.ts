import type { McpServerInput, McpTest } from '@switchyard/contract/conversation/mcp';
import { sentencesOf, textOf } from '@switchyard/contract/sentences/sentences';
import type { ExternalTool } from '../../agents/tools/external-tool.ts';
import { AppError } from '../../lib/app-error.ts';
import { KeyLock } from '../../lib/async/key-lock.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { ExtensionsFile } from './extensions-file.ts';
import { reasonOf, whyMcpFailed } from './mcp-failure.ts';
import { McpLink } from './mcp-link.ts';
import type { McpNetwork } from './mcp-network.ts';
import { openMcpSession } from './mcp-session.ts';
import {
  type McpServerSettings,
  masked,
  requireAllowed,
  serverNamed,
  storedServers,
  unmasked,
  withDefaults,
} from './mcp-settings.ts';
import type { McpTaskStore } from './mcp-task-store.ts';

/** The first run after a start or a change waits this long for servers that do not answer. */
const firstWaitMs = 2_000;

/** The MCP servers of this gateway: their settings, and the tools that they provide for agents. */
export class McpServers {
  readonly #options;
  readonly #lock = new KeyLock();
  #links: ReadonlyMap<string, McpLink> | null = null;
  /** The version of the file, and the settings in it, for which the links were opened. Another replica may change both. */
  #version = '';
  #openedFor = '';
  #firstWait: Promise<void> = Promise.resolve();
  /** Null when it has to be built again. */
  #tools: readonly ExternalTool[] | null = null;

  constructor(
    options: Pick<ConversationParts, 'version' | 'clock' | 'log'> & {
      file: ExtensionsFile;
      /** Programs that may be started, by their bare names. */
      allowedCommands: readonly string[];
      network: McpNetwork;
      tasks: McpTaskStore;
    },
  ) {
    this.#options = options;
  }

  /** With masked secrets. */
  async settings(): Promise<McpServerSettings> {
    return masked(await this.#stored());
  }

  async replace(given: Record<string, McpServerInput>): Promise<McpServerSettings> {
    return this.#change((stored) => unmasked(withDefaults(given), stored));
  }

  async switch(name: string, enabled: boolean): Promise<McpServerSettings> {
    return this.#change((stored) => {
      const server = serverNamed(stored, name);
      if (!server) throw notFound(name);
      return { ...stored, [name]: { ...server, enabled } };
    });
  }

  /** Makes the next run connect again. */
  async reset(): Promise<void> {
    await this.#lock.run('links', () => this.#closeLinks());
  }

  /** Uses a separate connection, independent of the one for runs. */
  async test(name: string): Promise<McpTest> {
    const server = serverNamed(await this.#stored(), name);
    if (!server) throw notFound(name);
    const { version, network } = this.#options;
    requireAllowed({ [name]: server }, this.#options);
    try {
      const ignore = () => {};
      const session = await openMcpSession(server, {
        version,
        fetch: network.fetch,
        onToolsChanged: ignore,
        onClosed: ignore,
      });
      await session.close();
      const tools = session.tools.map(({ inputSchema, ...tool }) => ({ ...tool, input_schema: inputSchema }));
      return { success: true, tools, error: null, sentences: [] };
    } catch (error) {
      const failure = whyMcpFailed(error, server);
      return { success: false, tools: [], error: textOf(failure), sentences: sentencesOf(failure) };
    }
  }

  /**
   * Returns the tools that are known now. Only the first call waits a moment for servers that were just connected; servers that
   * answer later are available to later runs. The list stays the same object while nothing has changed.
   */
  async tools(): Promise<readonly ExternalTool[]> {
    try {
      const links = await this.#lock.run('links', () => this.#open());
      for (const link of links.values()) void link.connect();
      await this.#firstWait;
      const tools = this.#tools ?? toolsOf(links);
      if (this.#links === links) this.#tools = tools;
      return tools;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'The MCP servers cannot be used');
      return noTools;
    }
  }

  /** For a run that was stopped: the tasks that it waited for end, too. */
  async cancelOfRun(runId: string): Promise<void> {
    const { tasks } = this.#options;
    for (const { call_key: key, server, task_id: taskId } of await tasks.ofRun(runId)) {
      const links = await this.#lock.run('links', () => this.#open());
      await links.get(server)?.cancelTask(taskId);
      await tasks.remove(key);
    }
  }

  async close(): Promise<void> {
    await this.reset();
  }

  async #stored(): Promise<McpServerSettings> {
    return storedServers((await this.#options.file.read()).mcpServers);
  }

  async #change(change: (stored: McpServerSettings) => McpServerSettings): Promise<McpServerSettings> {
    const { file } = this.#options;
    let changed: McpServerSettings = {};
    await file.change((extensions) => {
      changed = change(storedServers(extensions.mcpServers));
      requireAllowed(changed, this.#options);
      return { ...extensions, mcpServers: changed };
    });
    await this.reset();
    return masked(changed);
  }

  async #open(): Promise<ReadonlyMap<string, McpLink>> {
    const { file, log } = this.#options;
    const version = await file.version();
    if (this.#links && version === this.#version) return this.#links;
    const stored = await this.#stored();
    this.#version = version;
    const settings = JSON.stringify(stored);
    if (this.#links && settings === this.#openedFor) return this.#links;
    await this.#closeLinks();
    this.#openedFor = settings;
    const links = new Map<string, McpLink>();
    for (const [name, server] of Object.entries(stored).filter(([, { enabled }]) => enabled)) {
      try {
        requireAllowed({ [name]: server }, this.#options);
      } catch (error) {
        log.warn({ server: name, reason: reasonOf(error) }, 'An MCP server is not allowed any more');
        continue;
      }
      const onChange = () => {
        if (this.#links === links) this.#tools = null;
      };
      links.set(name, new McpLink({ ...this.#options, name, server, onChange }));
    }
    this.#links = links;
    this.#firstWait = settledWithin(
      firstWaitMs,
      [...links.values()].map((link) => link.connect()),
    );
    return links;
  }

  async #closeLinks(): Promise<void> {
    const links = this.#links;
    this.#links = null;
    this.#tools = null;
    await Promise.all([...(links?.values() ?? [])].map((link) => link.close()));
  }
}

const noTools: readonly ExternalTool[] = [];

function toolsOf(links: ReadonlyMap<string, McpLink>): readonly ExternalTool[] {
  const tools = new Map<string, ExternalTool>();
  for (const link of links.values()) {
    for (const { name: tool, description, inputSchema } of link.tools) {
      const name = mcpToolName(link.name, tool, tools);
      tools.set(name, {
        name,
        server: link.name,
        description,
        inputSchema,
        call: (input, call) => link.call(tool, input, call),
      });
    }
  }
  return tools.size === 0 ? noTools : [...tools.values()];
}

async function settledWithin(ms: number, work: readonly Promise<void>[]): Promise<void> {
  if (work.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.all(work), tooLong]);
  clearTimeout(timer);
}

function notFound(name: string): AppError {
  return new AppError('mcp_server_not_found', { message: `MCP server '${name}' not found` });
}

/** The characters that every provider accepts in the name of a function. */
const maxNameLength = 64;

/** `<server>_<tool>`, adjusted to the allowed form; a number distinguishes names that would then be the same. */
function mcpToolName(server: string, tool: string, taken: { has(name: string): boolean }): string {
  const name = `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, maxNameLength);
  for (let number = 2, candidate = name; ; number += 1) {
    if (!taken.has(candidate)) return candidate;
    const suffix = `_${number}`;
    candidate = name.slice(0, maxNameLength - suffix.length) + suffix;
  }
}
