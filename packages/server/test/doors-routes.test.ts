import * as comfyApi from '@switchyard/contract/doors/comfy-api';
import * as comfyui from '@switchyard/contract/doors/comfyui';
import type { Endpoint } from '@switchyard/contract/endpoint';
import { expect, it } from 'vitest';

const endpointsOf = (module: object): Endpoint[] =>
  Object.values(module).filter((value) => typeof value === 'object' && value !== null && 'url' in value);

/** Method and address, with each parameter as any text. */
const routesOf = (endpoints: readonly Endpoint[], bases: readonly string[]) =>
  endpoints.flatMap(({ method, url }) =>
    bases.map((base) => `${method} ${url.replace(comfyui.comfyuiBases[0], base).replace(/:\w+/g, ':')}`),
  );

const ofComfyui = routesOf(endpointsOf(comfyui), comfyui.comfyuiBases);
const ofComfyApi = routesOf(endpointsOf(comfyApi), ['/comfy']);

it('gives every address to one door', () => {
  expect(ofComfyui.length).toBeGreaterThan(30);
  expect(ofComfyApi.sort()).toEqual([
    'DELETE /comfy/api/v2/assets/:',
    'GET /comfy/api/v2/assets/:',
    'GET /comfy/api/v2/assets/:/content',
    'GET /comfy/api/v2/assets/by-hash/:',
    'GET /comfy/api/v2/health',
    'GET /comfy/api/v2/jobs',
    'GET /comfy/api/v2/jobs/:',
    'GET /comfy/api/v2/jobs/:/events',
    'GET /comfy/api/v2/jobs/:/workflow',
    'POST /comfy/api/v2/assets',
    'POST /comfy/api/v2/assets/from-hash',
    'POST /comfy/api/v2/jobs',
    'POST /comfy/api/v2/jobs/:/cancel',
  ]);
  expect(ofComfyui.filter((route) => ofComfyApi.includes(route))).toEqual([]);
});

it('leaves /v2/userdata to the one ComfyUI, whose clients call it below both of its bases', () => {
  const belowApi = ofComfyui.filter((route) => route.includes(' /comfy/api/v2/'));
  expect(belowApi.filter((route) => !route.includes('/comfy/api/v2/userdata'))).toEqual([]);
  expect(ofComfyApi.filter((route) => route.includes('userdata'))).toEqual([]);
});

it('tells strangers nothing but the health of the Comfy API', () => {
  const open = [...endpointsOf(comfyui), ...endpointsOf(comfyApi)].filter(
    ({ config }) => config.access === 'public',
  );
  expect(open.map(({ url }) => url)).toEqual(['/comfy/api/v2/health']);
});
