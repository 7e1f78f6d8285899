import { describe, expect, it } from 'vitest';
import { maskExtraData, requireExtraData, requireTargets } from './extra-data.ts';

describe('extra data', () => {
  it.each([
    { api_key_comfy_org: 'abc' },
    { auth_token_comfy_org: 'abc' },
    { nested: [{ apiKey: 'abc' }] },
    { 'x-api-key': 'abc' },
    { client_secret: 'abc' },
    { password: 'abc' },
    { Authorization: 'abc' },
    { auth: { user: 'abc' } },
    { key: 'abc' },
    { note: 'sk-abc' },
    { note: 'Bearer abc' },
  ])('is shown without the secret of %j', (extraData) => {
    const shown = JSON.stringify(maskExtraData(extraData));
    expect(shown).not.toContain('abc');
    expect(shown).toContain('***');
  });

  it('is shown unchanged when it holds no secret', () => {
    const harmless = { extra_pnginfo: { workflow: { nodes: [{ id: 1 }], author: 'Ada' } }, max_tokens: 512 };
    expect(maskExtraData(harmless)).toEqual(harmless);
  });

  it('is refused when it is too large, too deep or masked, with the reason', () => {
    const faultOf = (extraData: Record<string, unknown>) => {
      try {
        requireExtraData(extraData);
      } catch (error) {
        return (error as { faults: { path: unknown[]; message: string }[] }).faults[0];
      }
      return null;
    };
    let deep: Record<string, unknown> = {};
    for (let depth = 0; depth < 10_000; depth += 1) deep = { deep };
    expect(faultOf(deep)?.message).toContain('64 levels');
    expect(faultOf({ text: 'x'.repeat(4 * 1024 * 1024) })?.message).toContain('at most 4194304');
    expect(faultOf({ keys: { api_key: '***' } })).toMatchObject({ path: ['extraData', 'keys', 'api_key'] });
    expect(faultOf({ api_key: 'abc' })).toBe(null);
  });
});

describe('targets', () => {
  const graph = { '9': { class_type: 'SaveImage', inputs: {} } };

  it('must be nodes of the workflow', () => {
    expect(() => requireTargets(['9'], graph)).not.toThrow();
    expect(() => requireTargets(['9', '8'], graph)).toThrow();
  });
});
