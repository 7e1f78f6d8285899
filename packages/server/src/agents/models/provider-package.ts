import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AppError } from '../../lib/app-error.ts';

export type ChatModelClass = new (fields: Record<string, unknown>) => BaseChatModel;

/** Short names, and the classes of packages that have several chat models. */
const wellKnown: Readonly<Record<string, string>> = {
  openai: '@langchain/openai:ChatOpenAI',
  anthropic: '@langchain/anthropic:ChatAnthropic',
};

/**
 * Loads the chat model class of a provider: ours for `openai`, any other package from the user's project or from beside the
 * gateway.
 */
export async function loadProvider(provider: string, { cwd }: { cwd: string }): Promise<ChatModelClass> {
  const [name = provider, className] = (wellKnown[provider] ?? provider).split(':');
  const all = provider === 'openai' ? await import('@langchain/openai') : await importPackage(name, cwd);
  return chosenClass(all as Record<string, unknown>, { name, className });
}

async function importPackage(name: string, cwd: string): Promise<Record<string, unknown>> {
  const entry = await entryIn(name, cwd);
  try {
    return await import(entry ?? name);
  } catch (cause) {
    if (!isMissing(cause, name))
      throw unavailable(`The package ${name} cannot be loaded: ${messageOf(cause)}`, cause);
    throw unavailable(`The package ${name} is missing; install it in ${cwd}: npm install ${name}`, cause);
  }
}

/** Returns the entry of the project's copy as an ES module, because a CommonJS entry would load a second LangChain. */
async function entryIn(name: string, cwd: string): Promise<string | null> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const root = join(folder, 'node_modules', name);
    const description = await readFile(join(root, 'package.json'), 'utf8').catch(() => null);
    if (description !== null) return pathToFileURL(join(root, entryOf(JSON.parse(description)))).href;
    if (dirname(folder) === folder) return null;
  }
}

function entryOf({ exports, module, main }: { exports?: unknown; module?: string; main?: string }): string {
  return conditional(exports) ?? module ?? main ?? 'index.js';
}

function conditional(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return undefined;
  const conditions = target as Record<string, unknown>;
  const next = conditions['.'] ?? conditions.node ?? conditions.import ?? conditions.default;
  return conditional(next);
}

function chosenClass(
  all: Record<string, unknown>,
  { name, className }: { name: string; className: string | undefined },
): ChatModelClass {
  const found = Object.keys(all).filter((key) => isChatModel(all[key]));
  if (className !== undefined && isChatModel(all[className])) return all[className];
  const [only] = found.length === 1 && className === undefined ? found : [];
  if (only !== undefined) return all[only] as ChatModelClass;
  if (found.length === 0) throw unavailable(`The package ${name} has no chat model`);
  throw unavailable(`Name one chat model of ${name}: ${found.map((key) => `${name}:${key}`).join(', ')}`);
}

function isChatModel(value: unknown): value is ChatModelClass {
  if (typeof value !== 'function' || !/^Chat/.test(value.name)) return false;
  const { prototype } = value as { prototype?: object };
  return prototype !== undefined && 'bindTools' in prototype && 'invoke' in prototype;
}

function isMissing(error: unknown, name: string): boolean {
  return (
    (error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(`'${name}'`)
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('model_unavailable', { message, cause });
}
