import { randomInt } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import type { OpenaiImagesRequest } from '@switchyard/contract/doors/openai';
import { isRecord } from '@switchyard/contract/is-record';
import type { StoredFiles } from '../../dispatch/files/stored-files.ts';
import type { SubmitMeta, Tasks } from '../../dispatch/intake/tasks.ts';
import type { ExposedWorkflow, SavedWorkflows } from '../../dispatch/workflows/saved-workflows.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import { workflowPrefix } from './model-list.ts';
import { invalid, modelNotFound, OpenaiRefusal, unsupported } from './openai-errors.ts';

interface ImagesOptions {
  tasks: Pick<Tasks, 'wait' | 'cancel'>;
  savedWorkflows: Pick<SavedWorkflows, 'exposed' | 'run'>;
  files: Pick<StoredFiles, 'open'>;
  log: Pick<Log, 'warn'>;
}

/** One look at a task; the next one follows at once. */
const waitMs = 60_000;
/** Pictures in an answer are in memory as base64, all at the same time. */
const maxAnswerBytes = 64 * 1024 * 1024;
const maxSeed = 2 ** 31;

/** Names of OpenAI's options that say nothing to a workflow, unless it has a parameter of that name. */
const withoutEffect = new Set([
  'model',
  'n',
  'size',
  'response_format',
  'user',
  'quality',
  'style',
  'background',
  'moderation',
  'output_format',
  'output_compression',
  'partial_images',
]);

/** Pictures of saved workflows: each is a task of the caller. */
export class Images {
  readonly #options;

  constructor(options: ImagesOptions) {
    this.#options = options;
  }

  /** Submits the tasks. What cannot be obeyed is refused before the first one. */
  async submit(body: OpenaiImagesRequest, meta: SubmitMeta): Promise<TaskDetail[]> {
    const { savedWorkflows } = this.#options;
    const workflow = found(await savedWorkflows.exposed(meta.userId), body.model);
    const tasks: TaskDetail[] = [];
    for (const params of paramsOf(body, workflow)) {
      try {
        tasks.push((await savedWorkflows.run(workflow.id, { params }, meta)).task);
      } catch (error) {
        this.stop(meta.userId, tasks);
        throw error;
      }
    }
    return tasks;
  }

  /** Waits for the tasks, and returns their pictures. */
  async picturesOf(
    tasks: readonly TaskDetail[],
    {
      userId,
      origin,
      as,
      signal,
    }: { userId: string; origin: string | undefined; as: 'url' | 'b64_json'; signal: AbortSignal },
  ): Promise<{ url?: string; b64_json?: string }[]> {
    const ended = await Promise.all(tasks.map((task) => this.#ended(task.id, { userId, origin, signal })));
    const outputs = ended.flatMap(({ result }) => result?.outputs ?? []);
    const pictures = outputs.filter(
      ({ contentType, folder }) => contentType.startsWith('image/') && folder !== 'temp',
    );
    if (pictures.length === 0)
      throw new OpenaiRefusal('no_image', { param: 'model', message: 'The workflow has made no picture.' });
    if (as === 'url') return pictures.map(({ url }) => ({ url }));
    if (pictures.reduce((sum, { size }) => sum + size, 0) > maxAnswerBytes)
      throw unsupported(
        'response_format',
        `The pictures have more than ${maxAnswerBytes} bytes. Ask for url.`,
      );
    return Promise.all(
      pictures.map(async ({ fileId }) => {
        const { read } = await this.#options.files.open({ user: userId }, fileId);
        return { b64_json: (await buffer((await read()).stream)).toString('base64') };
      }),
    );
  }

  /** Cancels what has not ended, for a client that has gone. */
  stop(userId: string, tasks: readonly Pick<TaskDetail, 'id'>[]): void {
    for (const { id } of tasks)
      this.#options.tasks.cancel({ owner: { user: userId } }, id).catch((err: unknown) => {
        if (err instanceof AppError && err.code === 'task_finished') return;
        this.#options.log.warn(
          { err, taskId: id },
          'A task could not be cancelled for a client that has gone',
        );
      });
  }

  async #ended(
    taskId: string,
    { userId, origin, signal }: { userId: string; origin: string | undefined; signal: AbortSignal },
  ): Promise<TaskDetail> {
    for (;;) {
      const task = await this.#options.tasks.wait({ owner: { user: userId }, origin }, taskId, {
        waitMs,
        signal,
      });
      if (task.status === 'completed') return task;
      if (task.status === 'failed')
        throw new OpenaiRefusal(task.error?.code ?? 'task_failed', {
          status: 500,
          message: `Task ${taskId} failed: ${task.error?.message ?? 'it gave no reason'}`,
        });
      signal.throwIfAborted();
    }
  }
}

function found(workflows: readonly ExposedWorkflow[], model: string): ExposedWorkflow {
  const name = model.startsWith(workflowPrefix) ? model.slice(workflowPrefix.length) : model;
  const workflow = workflows.find((each) => each.name === name || each.id === name);
  if (!workflow) throw modelNotFound(model);
  return workflow;
}

/** Returns the params of each task. The options of OpenAI go to the parameters of the workflow with the same names. */
function paramsOf(body: OpenaiImagesRequest, { name, schema }: ExposedWorkflow): Record<string, unknown>[] {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const has = (key: string): boolean => Object.hasOwn(properties, key);
  const { prompt, n, size, seed } = body;
  if (!has('prompt'))
    throw invalid(
      'prompt',
      `The workflow ${name} has no parameter named prompt. Give its text that name in the gateway.`,
    );
  const params: Record<string, unknown> = {
    ...others(body, { name, has }),
    prompt,
    ...sizeOf(size, { name, has }),
  };
  const count = n ?? 1;
  if (seed === undefined || seed === null) {
    // Workers answer from their cache when nothing is different.
    if (!has('seed') || count === 1) return Array.from({ length: count }, () => params);
    return Array.from({ length: count }, () => ({ ...params, seed: randomInt(maxSeed) }));
  }
  if (!has('seed')) throw unsupported('seed', `The workflow ${name} has no parameter named seed.`);
  return Array.from({ length: count }, (_, index) => ({ ...params, seed: seed + index }));
}

function sizeOf(
  size: string | null | undefined,
  { name, has }: { name: string; has: (key: string) => boolean },
): Record<string, unknown> {
  if (!size || size === 'auto') return {};
  const [width, height] = size.split('x').map(Number);
  if (has('width') && has('height')) return { width, height };
  if (has('size')) return { size };
  throw unsupported('size', `The workflow ${name} has no parameters named width and height. Leave size out.`);
}

function others(
  body: Record<string, unknown>,
  { name, has }: { name: string; has: (key: string) => boolean },
): Record<string, unknown> {
  const given = Object.entries(body).filter(
    ([key, value]) => value !== null && key !== 'prompt' && key !== 'seed',
  );
  const unknown = given.find(([key]) => !has(key) && !withoutEffect.has(key));
  if (unknown)
    throw unsupported(unknown[0], `The workflow ${name} has no parameter named ${unknown[0].slice(0, 100)}.`);
  return Object.fromEntries(given.filter(([key]) => has(key) && !reserved.has(key)));
}

/** These have a meaning of their own here. */
const reserved: ReadonlySet<string> = new Set(['model', 'n', 'size', 'response_format']);
