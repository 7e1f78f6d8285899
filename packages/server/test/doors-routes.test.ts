import { consolePaths } from '@switchyard/contract/console-pages';
import * as agUi from '@switchyard/contract/doors/ag-ui';
import * as comfyApi from '@switchyard/contract/doors/comfy-api';
import * as comfyui from '@switchyard/contract/doors/comfyui';
import { comfyuiBase, comfyuiCall } from '@switchyard/contract/doors/comfyui-address';
import * as mcp from '@switchyard/contract/doors/mcp';
import type { Endpoint } from '@switchyard/contract/endpoint';
import { expect, it } from 'vitest';

const endpointsOf = (module: object): Endpoint[] =>
  Object.values(module).filter((value) => typeof value === 'object' && value !== null && 'url' in value);

const ofComfyui = endpointsOf(comfyui);
const ofComfyApi = endpointsOf(comfyApi);
const belowApi = ({ url }: Endpoint) => url.replace(comfyuiBase, `${comfyuiBase}/api`);

it('gives every address to one door, also below the /api that clients of one ComfyUI put before it', () => {
  expect(ofComfyui.length).toBeGreaterThan(30);
  expect(ofComfyApi.length).toBeGreaterThan(10);
  for (const { url } of ofComfyApi) expect(comfyuiCall(url)).toBe(url);
  for (const endpoint of ofComfyui) {
    expect(endpoint.url).not.toMatch(/^\/comfy\/api/);
    expect(comfyuiCall(endpoint.url)).toBe(endpoint.url);
    expect(comfyuiCall(`${belowApi(endpoint)}?x=1`)).toBe(`${endpoint.url}?x=1`);
  }
});

it('leaves /v2 to the Comfy API, apart from /v2/userdata, which clients of one ComfyUI call', () => {
  for (const url of [
    '/comfy/api/v2',
    '/comfy/api/v2/',
    '/comfy/api/v2?x',
    '/comfy/api/v2/userdatas',
    '/comfy/api',
  ])
    expect(comfyuiCall(url)).toBe(url);
  for (const end of ['', '/', '?path=a', '/x'])
    expect(comfyuiCall(`/comfy/api/v2/userdata${end}`)).toBe(`/comfy/v2/userdata${end}`);
  expect(['/comfy/api/v2x', '/comfy/api/api/queue'].map(comfyuiCall)).toEqual([
    '/comfy/v2x',
    '/comfy/api/queue',
  ]);
});

it('tells strangers nothing but the health of the Comfy API', () => {
  const open = [...ofComfyui, ...ofComfyApi].filter(({ config }) => config.access === 'public');
  expect(open.map(({ url }) => url)).toEqual(['/comfy/api/v2/health']);
});

it('gives no address of a door to a page of the console', () => {
  const roots = [comfyui, comfyApi, agUi, mcp].flatMap(endpointsOf).map(({ url }) => url.split('/')[1]);
  const pages = consolePaths.map((path) => path.split('/')[1]);
  expect(roots.filter((root) => pages.includes(root as string))).toEqual([]);
});
