import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable } from '../shapes.ts';
import { threadId } from './ids.ts';

export const maxPolishedLength = 4_000;

export const inputPolishBody = Type.Object(
  {
    text: Type.String({ maxLength: 100_000 }),
    locale: Type.Optional(nullable(Type.String({ maxLength: 35 }))),
    thread_id: Type.Optional(nullable(threadId)),
  },
  { additionalProperties: false },
);
export type InputPolishBody = Static<typeof inputPolishBody>;

export const polishInput = {
  method: 'POST',
  url: '/api/input-polish',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'A draft of a message in better words',
    description:
      'The default model writes it; nothing is stored. 400 for a draft without text or with more than 4,000 characters, 404 while no model is configured, 503 when none answers.',
    tags: ['Suggestions'],
    body: inputPolishBody,
    response: { 200: Type.Object({ rewritten_text: Type.String(), changed: Type.Boolean() }) },
  },
} as const satisfies Endpoint;
