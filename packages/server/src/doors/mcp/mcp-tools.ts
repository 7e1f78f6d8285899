import { Readable } from 'node:stream';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { Scope } from '@switchyard/contract/endpoint';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { toolNamesOf } from '../../agents/tools/workflow-tool-name.ts';
import type { StoredFiles } from '../../dispatch/files/stored-files.ts';
import type { Instances } from '../../dispatch/fleet/instances.ts';
import type { Waiting } from '../../dispatch/waiting/waiting.ts';
import type { SavedWorkflows } from '../../dispatch/workflows/saved-workflows.ts';
import { AppError } from '../../lib/app-error.ts';
import { AgentWorks } from './agent-works.ts';
import type { McpCaller, McpWork, McpWorks } from './mcp-work.ts';
import type { WorkflowWorks } from './workflow-works.ts';

/** The pool behind the tools; null where this gateway has none. */
export interface McpPool {
  works: WorkflowWorks;
  savedWorkflows: Pick<SavedWorkflows, 'exposed'>;
  files: Pick<StoredFiles, 'addOnce'>;
  instances: Pick<Instances, 'list'>;
  waiting: Pick<Waiting, 'why'>;
}

/** The outcome of a call: its result, or work that goes on. */
export type McpCallOutcome = { result: CallToolResult } | { work: McpWork; works: McpWorks };

interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** The scope that a token needs for it; null when the scope of the door is enough. */
  scope: Scope | null;
  /** The hints of the protocol: it changes nothing, or it takes something away. */
  kind: 'reads' | 'adds' | 'destroys';
  call(caller: McpCaller, args: Record<string, unknown>): Promise<McpCallOutcome>;
}

/** Each tool takes room in the context of a model, on every request. Further workflows are found by a search. */
const maxWorkflowTools = 50;
const maxFound = 10;
/** As many characters as a body has room for. */
const maxUploadLength = 8_000_000;
const maxMessageLength = 200_000;

const id = Type.String({ minLength: 1, maxLength: 100 });
const taskArgs = Type.Object({ task_id: id }, { additionalProperties: false });
const closed = { additionalProperties: false } as const;

/** The tools of an account: those of the gateway, its exposed workflows, and the agents. */
export class McpTools {
  readonly #options;

  constructor(options: { pool: McpPool | null; agents: AgentWorks | null }) {
    this.#options = options;
  }

  async list(caller: McpCaller): Promise<Tool[]> {
    const { workflows, hasMore } = await this.#workflowTools(caller);
    const tools = [...this.#ownTools(hasMore), ...workflows, ...(await this.#agentTools(caller))];
    return tools.filter(({ scope }) => mayUse(caller, scope)).map(shown);
  }

  /** Returns undefined for a name that is not one of the caller's tools. */
  async call(
    caller: McpCaller,
    name: string,
    args: Record<string, unknown>,
  ): Promise<McpCallOutcome | undefined> {
    const tool = (await this.#candidates(caller, name)).find((each) => each.name === name);
    if (!tool) return undefined;
    if (!mayUse(caller, tool.scope))
      throw new AppError('scope_missing', { message: `The token lacks the scope ${tool.scope}.` });
    return tool.call(caller, args);
  }

  async look(caller: McpCaller, taskId: string): Promise<McpWork> {
    return this.#worksOf(taskId, caller, 'read').look(caller, taskId);
  }

  async cancel(caller: McpCaller, taskId: string): Promise<void> {
    await this.#worksOf(taskId, caller, 'write').cancel(caller, taskId);
  }

  /** A null is the answer of a user who gave none. */
  async answer(
    caller: McpCaller,
    taskId: string,
    answers: Readonly<Record<string, string | null>>,
  ): Promise<void> {
    const works = this.#worksOf(taskId, caller, 'write');
    if (works instanceof AgentWorks) await works.answer(caller, taskId, answers);
    else await works.look(caller, taskId);
  }

  #worksOf(taskId: string, caller: McpCaller, access: 'read' | 'write'): McpWorks {
    const isRun = AgentWorks.owns(taskId);
    const scope = `${isRun ? 'conversation' : 'dispatch'}:${access}` as const;
    if (!mayUse(caller, scope))
      throw new AppError('scope_missing', { message: `The token lacks the scope ${scope}.` });
    const works = isRun ? this.#options.agents : this.#options.pool?.works;
    if (!works) throw new AppError('task_not_found');
    return works;
  }

  async #candidates(caller: McpCaller, name: string): Promise<McpTool[]> {
    if (name.startsWith('workflow_')) return (await this.#workflowTools(caller, Infinity)).workflows;
    if (name.startsWith('ask_')) return this.#agentTools(caller);
    return this.#ownTools(true);
  }

  async #workflowTools(caller: McpCaller, limit = maxWorkflowTools) {
    const { pool } = this.#options;
    const exposed = pool ? await pool.savedWorkflows.exposed(caller.userId) : [];
    const names = toolNamesOf(exposed);
    const workflows = exposed.slice(0, limit).map((workflow, index): McpTool => {
      const { id: workflowId, name, description, schema } = workflow;
      return {
        name: names[index] ?? '',
        title: name,
        description: `Runs the workflow "${name}" on the pool. ${description}`.trim(),
        inputSchema: schema,
        scope: 'dispatch:write',
        kind: 'adds',
        call: (from, args) => this.#run(from, workflowId, args),
      };
    });
    return { workflows, hasMore: exposed.length > maxWorkflowTools };
  }

  async #agentTools(caller: McpCaller): Promise<McpTool[]> {
    const { agents } = this.#options;
    // The description of agents loads their code, which a caller who may not ask them has no use for.
    if (!agents || !mayUse(caller, 'conversation:write')) return [];
    const found = await agents.agents(caller);
    const names = toolNamesOf(found, 'ask_');
    return found.map(({ id: assistantId, name, description }, index) =>
      tool(
        {
          name: names[index] ?? '',
          title: `Ask ${name}`,
          description: `Asks the agent "${name}" and returns its answer. ${description}`.trim(),
          scope: 'conversation:write',
          kind: 'adds',
        },
        Type.Object(
          {
            message: Type.Optional(Type.String({ minLength: 1, maxLength: maxMessageLength })),
            input: Type.Optional(
              Type.Record(Type.String(), Type.Unknown(), {
                description: 'In place of a message, for an agent whose state has no messages.',
              }),
            ),
            thread_id: Type.Optional({
              ...id,
              description: 'Goes on in the conversation of an earlier answer.',
            }),
          },
          closed,
        ),
        async (from, { message, input, thread_id: threadId = null }) => {
          if ((message === undefined) === (input === undefined))
            throw new AppError('validation_failed', { message: 'Give either message or input.' });
          const asked = input ?? { messages: [{ role: 'user', content: message }] };
          const work = await agents.start(from, assistantId, { input: asked, threadId });
          return { work, works: agents };
        },
      ),
    );
  }

  #ownTools(withSearch: boolean): McpTool[] {
    const { pool } = this.#options;
    return [...this.#taskTools(), ...(pool ? this.#poolTools(pool, withSearch) : [])];
  }

  #taskTools(): McpTool[] {
    return [
      tool(
        {
          name: 'get_task',
          title: 'Get a task',
          description: 'Tells how a task stands, and returns its result once it has ended.',
          scope: null,
          kind: 'reads',
        },
        taskArgs,
        async (caller, { task_id }) => ({ result: await resultOf(await this.look(caller, task_id)) }),
      ),
      tool(
        {
          name: 'cancel_task',
          title: 'Cancel a task',
          description: 'Stops a task that waits or runs. One that has ended stays as it is.',
          scope: null,
          kind: 'destroys',
        },
        taskArgs,
        async (caller, { task_id }) => {
          await this.cancel(caller, task_id);
          return { result: await resultOf(await this.look(caller, task_id)) };
        },
      ),
      tool(
        {
          name: 'answer_task',
          title: 'Answer an agent',
          description: 'Answers the questions at which an agent has stopped; its task goes on.',
          scope: 'conversation:write',
          kind: 'adds',
        },
        Type.Object(
          {
            task_id: id,
            answers: Type.Record(
              Type.String({ maxLength: 100 }),
              Type.String({ maxLength: maxMessageLength }),
              {
                description: 'The answer to each question by its key; `approve` or `reject` to an approval.',
                maxProperties: 100,
              },
            ),
          },
          closed,
        ),
        async (caller, { task_id, answers }) => {
          await this.answer(caller, task_id, answers);
          const work = await this.look(caller, task_id);
          return { work, works: this.#worksOf(task_id, caller, 'write') };
        },
      ),
    ];
  }

  #poolTools(pool: McpPool, withSearch: boolean): McpTool[] {
    const tools = [
      tool(
        {
          name: 'upload_file',
          title: 'Upload a file',
          description:
            'Keeps a file for workflows and returns its id, which a parameter takes as {"$file": id}. For files of up to 5 MB; larger ones go to POST /api/files/upload.',
          scope: 'dispatch:write',
          kind: 'adds',
        },
        Type.Object(
          {
            filename: Type.String({ minLength: 1, maxLength: 200 }),
            content: Type.String({ maxLength: maxUploadLength, description: 'Base64.' }),
          },
          closed,
        ),
        async ({ userId }, { filename, content }) => {
          const source = Readable.from(bytesOf(content));
          const signal = new AbortController().signal;
          const { fileId } = await pool.files.addOnce(userId, filename, { source, signal });
          return { result: facts({ file_id: fileId, filename }) };
        },
      ),
      tool(
        {
          name: 'list_instances',
          title: 'List instances',
          description: 'Lists the workers of the pool and what they do.',
          scope: 'dispatch:read',
          kind: 'reads',
        },
        Type.Object({}, closed),
        async () => {
          const instances = (await pool.instances.list()).map((instance) => ({
            id: instance.id,
            name: instance.serverName,
            state: instance.state,
            kind: instance.kind,
          }));
          return { result: facts({ instances }) };
        },
      ),
      tool(
        {
          name: 'why_task',
          title: 'Why a task waits',
          description: 'Tells why a task waits, what is ahead of it, when it may end and what would help.',
          scope: 'dispatch:read',
          kind: 'reads',
        },
        taskArgs,
        async (caller, { task_id }) => {
          if (AgentWorks.owns(task_id)) return { result: await resultOf(await this.look(caller, task_id)) };
          const why = await pool.waiting.why({ user: caller.userId }, task_id);
          return { result: facts(why) };
        },
      ),
    ];
    return withSearch ? [...tools, ...this.#searchTools(pool)] : tools;
  }

  #searchTools({ savedWorkflows }: McpPool): McpTool[] {
    return [
      tool(
        {
          name: 'search_workflows',
          title: 'Search workflows',
          description: 'Finds workflows by a part of their name, each with the schema of its parameters.',
          scope: 'dispatch:read',
          kind: 'reads',
        },
        Type.Object({ name: Type.Optional(Type.String({ maxLength: 200 })) }, closed),
        async ({ userId }, { name: part = '' }) => {
          const found = (await savedWorkflows.exposed(userId)).filter(({ name }) => name.includes(part));
          const workflows = found.slice(0, maxFound).map(({ id, name, description, schema }) => ({
            workflow: id,
            name,
            description,
            params: schema,
          }));
          return { result: facts({ workflows }) };
        },
      ),
      tool(
        {
          name: 'run_workflow',
          title: 'Run a workflow',
          description: 'Runs a workflow that search_workflows has found.',
          scope: 'dispatch:write',
          kind: 'adds',
        },
        Type.Object(
          {
            workflow: { ...id, description: 'The id that search_workflows tells.' },
            params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
          },
          closed,
        ),
        async (caller, { workflow, params = {} }) => this.#run(caller, workflow, params),
      ),
    ];
  }

  async #run(
    caller: McpCaller,
    workflowId: string,
    params: Record<string, unknown>,
  ): Promise<McpCallOutcome> {
    const works = this.#options.pool?.works;
    if (!works) throw new AppError('workflow_not_found');
    return { work: await works.start(caller, workflowId, params), works };
  }
}

/** Returns what a caller without tasks of the protocol reads: the result, or how the work stands. */
export async function resultOf(work: McpWork): Promise<CallToolResult> {
  if (work.status === 'completed') return work.result();
  const { id: task_id, status, message } = work;
  if (work.status !== 'input_required') return facts({ task_id, status, message });
  const questions = work.questions.map(({ key, message: question, isApproval }) => ({
    key,
    question,
    ...(isApproval && { answers: ['approve', 'reject'] }),
  }));
  const help = 'Answer with answer_task, by the keys of the questions.';
  return facts({ task_id, thread_id: work.threadId, status, questions, help });
}

/** Not every client shows structured content to its model, so the text says the same. */
function facts(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function tool<Args extends TSchema>(
  about: Omit<McpTool, 'inputSchema' | 'call'>,
  schema: Args,
  call: (caller: McpCaller, args: Static<Args>) => Promise<McpCallOutcome>,
): McpTool {
  return {
    ...about,
    inputSchema: schema as Record<string, unknown>,
    call: (caller, args) => {
      const [fault] = Value.Errors(schema, args);
      if (fault) {
        const path = fault.instancePath.slice(1).replaceAll('/', '.') || 'arguments';
        throw new AppError('validation_failed', { message: `${path}: ${fault.message}.` });
      }
      return call(caller, args as Static<Args>);
    },
  };
}

function shown({ name, title, description, inputSchema, kind }: McpTool): Tool {
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    annotations: {
      title,
      readOnlyHint: kind === 'reads',
      destructiveHint: kind === 'destroys',
      openWorldHint: false,
    },
  };
}

function mayUse({ scopes }: McpCaller, scope: Scope | null): boolean {
  return scope === null || scopes === null || scopes.includes(scope);
}

function bytesOf(content: string): Buffer[] {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(content))
    throw new AppError('validation_failed', { message: 'content: must be base64 without line breaks.' });
  return [Buffer.from(content, 'base64')];
}
