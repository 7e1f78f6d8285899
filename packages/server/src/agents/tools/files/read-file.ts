import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { requireRunHandle } from '../../run-contract/run-handle.ts';
import { ToolFailure } from '../tool-failure.ts';
import { type FileTrees, shown } from './file-trees.ts';
import { cutTo, decodedText, isText } from './text-content.ts';
import { description, filePath } from './tool-arguments.ts';

/**
 * Bytes that can be read from the beginning of a file. A model would not read what is behind them in a reasonable number of
 * calls.
 */
const readableBytes = 8 * 1024 * 1024;
const maxCharacters = 50_000;
const maxLineNumber = 10_000_000;

export function readFileTool(trees: FileTrees) {
  return tool(
    async ({ path, start_line: first, end_line: last }, config) => {
      const { bytes, sizeBytes } = await trees.read(requireRunHandle(config), path, readableBytes);
      if (!isText(bytes)) {
        throw new ToolFailure(
          'not_text',
          `${shown(path)} is not text (${sizeBytes} bytes). Pictures can be looked at with view_image where that is offered.`,
        );
      }
      if (sizeBytes === 0) return 'The file is empty.';
      const unreadBytes = sizeBytes - bytes.length;
      return linesOf(decodedText(bytes), { path, first, last: last ?? undefined, unreadBytes });
    },
    {
      name: 'read_file',
      description: `Reads a text file, whole or from line to line. At most ${maxCharacters} characters at once; the answer says how to read on.`,
      schema: z.object({
        description,
        path: filePath,
        start_line: z.number().int().min(1).max(maxLineNumber).default(1).describe('Counts from 1.'),
        end_line: z
          .number()
          .int()
          .min(1)
          .max(maxLineNumber)
          .nullish()
          .describe('The last line that is read.'),
      }),
    },
  );
}

interface Wanted {
  path: string;
  first: number;
  last: number | undefined;
  /** Bytes after the text. */
  unreadBytes: number;
}

function linesOf(text: string, { path, first, last, unreadBytes }: Wanted): string {
  const lines = text.split('\n');
  // The line break at the end does not begin another line.
  if (lines.at(-1) === '') lines.pop();
  const whole = unreadBytes > 0 ? `at least ${lines.length}` : `${lines.length}`;
  if (first > lines.length) {
    throw new ToolFailure('line_out_of_range', `${shown(path)} has ${whole} lines.`);
  }
  if (last !== undefined && last < first) {
    throw new ToolFailure('line_out_of_range', 'end_line is before start_line.');
  }
  const wanted = lines.slice(first - 1, last);
  const taken = asManyAsFit(wanted);
  const [only = ''] = wanted;
  if (taken === 0) {
    return `${cutTo(only, maxCharacters)}\n[Line ${first} has ${only.length} characters; the rest of it is left out. ${onwards(first + 1, lines.length)}]`;
  }
  const end = first + taken - 1;
  const read = wanted.slice(0, taken).join('\n');
  if (taken < wanted.length) {
    return `${read}\n[Lines ${first} to ${end} of ${whole}. ${onwards(end + 1, lines.length)}]`;
  }
  if (unreadBytes > 0 && end === lines.length) {
    return `${read}\n[Only the first ${readableBytes} bytes of a file can be read; ${unreadBytes} more follow. Find what is in them with grep, as far as that reaches.]`;
  }
  return read;
}

function onwards(next: number, count: number): string {
  return next > count ? 'It is the last.' : `Read on with start_line ${next}.`;
}

/** Counts whole lines only. */
function asManyAsFit(lines: readonly string[]): number {
  let characters = 0;
  const past = lines.findIndex((line) => {
    characters += line.length + 1;
    return characters > maxCharacters;
  });
  return past < 0 ? lines.length : past;
}
