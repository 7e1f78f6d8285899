import type { MemoryDocument, MemoryFact } from '@switchyard/contract/conversation/memory';
import { oneOf } from '@switchyard/contract/shapes';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { wellFormed } from '../../lib/storable-text.ts';
import { isManual, newFactId, plain } from './memory-document.ts';

/**
 * The changes that a conversation makes to a memory. They are stored until they are in the file, so the facts have their ids
 * already.
 */
export interface LearnedChange {
  facts: MemoryFact[];
  /** Ids of facts that are no longer true. */
  outdated: string[];
}

export interface LearningRules {
  /** Facts with a lower confidence are left out. */
  minConfidence: number;
  /** The thread in which it was learned. */
  threadId: string;
  at: string;
}

export const factCategories = [
  'preference',
  'knowledge',
  'context',
  'behavior',
  'goal',
  'correction',
] as const;
export const maxFactLength = 500;
/** The limit for one answer: a model that was talked into more must not replace a whole memory. */
export const maxFactsPerAnswer = 10;
const maxOutdated = 10;
const maxAnswerLength = 64 * 1024;

const answerShape = Type.Object({
  facts: Type.Optional(Type.Array(Type.Unknown())),
  outdated: Type.Optional(Type.Array(Type.Unknown())),
});
const proposedFact = Type.Object({
  content: Type.String(),
  category: oneOf(factCategories),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
});
type ProposedFact = Static<typeof proposedFact>;

/**
 * Returns the changes in a model's answer, without facts that break a rule or are known already. Throws when the answer is not
 * the requested JSON.
 */
export function learnedFrom(
  answer: string,
  memory: MemoryDocument,
  { minConfidence, threadId, at }: LearningRules,
): LearnedChange {
  const { facts = [], outdated = [] } = shapeOf(answer);
  const removable = new Set(memory.facts.filter((fact) => !isManual(fact)).map(({ id }) => id));
  const known = new Set(memory.facts.map(({ content }) => plain(content)));
  const change: LearnedChange = {
    facts: [],
    outdated: [...new Set(outdated)]
      .filter((id) => removable.has(id as string))
      .slice(0, maxOutdated) as string[],
  };
  for (const { content, category, confidence } of facts.flatMap(checkedFact)) {
    if (confidence < minConfidence || known.has(plain(content)) || change.facts.length === maxFactsPerAnswer)
      continue;
    known.add(plain(content));
    const id = newFactId([...memory.facts, ...change.facts]);
    change.facts.push({ id, content, category, confidence, createdAt: at, source: threadId });
  }
  return change;
}

/**
 * Returns the memory after the change, or the same memory when the change was made before. A full memory drops the learned facts
 * with the least confidence, and never facts that its user has written.
 */
export function withLearned(
  memory: MemoryDocument,
  { facts, outdated }: LearnedChange,
  { maxFacts, at }: { maxFacts: number; at: string },
): MemoryDocument {
  const kept = memory.facts.filter((fact) => isManual(fact) || !outdated.includes(fact.id));
  const added = facts.filter(
    (fact) => !kept.some(({ id, content }) => id === fact.id || plain(content) === plain(fact.content)),
  );
  const next = surest([...kept, ...added], maxFacts);
  const isSame =
    next.length === memory.facts.length && next.every((fact, index) => fact === memory.facts[index]);
  return isSame ? memory : { ...memory, lastUpdated: at, facts: next };
}

function surest(facts: readonly MemoryFact[], maxFacts: number): MemoryFact[] {
  const learned = facts.filter((fact) => !isManual(fact));
  const room = Math.max(maxFacts - (facts.length - learned.length), 0);
  const staying = new Set(learned.sort((one, other) => other.confidence - one.confidence).slice(0, room));
  return facts.filter((fact) => isManual(fact) || staying.has(fact));
}

function shapeOf(answer: string): Static<typeof answerShape> {
  if (answer.length > maxAnswerLength)
    throw new Error('The model answered with more text than a list of facts can have.');
  const spoken = answer.replace(/<think(ing)?>[\s\S]*?<\/think(ing)?>/g, '');
  // Some models put fences or a sentence around it, whatever the prompt says.
  const value = jsonIn(spoken.slice(spoken.indexOf('{'), spoken.lastIndexOf('}') + 1));
  if (!Value.Check(answerShape, value))
    throw new Error('The model did not answer with the JSON that was asked for.');
  return value;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checkedFact(proposed: unknown): ProposedFact[] {
  if (!Value.Check(proposedFact, proposed)) return [];
  const content = readable(proposed.content);
  return content === '' || content.length > maxFactLength ? [] : [{ ...proposed, content }];
}

/** One line, without text that a model sees and a reader does not: control characters, tags, changes of direction. */
function readable(text: string): string {
  return wellFormed(text)
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu, '')
    .trim();
}
