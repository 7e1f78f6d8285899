import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { firstAdmin } from './support/first-admin.ts';
import { type Replicas, startReplicas, testReplicas } from './support/replicas.ts';

const { title, isSkipped } = testReplicas('changes of the same thing at two replicas at once');
const rounds = Array.from({ length: 8 }, (_, round) => round);

describe.skipIf(isSkipped)(title, () => {
  let replicas: Replicas;
  let here: ConversationCaller;
  let there: ConversationCaller;
  beforeAll(async () => {
    replicas = await startReplicas(2);
    const [first, second] = replicas.gateways;
    if (!first || !second) throw new Error('Two replicas are needed.');
    here = await firstAdmin(first);
    there = here.atReplica(second.url);
  });
  afterAll(() => replicas?.stop());

  const skillText = (name: string, does: string) =>
    `---\nname: ${name}\ndescription: ${does}\n---\n${does}\n`;

  function putSkill(name: string): void {
    const folder = join(replicas.sharedHome, 'skills', 'custom', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), skillText(name, 'at first'));
  }

  it('find the built-in assistants made at one moment', async () => {
    const built = await here.ok('GET', '/assistants/lead_agent');
    expect(built.created_at).toMatch(/^2025-01-01T/);
    expect(await there.ok('GET', '/assistants/lead_agent')).toEqual(built);
  });

  it('leave an agent as one of the two wrote it, with both of its files', async () => {
    await here.ok('POST', '/agents', { name: 'painter' });
    for (const round of rounds) {
      const write = (caller: ConversationCaller, by: string) => {
        const text = `${by} ${round} ${by.repeat(20_000)}`;
        return caller.ok('PUT', '/agents/painter', { description: `${by} ${round}`, soul: text });
      };
      await Promise.all([write(here, 'a'), write(there, 'b')]);
      const { description, soul } = await here.ok('GET', '/agents/painter');
      expect(['a', 'b'].map((by) => `${by} ${round}`)).toContain(description);
      expect(soul.slice(0, description.length)).toBe(description);
      expect(await there.ok('GET', '/agents/painter')).toMatchObject({ description, soul });
    }
  });

  it('keep both when each changes another field of an agent', async () => {
    await here.ok('POST', '/agents', { name: 'writer' });
    for (const round of rounds) {
      await Promise.all([
        here.ok('PUT', '/agents/writer', { description: `changed here ${round}` }),
        there.ok('PUT', '/agents/writer', { soul: `changed there ${round}` }),
      ]);
      expect(await here.ok('GET', '/agents/writer')).toMatchObject({
        description: `changed here ${round}`,
        soul: `changed there ${round}`,
      });
    }
  });

  it('make an agent of one name once', async () => {
    for (const round of rounds) {
      const name = `new-${round}`;
      const made = await Promise.all([here, there].map((caller) => caller.post('/agents', { name })));
      expect(made.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });

  it('leave every text of a skill in its history, each with the one before it', async () => {
    putSkill('brew-tea');
    for (const round of rounds) {
      const edit = (caller: ConversationCaller, by: string) =>
        caller.ok('PUT', '/skills/custom/brew-tea', { content: skillText('brew-tea', `${by} ${round}`) });
      await Promise.all([edit(here, 'here'), edit(there, 'there')]);
    }
    const { history } = await here.ok('GET', '/skills/custom/brew-tea/history');
    expect(history).toHaveLength(2 * rounds.length);
    const texts = history.map((change: { new_content: string }) => change.new_content);
    expect(history.map((change: { prev_content: string }) => change.prev_content)).toEqual([
      skillText('brew-tea', 'at first'),
      ...texts.slice(0, -1),
    ]);
    expect((await there.ok('GET', '/skills/custom/brew-tea')).content).toBe(texts.at(-1));
  });

  it('keep both switches when each switches another skill', async () => {
    for (const name of ['one', 'other']) putSkill(name);
    for (const round of rounds) {
      const enabled = round % 2 === 1;
      await Promise.all([
        here.ok('PUT', '/skills/one', { enabled }),
        there.ok('PUT', '/skills/other', { enabled }),
      ]);
      for (const name of ['one', 'other'])
        expect(await here.ok('GET', `/skills/${name}`)).toMatchObject({ enabled });
    }
  });
});
