import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { factsJson, LearningFixture } from '../../../testing/learning-fixture.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { Database } from '../../platform/database/database.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { forgetTurnOfRun, forgetTurnsOfThread, LearningStore } from './learning-store.ts';

learns('in memory', async () => {
  const database = await openDatabase({ backend: 'memory' });
  return async () => database;
});

const postgres = testPostgres('Postgres');
describe.skipIf(postgres.isSkipped)(postgres.title, () => {
  learns('a connection for each process', async () => {
    const url = await postgres.createDatabase();
    return () => openDatabase(patientPostgres(url, 2));
  });
});

function learns(name: string, open: () => Promise<() => Promise<Database<unknown>>>): void {
  describe(`learning from conversations, ${name}`, () => {
    let fixture: LearningFixture;
    let folder: ReturnType<typeof temporaryFolder>;

    beforeEach(async () => {
      folder = temporaryFolder();
      fixture = await LearningFixture.open(await open(), folder.path);
    });

    afterEach(async () => {
      await fixture.close();
      folder.remove();
    });

    /** The conversation in the prompt, without the known facts. */
    const spokenIn = (prompt = '') => prompt.split('Conversation:')[1] ?? '';
    const isDone = async () => fixture.prompts.length > 0 && (await fixture.waiting()) === 0;

    test('asks once for everything that was said until the conversation fell silent', async () => {
      const { say } = await fixture.start();
      await say('I drink tea');
      await fixture.fleet.pass(750);
      await say('Green tea');
      await fixture.fleet.pass(750);
      expect(fixture.prompts).toEqual([]);

      await fixture.until(isDone);
      expect(fixture.prompts).toHaveLength(1);
      expect(fixture.prompts[0]?.indexOf('I drink tea')).toBeLessThan(
        fixture.prompts[0]?.indexOf('Green tea') ?? 0,
      );
      expect((await fixture.memoryOf('ada')).facts).toMatchObject([
        { content: 'Likes tea', category: 'preference', confidence: 0.9, source: 'thread-1' },
      ]);
    });

    test('waits only a limited time for a conversation to fall silent', async () => {
      const { say } = await fixture.start();
      for (let turns = 0; turns < 25 && fixture.prompts.length === 0; turns += 1) {
        await say(`turn ${turns}`);
        await fixture.fleet.pass(500);
      }
      expect(fixture.prompts).not.toEqual([]);
    });

    test('keeps users, agents and threads apart when they speak at the same time', async () => {
      const { say } = await fixture.start();
      fixture.answer = async (prompt) => factsJson(/secret of [a-z ]+/.exec(spokenIn(prompt))?.[0] ?? 'none');
      await say('secret of ada');
      await say('secret of bob', { userId: 'bob' });
      await say('secret of the painter', { agent: 'painter' });
      await say('secret of elsewhere', { threadId: 'thread-2' });
      await fixture.until(async () => fixture.prompts.length === 4 && (await fixture.waiting()) === 0);

      for (const prompt of fixture.prompts) expect(spokenIn(prompt).match(/secret of/g)).toHaveLength(1);
      expect((await fixture.contentsOf('ada')).sort()).toEqual(['secret of ada', 'secret of elsewhere']);
      expect(await fixture.contentsOf('bob')).toEqual(['secret of bob']);
      expect(await fixture.contentsOf('ada', 'painter')).toEqual(['secret of the painter']);
      expect(await fixture.contentsOf('bob', 'painter')).toEqual([]);
    });

    test('continues in the next process with the turns that waited in a killed one', async () => {
      const killed = await fixture.start();
      await killed.say('I drink tea');
      killed.kill();
      await fixture.start();
      await fixture.until(isDone);
      expect(await fixture.contentsOf('ada')).toEqual(['Likes tea']);
    });

    test('counts a run that was started again as one turn', async () => {
      const { say } = await fixture.start();
      await say('I drink tea', { runId: 'run-x' });
      await say('I drink tea', { runId: 'run-x' });
      await fixture.until(isDone);
      expect(fixture.prompts[0]?.match(/I drink tea/g)).toHaveLength(1);
    });

    test('does not ask again after a crash between the answer and the memory', async () => {
      const killed = await fixture.start({
        wrapMemories: (memories) => ({
          get: (owner, agent) => memories.get(owner, agent),
          learn: () => new Promise(() => undefined),
        }),
      });
      await killed.say('I drink tea');
      await fixture.until(
        async () => fixture.prompts.length === 1 && (await killed.store.change(key)) !== null,
      );
      killed.kill();
      expect(await fixture.contentsOf('ada')).toEqual([]);

      fixture.answer = async () => factsJson('Said in other words: likes tea');
      await fixture.start();
      await fixture.until(isDone);
      expect(fixture.prompts).toHaveLength(1);
      expect(await fixture.contentsOf('ada')).toEqual(['Likes tea']);
    });

    test('has each fact once after a crash between writing the memory and recording that', async () => {
      const store = new LearningStore(fixture.database);
      store.dropChange = () => new Promise(() => undefined);
      const killed = await fixture.start({ store });
      await killed.say('I drink tea');
      await fixture.until(async () => (await fixture.contentsOf('ada')).length > 0);
      killed.kill();
      const before = await fixture.memoryOf('ada');

      fixture.answer = async () => factsJson('Said in other words: likes tea');
      await fixture.start();
      await fixture.until(isDone);
      expect(fixture.prompts).toHaveLength(1);
      expect(await fixture.memoryOf('ada')).toEqual(before);
    });

    test('asks once, however many processes there are', async () => {
      const [one] = [await fixture.start(), await fixture.start(), await fixture.start()];
      await one?.say('I drink tea');
      await fixture.until(isDone);
      await fixture.fleet.pass(60_000);
      expect(fixture.prompts).toHaveLength(1);
    });

    test('searches in a second pass what is said during the first one', async () => {
      const { say } = await fixture.start();
      const gate = newDeferred();
      fixture.answer = async () => {
        await gate.promise;
        return factsJson(`fact ${fixture.prompts.length}`);
      };
      await say('first');
      await fixture.until(() => fixture.prompts.length === 1);
      await say('second');
      gate.resolve();
      await fixture.until(async () => fixture.prompts.length === 2 && (await fixture.waiting()) === 0);
      expect(fixture.prompts[0]).not.toContain('second');
      expect(fixture.prompts[1]).not.toContain('"first"');
    });

    test('tries again when a model fails or talks nonsense, and gives up in the end', async () => {
      const { say, jobs } = await fixture.start();
      fixture.answer = async () => {
        if (fixture.prompts.length === 1) throw new Error('503');
        return 'I am only a parrot.';
      };
      await say('I drink tea');
      await fixture.until(async () => (await fixture.waiting()) === 0, 600_000);
      expect(fixture.prompts).toHaveLength(4);
      expect(await fixture.contentsOf('ada')).toEqual([]);
      expect(fixture.warnings).toEqual(['Nothing could be learned from a conversation; it is given up']);
      expect(await jobs.dead(10)).toMatchObject([{ kind: 'memory.learn', attempts: 4 }]);
    });

    test('keeps only the newest turns while the model does not answer for a long time', async () => {
      const { say, store } = await fixture.start({ ask: () => Promise.reject(new Error('away')) });
      for (let turn = 0; turn < 23; turn += 1) await say(`turn ${turn}`);
      const texts = (await store.turns(key)).map(({ turn }) => turn.said[0]?.text);
      expect(texts).toHaveLength(20);
      expect(texts[0]).toBe('turn 3');
    });

    test('learns nothing of a thread that is deleted while the model thinks', async () => {
      const { say } = await fixture.start();
      const gate = newDeferred();
      fixture.answer = async () => {
        await gate.promise;
        return factsJson('Likes tea');
      };
      await say('I drink tea');
      await fixture.until(() => fixture.prompts.length === 1);
      await fixture.database.write((trx) => forgetTurnsOfThread(trx, 'thread-1'));
      gate.resolve();
      await fixture.fleet.pass(60_000);
      expect(await fixture.contentsOf('ada')).toEqual([]);
      expect(fixture.prompts).toHaveLength(1);
    });

    test('learns nothing of a run that is deleted while the model thinks, and asks again for the other runs', async () => {
      const { say } = await fixture.start();
      const gate = newDeferred();
      fixture.answer = async (prompt) => {
        await gate.promise;
        return factsJson(prompt.includes('I rob banks') ? 'Robs banks' : 'Likes tea');
      };
      await say('I drink tea');
      await say('I rob banks', { runId: 'run-x' });
      await fixture.until(() => fixture.prompts.length === 1);
      await fixture.database.write((trx) => forgetTurnOfRun(trx, { threadId: 'thread-1', runId: 'run-x' }));
      gate.resolve();
      await fixture.until(
        async () => fixture.prompts.length === 2 && (await fixture.waiting()) === 0,
        10_000,
      );
      expect(await fixture.contentsOf('ada')).toEqual(['Likes tea']);
    });

    test('learns nothing that was said before the memory was cleared', async () => {
      const { say, memories } = await fixture.start();
      await say('I drink tea');
      await say('of the painter', { agent: 'painter' });
      await memories.clear({ user: 'ada' }, null);
      await fixture.until(isDone);
      expect(fixture.prompts).toHaveLength(1);
      expect(fixture.prompts[0]).toContain('of the painter');
    });

    test('forgets the waiting turns of a deleted user without asking the model', async () => {
      const { say } = await fixture.start({ isThere: async ({ userId }) => userId !== 'ada' });
      await say('I drink tea');
      await fixture.until(async () => (await fixture.waiting()) === 0);
      expect(fixture.prompts).toEqual([]);
      expect(await fixture.contentsOf('ada')).toEqual([]);
    });

    test('forgets the waiting turns once learning is switched off', async () => {
      const before = await fixture.start();
      await before.say('I drink tea');
      before.kill();
      await fixture.start({ ask: null });
      await fixture.until(async () => (await fixture.waiting()) === 0);
      expect(fixture.prompts).toEqual([]);
    });
  });
}

const key = { userId: 'ada', threadId: 'thread-1', agent: null };
