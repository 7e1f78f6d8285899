import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Exit {
  /** The exit code; null when a signal ended the process. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** One call of the built `switchyard` binary, as a process of its own. */
export interface BinaryRun {
  child: ChildProcess;
  /** The output so far, both streams in the order of arrival. Only the end of a very long output is kept. */
  output(): string;
  exited: Promise<Exit>;
}

interface BinaryOptions {
  args: string[];
  /** The whole environment besides PATH, so that settings of the machine never leak into a test. */
  env?: Record<string, string>;
  /**
   * The working directory, in which the program looks for a `switchyard.yaml`; a folder without one unless the test is
   * about it.
   */
  cwd: string;
  /** Node and the program; the built one of this repository under this Node, unless it is about another. */
  command?: readonly string[] | undefined;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
/**
 * The folder of the package that is tested, seen from the root of the repository. Where it is set, the gateways of HTTP tests are its
 * processes too.
 */
export const testedPackage = process.env.SWITCHYARD_TEST_PACKAGE;
/** The program of the package that is tested: the one that was built in this checkout unless the environment names another. */
export const binary = resolve(root, testedPackage ?? 'packages/cli', 'bin/switchyard.mjs');
const keptCharacters = 64 * 1024;
const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function runBinary({ args, env = {}, cwd, command }: BinaryOptions): BinaryRun {
  const { PATH = '' } = process.env;
  const [node = '', ...program] = command ?? [process.execPath, binary];
  const child = spawn(node, [...program, ...args], { cwd, env: { PATH, ...env } });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-keptCharacters);
    });
  }
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const forget = () => running.delete(child);
  exited.then(forget, forget);
  return { child, output: () => output, exited };
}
