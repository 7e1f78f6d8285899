import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll } from 'vitest';
import { ConversationCaller } from './conversation-caller.ts';
import { accountChanger, askedAbout, customAuthFolder, projectsOf } from './custom-callers.ts';

/** Starts a gateway with an authentication of its own for the tests of a file, and stops it after them. */
export function customAuthGateway() {
  let gateway: DevGateway;
  beforeAll(async () => {
    gateway = await startGateway({ agentsFolder: customAuthFolder });
  });
  afterAll(() => gateway?.stop());
  return {
    /** There once the tests run. */
    running: () => gateway,
    as: (key: string) => ConversationCaller.withKey(gateway.url, key),
    projects: (name?: string) => projectsOf(gateway.url, name),
    askedAbout: (name: string) => askedAbout(gateway.url, name),
    accountChanger: () => accountChanger(gateway),
  };
}
