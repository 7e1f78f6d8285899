import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { Stage, type Visit } from './stage.ts';

interface Provider {
  /** The file of settings for a gateway that asks this provider. */
  settings: () => object;
  close: () => Promise<void>;
}

interface StageOfTests<P extends Provider> {
  /** These are there once the tests run. */
  readonly provider: P;
  readonly stage: Stage;
  readonly admin: HttpSession;
  /** A page of the administrator, which the end of the test closes. */
  visit: (visit?: Visit) => Promise<Page>;
}

/** A gateway with a provider for the tests of a file. A test fails when one of its pages had a fault. */
export function stageOfTests<P extends Provider>(startProvider: () => Promise<P>): StageOfTests<P> {
  let provider: P;
  let stage: Stage;
  let admin: HttpSession;
  const faults: string[][] = [];
  beforeAll(async () => {
    provider = await startProvider();
    stage = await Stage.open({ settings: provider.settings() });
    admin = await stage.admin();
  });
  afterEach(async () => {
    await stage.closePages();
    expect(faults.splice(0).flat()).toEqual([]);
  });
  afterAll(async () => {
    await stage?.close();
    await provider?.close();
  });
  return {
    get provider() {
      return provider;
    },
    get stage() {
      return stage;
    },
    get admin() {
      return admin;
    },
    visit: async (visit = {}) => {
      const watched = await stage.visit({ session: admin, ...visit });
      faults.push(watched.faults);
      return watched.page;
    },
  };
}
