import { describe, expect, it } from 'vitest';
import { parseConfig, readConfigFile } from './read.ts';

const faultsOf = (text: string) =>
  parseConfig(text, 'x.yaml').faults.map(({ source, message }) =>
    source.kind === 'file' ? `${source.line}:${source.column} ${message}` : message,
  );

describe('reading the file', () => {
  it('gives every value with its position', () => {
    const { entries, faults } = parseConfig('server:\n  port: 7301\nareas: { dispatch: false }\n', 'x.yaml');
    expect(faults).toEqual([]);
    expect(entries).toEqual([
      {
        key: 'server.port',
        data: 7301,
        isText: false,
        source: { kind: 'file', file: 'x.yaml', line: 2, column: 9 },
      },
      {
        key: 'areas.dispatch',
        data: false,
        isText: false,
        source: { kind: 'file', file: 'x.yaml', line: 3, column: 20 },
      },
    ]);
  });

  it('gives the position of each item of a list', () => {
    const [entry] = parseConfig(
      'auth:\n  trusted_proxies:\n    - 10.0.0.1\n    - 10.0.0.2\n',
      'x.yaml',
    ).entries;
    expect(entry?.items).toMatchObject([{ line: 3 }, { line: 4 }]);
  });

  it.each(['', '# only a comment\n', 'server:\n', '---\n'])('reads %j as a file without values', (text) => {
    expect(parseConfig(text, 'x.yaml')).toEqual({ entries: [], faults: [] });
  });

  it('follows aliases', () => {
    const { entries } = parseConfig(
      'server: { public_url: &a "https://a" , cors: { origins: [*a] } }',
      'x.yaml',
    );
    expect(entries.map(({ data }) => data)).toEqual(['https://a', ['https://a']]);
  });

  it.each([
    ['server:\n  prot: 1\n', '2:3 unknown key "server.prot"; did you mean server.port?'],
    ['port: 1\n', '1:1 unknown key "port"; did you mean server.port?'],
    ['server.port: 1\n', '1:1 unknown key "server.port"; write port inside server'],
    ['__proto__: 1\n', '1:1 unknown key "__proto__"; known here: version,'],
    ['constructor: 1\n', '1:1 unknown key "constructor"; known here: version,'],
    ['bus: memory\n', '1:6 must hold keys: backend'],
    ['- a\n', '1:1 must hold keys: version, data_home'],
    ['version: 1\nversion: 1\n', '2:1 the same key stands here a second time'],
    ['server: { port: *nowhere }\n', '1:17 refers to "*nowhere", which stands nowhere above'],
    ['version: !env VERSION\n', '1:10 not valid YAML: Unresolved tag: !env'],
    ['version: 1\n---\nversion: 1\n', '2:1 not valid YAML'],
    ['server: { port: 1\nversion: 1\n', 'not valid YAML'],
  ])('%j is faulty: %s', (text, expected) => {
    const faults = faultsOf(text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(expected);
  });

  it('reports only the syntax faults of a file with broken syntax, because others would be guesses', () => {
    expect(
      faultsOf('server: { prot: [ }\nnonsense: 1\n').every((fault) => fault.includes('not valid YAML')),
    ).toBe(true);
  });

  it('never quotes a line of the file, because it may hold a secret', () => {
    expect(faultsOf('database: { url: "postgres://me:hunter2@host/db\n').join()).not.toContain('hunter2');
  });

  it('survives an alias that contains itself', () => {
    expect(faultsOf('server: &a { cors: *a }\n')[0]).toContain('unknown key "server.cors.cors"');
    expect(parseConfig('auth: { trusted_proxies: &a [*a] }\n', 'x.yaml').faults).toHaveLength(0);
  });

  it('says when the file cannot be read', () => {
    const { faults } = readConfigFile('/nowhere/at/all.yaml', 'all.yaml');
    expect(faults.map(({ message }) => message)).toEqual(['cannot be read: there is no such file']);
    expect(readConfigFile('/', '/').faults[0]?.message).toBe('cannot be read: it is a directory');
  });
});
