import { accessSync, constants, mkdirSync } from 'node:fs';

/** Creates the directory of everything that the gateway stores on disk. Only its owner may read it. */
export function makeDataHome(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The data home ${path} cannot be used (${why}). Choose another with --home or SWITCHYARD_HOME.`;
    throw new Error(message, { cause });
  }
}
