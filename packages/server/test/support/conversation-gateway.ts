import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ConfigOverrides,
  type DevGateway,
  type GatewayOptions,
  startGateway,
} from '@switchyard/dev-env/gateway';
import { ConversationCaller } from './conversation-caller.ts';

const folder = fileURLToPath(new URL('../fixtures/agents/', import.meta.url));
const helpers = new Set(['gates.ts', 'scripted-model.ts']);

/** Every graph of the fixtures, by the name of its file: `name=/path/name.ts:graph`. */
export const fixtureAgents = readdirSync(folder)
  .filter((file) => !helpers.has(file))
  .map((file) => `${basename(file, '.ts')}=${folder}${file}:graph`);

export interface ConversationGateway {
  gateway: DevGateway;
  ada: ConversationCaller;
  bob: ConversationCaller;
  newUser(email: string): Promise<ConversationCaller>;
  close(): Promise<void>;
}

/** A gateway with the graphs of the fixtures, on SQLite, and two users who share nothing. */
export async function startConversation(
  config: ConfigOverrides = {},
  options: Pick<GatewayOptions, 'logger' | 'watchAgents'> = {},
): Promise<ConversationGateway> {
  const gateway = await startGateway({
    ...options,
    config: { database: { backend: 'sqlite' }, agents: fixtureAgents, ...config },
  });
  const newUser = async (email: string) => ConversationCaller.of(gateway.url, await gateway.register(email));
  return {
    gateway,
    ada: await newUser('ada@example.com'),
    bob: await newUser('bob@example.com'),
    newUser,
    close: () => gateway.stop(),
  };
}
