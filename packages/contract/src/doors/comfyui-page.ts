import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';

const tags = ['ComfyUI door'];

/** The path on the page's own origin that takes a ticket. */
export const comfyuiPageEntrance = '/switchyard/open';

/** The source of templates under which the page finds a workflow that was handed over. */
export const comfyuiTemplateSource = 'switchyard';

export const comfyuiPage = Type.Object({
  available: Type.Boolean({ description: 'The gateway has an origin for the page.' }),
});

export const getComfyuiPage = {
  method: 'GET',
  url: '/api/comfyui/page',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'Whether the page of ComfyUI can be opened',
    tags,
    response: { 200: envelope(comfyuiPage) },
  },
} as const satisfies Endpoint;

export const comfyuiPageRequest = Type.Object(
  {
    workflowId: Type.Optional(
      Type.String({ format: 'uuid', description: 'A saved workflow of the caller, which the page opens.' }),
    ),
  },
  { additionalProperties: false },
);

export const openComfyuiPage = {
  method: 'POST',
  url: '/api/comfyui/page',
  config: { access: 'dispatch:write', sessionOnly: true },
  schema: {
    summary: 'Open the page of ComfyUI',
    description:
      'Answers an address with a ticket that works once, within a minute. The page that it opens has an origin of its own, acts for the caller on the pool alone, and ends with the session.',
    tags,
    body: comfyuiPageRequest,
    response: { 200: envelope(Type.Object({ url: Type.String() })) },
  },
} as const satisfies Endpoint;
