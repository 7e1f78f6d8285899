import type { Environment } from '@switchyard/server/config/env';
import pc from 'picocolors';

/** The streams of a command. Data goes to `stdout`, messages for people to `stderr`. */
export interface Terminal {
  env: Environment;
  cwd: string;
  stdin: Input;
  stdout: Output;
  stderr: Output;
}

export type Input = NodeJS.ReadableStream & { isTTY?: boolean };

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

export type Colors = ReturnType<typeof pc.createColors>;

/** Colours only where a person reads them, and never against NO_COLOR (https://no-color.org). */
export function colorsFor(output: Output, env: Environment): Colors {
  return pc.createColors(output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb');
}
