import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable } from '../shapes.ts';

const tags = ['Agents'];
const url = '/api/user-profile';

export const maxProfileLength = 16_384;

const profile = Type.Object({
  content: nullable(Type.String({ description: 'Markdown; null while nothing is written.' })),
});

export const getUserProfile = {
  method: 'GET',
  url,
  config: { access: 'conversation:read' },
  schema: { summary: 'What the caller tells every agent of themselves', tags, response: { 200: profile } },
} as const satisfies Endpoint;

export const putUserProfile = {
  method: 'PUT',
  url,
  config: { access: 'conversation:write', bodyLimit: 131_072 },
  schema: {
    summary: 'Write what every agent is told of the caller',
    tags,
    body: Type.Object({ content: Type.String({ maxLength: maxProfileLength, default: '' }) }),
    response: { 200: profile },
  },
} as const satisfies Endpoint;
