import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';

const tags = ['Memory'];
const url = '/api/memory';
/** A document holds at most 500 facts of 2,000 characters. */
const bodyLimit = 4 * 1024 * 1024;

const note = Type.Object({
  summary: Type.String({ maxLength: 4_000, default: '' }),
  updatedAt: Type.String({ maxLength: 40, default: '' }),
});

export const memoryFact = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  content: Type.String({ minLength: 1, maxLength: 2_000 }),
  category: Type.String({ minLength: 1, maxLength: 64, default: 'context' }),
  confidence: Type.Number({ minimum: 0, maximum: 1, default: 0.5 }),
  createdAt: Type.String({ maxLength: 40, default: '' }),
  source: Type.String({
    maxLength: 64,
    default: 'manual',
    description: 'The thread it was learned in, or `manual`.',
  }),
  sourceError: Type.Optional(Type.String({ maxLength: 2_000 })),
});
export type MemoryFact = Static<typeof memoryFact>;

/** The facts that one agent remembers about one user. */
export const memoryDocument = Type.Object({
  version: Type.Literal('1.0'),
  lastUpdated: Type.String({ maxLength: 40, description: 'ISO 8601; empty while nothing was ever kept.' }),
  user: Type.Object({ workContext: note, personalContext: note, topOfMind: note }),
  history: Type.Object({ recentMonths: note, earlierContext: note, longTermBackground: note }),
  facts: Type.Array(memoryFact, { maxItems: 500 }),
});
export type MemoryDocument = Static<typeof memoryDocument>;

export const memoryConfig = Type.Object({
  enabled: Type.Boolean(),
  storage_path: Type.String({ description: 'Always empty: each user has a file of their own.' }),
  debounce_seconds: Type.Number({
    description: 'How long a conversation is silent before it is searched for facts.',
  }),
  max_facts: Type.Integer(),
  fact_confidence_threshold: Type.Number({
    description: 'Facts of which the model is less sure are left out.',
  }),
  injection_enabled: Type.Boolean({ description: 'Whether agents are told what is remembered.' }),
  max_injection_tokens: Type.Integer(),
  extraction_enabled: Type.Boolean({ description: 'Whether conversations are searched for new facts.' }),
});
export type MemoryConfig = Static<typeof memoryConfig>;

const querystring = Type.Object({
  agent: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9-]{1,64}$',
      description: 'The agent whose memory is meant; without it the one that the lead agent uses.',
    }),
  ),
});
const factParams = Type.Object({ fact_id: memoryFact.properties.id });
const { category } = memoryFact.properties;
/** The limits of these fields are checked elsewhere: a value beyond them answers 400, not 422. */
const content = Type.String({ maxLength: 2_000, description: 'Blank is 400.' });
const confidenceRule = 'From 0 to 1; another number is 400.';

export const newFact = Type.Object({
  content,
  category: Type.Optional(category),
  confidence: Type.Optional(Type.Number({ default: 0.5, description: confidenceRule })),
});
export type NewFact = Static<typeof newFact>;
/** Has no defaults: a field that is left out stays as it is. */
export const factChange = Type.Object(
  {
    content: Type.Optional(content),
    category: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    confidence: Type.Optional(Type.Number({ description: confidenceRule })),
  },
  { minProperties: 1 },
);
export type FactChange = Static<typeof factChange>;

export const getMemory = {
  method: 'GET',
  url,
  config: { access: 'conversation:read' },
  schema: { summary: "The caller's memory", tags, querystring, response: { 200: memoryDocument } },
} as const satisfies Endpoint;

export const reloadMemory = {
  method: 'POST',
  url: `${url}/reload`,
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Read the memory from its file again',
    tags,
    querystring,
    response: { 200: memoryDocument },
  },
} as const satisfies Endpoint;

export const clearMemory = {
  method: 'DELETE',
  url,
  config: { access: 'conversation:write' },
  schema: { summary: 'Forget everything', tags, querystring, response: { 200: memoryDocument } },
} as const satisfies Endpoint;

export const addFact = {
  method: 'POST',
  url: `${url}/facts`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Remember a fact',
    tags,
    querystring,
    body: newFact,
    response: { 200: memoryDocument },
  },
} as const satisfies Endpoint;

export const changeFact = {
  method: 'PATCH',
  url: `${url}/facts/:fact_id`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Change a fact',
    tags,
    params: factParams,
    querystring,
    body: factChange,
    response: { 200: memoryDocument },
  },
} as const satisfies Endpoint;

export const deleteFact = {
  method: 'DELETE',
  url: `${url}/facts/:fact_id`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Forget a fact',
    tags,
    params: factParams,
    querystring,
    response: { 200: memoryDocument },
  },
} as const satisfies Endpoint;

export const exportMemory = {
  method: 'GET',
  url: `${url}/export`,
  config: { access: 'conversation:read' },
  schema: {
    summary: 'The memory, to keep or to import',
    tags,
    querystring,
    response: { 200: memoryDocument },
  },
} as const satisfies Endpoint;

export const importMemory = {
  method: 'POST',
  url: `${url}/import`,
  config: { access: 'conversation:write', bodyLimit },
  schema: {
    summary: 'Replace the memory by another one',
    tags,
    querystring,
    body: memoryDocument,
    response: { 200: memoryDocument },
  },
} as const satisfies Endpoint;

export const getMemoryConfig = {
  method: 'GET',
  url: `${url}/config`,
  config: { access: 'conversation:read' },
  schema: { summary: 'How memory is set up', tags, response: { 200: memoryConfig } },
} as const satisfies Endpoint;

export const getMemoryStatus = {
  method: 'GET',
  url: `${url}/status`,
  config: { access: 'conversation:read' },
  schema: {
    summary: 'The set-up and the memory at once',
    tags,
    querystring,
    response: { 200: Type.Object({ config: memoryConfig, data: memoryDocument }) },
  },
} as const satisfies Endpoint;
