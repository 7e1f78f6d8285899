import { serverFacts } from './a1-server.ts';
import { promptFacts } from './a2-prompt.ts';
import { queueFacts } from './a3-queue.ts';
import { fileFacts } from './a4-files.ts';
import { introspectionFacts } from './a5-introspection.ts';
import { socketFacts } from './a6-socket.ts';
import type { Fact } from './fact.ts';

/** The facts that a worker has to meet to count as a ComfyUI server of version 0.3.64. */
export const facts: readonly Fact[] = [
  ...serverFacts,
  ...promptFacts,
  ...queueFacts,
  ...fileFacts,
  ...introspectionFacts,
  ...socketFacts,
];
