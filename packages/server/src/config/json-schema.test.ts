import Schema from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema } from './json-schema.ts';
import { loadConfig } from './load.ts';
import { showConfig } from './show.ts';

function accepts(yaml: string): boolean {
  return Schema.Check(configJsonSchema(), parse(yaml));
}

describe('the schema for editors', () => {
  it('accepts what the gateway accepts, including references to the environment', () => {
    expect(accepts('{}')).toBe(true);
    expect(accepts('server: { port: 7301, body_limit: 4MB, cors: { origins: ["https://a"] } }')).toBe(true);
    expect(accepts('server: { port: "${PORT:-7300}" }\nareas: { dispatch: "${D}" }')).toBe(true);
  });

  it('accepts every default', () => {
    const loaded = loadConfig({ env: {}, cwd: '/nowhere' });
    expect(accepts(showConfig(loaded, { effective: true, sources: false }))).toBe(true);
  });

  it.each([
    'server: { prot: 1 }',
    'server: { port: "7300" }',
    'server: { port: 70000 }',
    'server: { shutdown_grace: 25 }',
    'database: { backend: mysql }',
    'unknown: 1',
  ])('refuses %s', (yaml) => {
    expect(accepts(yaml)).toBe(false);
  });

  it('describes every key', () => {
    const text = JSON.stringify(configJsonSchema());
    expect(text).not.toContain('x-');
    expect(text).toContain('"description":"Port to listen on;');
  });
});
