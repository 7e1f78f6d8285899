import type { MemoryDocument, MemoryFact } from '@switchyard/contract/conversation/memory';
import { describe, expect, it } from 'vitest';
import { learnedFrom, withLearned } from './learned-facts.ts';
import { emptyMemory } from './memory-document.ts';

const at = '2030-01-01T00:00:00.000Z';
const fact = (id: string, more: Partial<MemoryFact> = {}): MemoryFact => ({
  id,
  content: `about ${id}`,
  category: 'context',
  confidence: 0.8,
  createdAt: at,
  source: 'thread-1',
  ...more,
});
const memoryOf = (...facts: MemoryFact[]): MemoryDocument => ({ ...emptyMemory(), facts });
const rules = { minConfidence: 0.7, threadId: 'thread-2', at };
const proposed = (content: string, more: object = {}) => ({
  content,
  category: 'preference',
  confidence: 0.9,
  ...more,
});
const learned = (answer: unknown, memory = memoryOf()) => learnedFrom(JSON.stringify(answer), memory, rules);

describe('the answer of a model that has searched for facts', () => {
  it('becomes facts of the thread', () => {
    const { facts, outdated } = learned({ facts: [proposed('Likes  green\n tea ')], outdated: [] });
    expect(facts).toEqual([
      {
        id: expect.stringMatching(/^fact_[0-9a-f]{8}$/),
        content: 'Likes green tea',
        category: 'preference',
        confidence: 0.9,
        createdAt: at,
        source: 'thread-2',
      },
    ]);
    expect(outdated).toEqual([]);
  });

  it('is read even when reasoning, fences and sentences surround it', () => {
    const json = JSON.stringify({ facts: [proposed('Likes tea')] });
    const answer = `<think>{"facts": "none"}</think>Here it is:\n\`\`\`json\n${json}\n\`\`\`\nAnything else?`;
    expect(learnedFrom(answer, memoryOf(), rules).facts).toHaveLength(1);
  });

  it.each([
    ['no JSON', 'I could not find anything.'],
    ['JSON of another shape', '{"facts": {"content": "x"}}'],
    ['JSON that breaks off', '{"facts": [{"content": "Likes t'],
    ['a list', '[]'],
    ['nothing', ''],
    ['far too much', `{"facts": [], "x": "${'x'.repeat(70_000)}"}`],
  ])('is refused when it is %s', (_what, answer) => {
    expect(() => learnedFrom(answer, memoryOf(), rules)).toThrow('The model');
  });

  it.each([
    ['not sure enough', proposed('x', { confidence: 0.69 })],
    ['surer than sure', proposed('x', { confidence: 9 })],
    ['of a confidence in words', proposed('x', { confidence: 'high' })],
    ['of a category of its own', proposed('x', { category: 'system' })],
    ['no text', proposed('x', { content: { text: 'x' } })],
    ['blank', proposed(' \n\u200b ')],
    ['too long', proposed('x'.repeat(501))],
    ['no object', 'x'],
    ['null', null],
  ])('leaves out a fact that is %s, and keeps the others', (_what, bad) => {
    const { facts } = learned({ facts: [bad, proposed('good')] });
    expect(facts.map(({ content }) => content)).toEqual(['good']);
  });

  it('loses characters that only a model would see', () => {
    const hidden = 'Likes\u202e tea\u0000\u{e0041}\u{e0042}\ud800';
    expect(learned({ facts: [proposed(hidden)] }).facts[0]?.content).toBe('Likes tea\ufffd');
  });

  it('leaves out facts that are known already or repeated', () => {
    const { facts } = learned(
      { facts: [proposed('LIKES tea'), proposed('Bakes'), proposed('bakes ')] },
      memoryOf(fact('fact_1', { content: 'Likes tea' })),
    );
    expect(facts.map(({ content }) => content)).toEqual(['Bakes']);
  });

  it('has a limit, whatever the model was talked into', () => {
    const many = Array.from({ length: 50 }, (_, index) => proposed(`fact ${index}`));
    const known = Array.from({ length: 50 }, (_, index) => fact(`fact_${index}`));
    const outdated = known.map(({ id }) => id);
    const change = learned({ facts: many, outdated }, memoryOf(...known));
    expect(change.facts).toHaveLength(10);
    expect(change.outdated).toHaveLength(10);
  });

  it('removes learned facts only, and none that the user wrote or that do not exist', () => {
    const memory = memoryOf(fact('fact_1'), fact('fact_2', { source: 'manual' }));
    const outdated = ['fact_1', 'fact_1', 'fact_2', 'fact_3', 7, null, '__proto__'];
    expect(learned({ outdated }, memory).outdated).toEqual(['fact_1']);
  });
});

describe('a memory that has learned', () => {
  const change = { facts: [fact('fact_2')], outdated: ['fact_1'] };
  const limits = { maxFacts: 10, at };

  it('has the new facts in the place of the outdated ones', () => {
    const next = withLearned(memoryOf(fact('fact_1')), change, limits);
    expect(next.facts.map(({ id }) => id)).toEqual(['fact_2']);
    expect(next.lastUpdated).toBe(at);
  });

  it('stays as it is when the same is learned again', () => {
    const once = withLearned(memoryOf(fact('fact_1')), change, limits);
    expect(withLearned(once, change, { ...limits, at: 'later' })).toBe(once);
  });

  it('drops the least certain learned facts when it is full, and none that the user wrote', () => {
    const memory = memoryOf(
      fact('by_hand', { source: 'manual', confidence: 0.1 }),
      fact('unsure', { confidence: 0.7 }),
      fact('sure', { confidence: 1 }),
    );
    const next = withLearned(memory, { facts: [fact('new')], outdated: [] }, { maxFacts: 3, at });
    expect(next.facts.map(({ id }) => id)).toEqual(['by_hand', 'sure', 'new']);
  });

  it('learns nothing while it is full of facts that the user wrote', () => {
    const memory = memoryOf(fact('one', { source: 'manual' }), fact('two', { source: 'manual' }));
    expect(withLearned(memory, change, { maxFacts: 2, at })).toBe(memory);
  });
});
