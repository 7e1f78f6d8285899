/** The path before each address of the door. */
export const comfyuiBase = '/comfy';

/** The path before the token of a client that takes only an address: `/comfy/t/<token>/prompt`. */
export const comfyuiPathTokens = `${comfyuiBase}/t`;

/** Clients of one ComfyUI put it before any address. */
const alias = `${comfyuiBase}/api`;
/** What the official Comfy API has there: everything below `/v2` but the user data of a ComfyUI. */
const ofComfyApi = /^\/v2(?:$|\?|\/(?!userdata(?:$|[?/])))/;

/** Returns the address of the same call without the `/api` of clients of one ComfyUI. */
export function comfyuiCall(url: string): string {
  if (!url.startsWith(`${alias}/`)) return url;
  const call = url.slice(alias.length);
  return ofComfyApi.test(call) ? url : comfyuiBase + call;
}

/** Returns the address that a user enters in such a client. */
export function comfyuiAddress(gateway: string, token: string): string {
  return `${gateway.replace(/\/$/, '')}${comfyuiPathTokens}/${token}`;
}
