import { randomBytes } from 'node:crypto';
import type {
  FactChange,
  MemoryDocument,
  MemoryFact,
  NewFact,
} from '@switchyard/contract/conversation/memory';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';

const manualSource = 'manual';

export function emptyMemory(): MemoryDocument {
  const note = () => ({ summary: '', updatedAt: '' });
  return {
    version: '1.0',
    lastUpdated: '',
    user: { workContext: note(), personalContext: note(), topOfMind: note() },
    history: { recentMonths: note(), earlierContext: note(), longTermBackground: note() },
    facts: [],
  };
}

/** New facts replace no old ones: a full memory refuses them. */
export function withFact(
  memory: MemoryDocument,
  { content, category = 'context', confidence = 0.5 }: NewFact,
  { maxFacts, at }: { maxFacts: number; at: string },
): MemoryDocument {
  requireRoom(memory.facts.length + 1, maxFacts);
  const fact: MemoryFact = {
    id: newFactId(memory.facts),
    content: requireText(content),
    category,
    confidence: requireConfidence(confidence),
    createdAt: at,
    source: manualSource,
  };
  requireNew(memory.facts, fact);
  return { ...memory, lastUpdated: at, facts: [...memory.facts, fact] };
}

export function withChangedFact(
  memory: MemoryDocument,
  factId: string,
  { change, at }: { change: FactChange; at: string },
): MemoryDocument {
  const present = memory.facts.find(({ id }) => id === factId);
  if (!present) throw factNotFound(factId);
  const fact = {
    ...present,
    ...change,
    ...(change.content !== undefined && { content: requireText(change.content) }),
    ...(change.confidence !== undefined && { confidence: requireConfidence(change.confidence) }),
  };
  requireNew(
    memory.facts.filter(({ id }) => id !== factId),
    fact,
  );
  const facts = memory.facts.map((each) => (each.id === factId ? fact : each));
  return { ...memory, lastUpdated: at, facts };
}

export function withoutFact(memory: MemoryDocument, factId: string, at: string): MemoryDocument {
  const facts = memory.facts.filter(({ id }) => id !== factId);
  if (facts.length === memory.facts.length) throw factNotFound(factId);
  return { ...memory, lastUpdated: at, facts };
}

/** Imported facts follow the same rules as facts that are added by hand. */
export function requireImportable({ facts }: MemoryDocument, maxFacts: number): void {
  requireRoom(facts.length, maxFacts);
  const ids = new Set<string>();
  const contents = new Set<string>();
  for (const { id, content } of facts) {
    requireText(content);
    if (ids.has(id)) throw new AppError('memory_fact_exists', { message: say('facts_same_id', { id }) });
    if (contents.has(plain(content))) throw new AppError('memory_fact_exists');
    ids.add(id);
    contents.add(plain(content));
  }
}

function requireRoom(count: number, maxFacts: number): void {
  if (count <= maxFacts) return;
  throw new AppError('memory_full', {
    message: say('memory_room', { count: maxFacts }),
  });
}

function requireText(content: string): string {
  const text = content.trim();
  if (text === '') throw new AppError('memory_fact_blank');
  return text;
}

function requireConfidence(confidence: number): number {
  if (confidence < 0 || confidence > 1) throw new AppError('memory_fact_confidence');
  return confidence;
}

function requireNew(facts: readonly MemoryFact[], { content }: MemoryFact): void {
  if (facts.some((fact) => plain(fact.content) === plain(content))) throw new AppError('memory_fact_exists');
}

/** True for facts that the user has written: no model removes them. */
export function isManual({ source }: MemoryFact): boolean {
  return source === manualSource;
}

/** Two facts are the same when only case and spaces differ. */
export function plain(content: string): string {
  return content.trim().replace(/\s+/g, ' ').toLowerCase();
}

function factNotFound(factId: string): AppError {
  return new AppError('memory_fact_not_found', { message: `Memory fact '${factId}' not found.` });
}

export function newFactId(facts: readonly Pick<MemoryFact, 'id'>[]): string {
  const id = `fact_${randomBytes(4).toString('hex')}`;
  return facts.some((fact) => fact.id === id) ? newFactId(facts) : id;
}
