import { setFlagsFromString } from 'node:v8';

/** After so long without work the engine may tidy up all the same. */
const quietMinutes = 10;

/**
 * The engine takes eight seconds without much work for the end of it: it collects hard and throws compiled code away,
 * and the runs after a pause cost half as much again until it has compiled everything again. People pause for longer
 * than that between two questions.
 */
export function stayCompiled(): void {
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${quietMinutes * 60_000}`);
  setFlagsFromString('--no-flush-bytecode');
  setFlagsFromString('--retain-maps-for-n-gc=1000');
}
