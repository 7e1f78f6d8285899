import { getLogger } from '@langchain/langgraph-sdk/logging';
import { expect, it } from 'vitest';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { offerSdkLogger } from './sdk-logger.ts';

it("what a graph says with the SDK's logger is written into the log of the gateway", () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  offerSdkLogger(createLogger({ level: 'info', format: 'json', destination }));

  getLogger().info('Looked it up', { found: 3 });
  getLogger().warn('Nothing left');
  getLogger().error({ code: 7 });
  getLogger().silly('not at this level');
  expect(lines).toMatchObject([
    { level: 'info', msg: 'Looked it up', from: 'agent', facts: { found: 3 } },
    { level: 'warn', msg: 'Nothing left', from: 'agent' },
    { level: 'error', msg: 'An agent logged facts', facts: { code: 7 } },
  ]);
});
