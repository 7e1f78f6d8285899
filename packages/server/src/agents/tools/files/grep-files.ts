import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import type { UserTurns } from '../../../lib/async/user-turns.ts';
import { requireRunHandle } from '../../run-contract/run-handle.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { WorkspaceKey } from '../workspace.ts';
import type { FileTrees } from './file-trees.ts';
import { globMatcher } from './glob-pattern.ts';
import { literalPattern, PatternSearch, type SearchedPattern } from './pattern-search.ts';
import { ResultLines } from './result-lines.ts';
import { isText } from './text-content.ts';
import { description, withoutSlash } from './tool-arguments.ts';
import { Walk, type WalkedEntry } from './walk-files.ts';

const limits = { entries: 20_000, timeMs: 8_000, depth: 32 };
/** Limits of what is read of each file, from its beginning, and of all files together. */
const fileBytes = 4 * 1024 * 1024;
const totalBytes = 64 * 1024 * 1024;
const maxResults = 500;
const usualResults = 100;

interface Search extends SearchedPattern {
  path: string;
  fits: (relativePath: string) => boolean;
  max: number;
  signal: AbortSignal | undefined;
}

export function grepFilesTool(trees: FileTrees, searches: UserTurns) {
  return tool(
    async (asked, config) => {
      const { userId, threadId } = requireRunHandle(config);
      const search = {
        path: withoutSlash(asked.path),
        pattern: asked.literal ? literalPattern(asked.pattern) : asked.pattern,
        isCaseSensitive: asked.case_sensitive,
        fits: asked.glob ? globMatcher(asked.glob) : () => true,
        max: asked.max_results,
        signal: config.signal,
      };
      return searches.run(userId, () => grep(trees, { userId, threadId }, search));
    },
    {
      name: 'grep',
      description:
        'Finds lines in text files below a folder, or in one file, by a regular expression of JavaScript. Returns path:line: text.',
      schema: z.object({
        description,
        pattern: z.string().min(1),
        path: z.string().describe('The whole path of a folder or file, as /mnt/user-data/workspace.'),
        glob: z.string().min(1).nullish().describe('Only files whose names fit, as *.md or src/**/*.ts.'),
        literal: z.boolean().default(false).describe('The pattern is plain text.'),
        case_sensitive: z.boolean().default(false),
        max_results: z.number().int().min(1).max(maxResults).default(usualResults),
      }),
    },
  );
}

type FoundFile = Pick<WalkedEntry, 'path' | 'relativePath'>;

async function grep(trees: FileTrees, whose: WorkspaceKey, search: Search): Promise<string> {
  const { path, fits, max, signal } = search;
  const walk = new Walk({ list: (folder) => trees.list(whose, folder), limits, signal });
  const lines = new ResultLines(max);
  const pattern = new PatternSearch(search);
  const stop = (): void => void pattern.close();
  signal?.addEventListener('abort', stop, { once: true });
  const bytes = new ReadBudget();
  try {
    for await (const file of filesAt(walk, path)) {
      if (!fits(file.relativePath)) continue;
      const text = await bytes.textOf(file, (maxBytes) =>
        orNothing(trees.read(whose, file.path, maxBytes), file.path !== path),
      );
      const found = text ? await pattern.linesOf(text, { max: lines.left + 1, timeMs: walk.leftMs }) : [];
      if (!found.every(({ line, text: shown }) => lines.add(`${file.path}:${line}: ${shown}`))) break;
      if (bytes.isSpent) {
        bytes.stoppedBy = `${totalBytes} bytes`;
        break;
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    // Lines found before the time limit are still returned.
    if (!isTooSlow(error) || lines.left === max) throw error;
    bytes.stoppedBy = `${limits.timeMs / 1000} seconds`;
  } finally {
    signal?.removeEventListener('abort', stop);
    await pattern.close();
  }
  return lines.text({
    none: 'No line fits the pattern.',
    stoppedBy: bytes.stoppedBy ?? walk.stoppedBy,
    hint: 'Narrow the path, the glob or the pattern.',
  });
}

/** Limits how many bytes are read, of each file and of all together. */
class ReadBudget {
  #leftBytes = totalBytes;
  stoppedBy: string | null = null;

  get isSpent(): boolean {
    return this.#leftBytes <= 0;
  }

  /** Returns null when the file is not text. */
  async textOf(
    { path }: FoundFile,
    read: (maxBytes: number) => Promise<{ bytes: Buffer; sizeBytes: number } | null>,
  ): Promise<Buffer | null> {
    const content = await read(Math.min(fileBytes, this.#leftBytes));
    if (!content) return null;
    this.#leftBytes -= content.bytes.length;
    if (!isText(content.bytes)) return null;
    if (content.sizeBytes > fileBytes) this.stoppedBy = `${fileBytes} bytes of ${path}`;
    return content.bytes;
  }
}

/**
 * A file that was removed meanwhile, or that is refused, has no lines. When it is the file that the model named, the error is
 * reported.
 */
async function orNothing<Value>(reading: Promise<Value>, isOneOfMany: boolean): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (isOneOfMany && error instanceof ToolFailure) return null;
    throw error;
  }
}

function isTooSlow(error: unknown): boolean {
  return error instanceof ToolFailure && error.code === 'pattern_too_slow';
}

/** Yields all files below a folder; a path that is not a folder counts as a file. */
async function* filesAt(walk: Walk, path: string): AsyncGenerator<FoundFile> {
  const entries = walk.below(path);
  try {
    for await (const entry of entries) if (entry.kind === 'file') yield entry;
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.code !== 'file_not_found') throw error;
    yield { path, relativePath: path.slice(path.lastIndexOf('/') + 1) };
  }
}
