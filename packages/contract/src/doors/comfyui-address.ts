/** The path before the token of a client that takes only an address: `/comfy/t/<token>/prompt`. */
export const comfyuiPathTokens = '/comfy/t';

/** Returns the address that a user enters in such a client. */
export function comfyuiAddress(gateway: string, token: string): string {
  return `${gateway.replace(/\/$/, '')}${comfyuiPathTokens}/${token}`;
}
