import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import type { ProgramAnswer, ProgramRequest } from './program/json-schema.ts';

export interface ProgramLimits {
  timeMs: number;
  memoryMegabytes: number;
  answerBytes: number;
}

/** A small graph of LangGraph takes three seconds and 330 MB; a container with a tenth of a core takes ten times as long. */
export const programLimits: ProgramLimits = {
  timeMs: 60_000,
  memoryMegabytes: 1_024,
  answerBytes: 4 * 1024 * 1024,
};

/** Runs the program that reads a source, in a process of its own, which ends at each of the limits. Throws the reason. */
export async function readSource(
  request: ProgramRequest,
  { limits, signal }: { limits: ProgramLimits; signal: AbortSignal },
): Promise<ProgramAnswer> {
  const { timeMs, memoryMegabytes, answerBytes } = limits;
  const output = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      [`--max-old-space-size=${memoryMegabytes}`, ...programArguments(), JSON.stringify(request)],
      // No variables: the compiler needs none, and some of the gateway's are secrets.
      { timeout: timeMs, killSignal: 'SIGKILL', maxBuffer: answerBytes, signal, env: {}, windowsHide: true },
      (error, stdout, stderr) => (error ? reject(reasonOf(error, { limits, stderr })) : resolve(stdout)),
    );
  });
  return answerOf(output);
}

/** The package of a project may write to the same output. */
function answerOf(output: string): ProgramAnswer {
  try {
    return JSON.parse(output) as ProgramAnswer;
  } catch (cause) {
    throw new Error('the compiler wrote something else than schemas', { cause });
  }
}

/** The `imports` of the package name the program: its source in the workspace, and its bundle in what is built. */
function programArguments(): string[] {
  const require = createRequire(import.meta.url);
  const program = require.resolve('#source-schemas-program');
  return program.endsWith('.ts') ? ['--import', require.resolve('tsx'), program] : [program];
}

function reasonOf(
  error: Error & { killed?: boolean | undefined; code?: unknown },
  { limits, stderr }: { limits: ProgramLimits; stderr: string },
): Error {
  const tooLarge = error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
  if (tooLarge) return new Error(`the schemas are larger than ${limits.answerBytes} bytes`, { cause: error });
  if (error.killed) return new Error(`the compiler took longer than ${limits.timeMs} ms`, { cause: error });
  if (stderr.includes('heap out of memory')) {
    return new Error(`the compiler needs more than ${limits.memoryMegabytes} MB`, { cause: error });
  }
  return new Error(`the compiler ended early: ${stderr.trim().split('\n').at(-1) ?? ''}`, { cause: error });
}
