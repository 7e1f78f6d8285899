import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { type BannerFacts, banner } from './banner.ts';

const facts: BannerFacts = {
  version: '1.2.3',
  readyMs: 1_440,
  url: 'http://127.0.0.1:7300',
  pageUrl: null,
  movedFromPort: null,
  database: { backend: 'sqlite', place: './.switchyard/data/switchyard.db' },
  bus: 'in-process',
  configFile: null,
  agents: [],
  command: 'switchyard',
  credentialsFile: './.switchyard/admin_initial_credentials.txt',
  awaitsFirstAdmin: false,
  registration: { mode: 'open', because: null },
  isReachable: false,
  isOpenOverPlainHttp: false,
};

const plain = pc.createColors(false);
const show = (changes: Partial<BannerFacts> = {}) => banner({ ...facts, ...changes }, plain);

describe('banner', () => {
  it('shows the address, what the gateway uses and how to sign in', () => {
    expect(show()).toBe(
      [
        '',
        '  switchyard 1.2.3  ready in 1.4 s',
        '  Console   http://127.0.0.1:7300',
        '  API       http://127.0.0.1:7300/docs',
        '  Database  sqlite  ./.switchyard/data/switchyard.db',
        '  Bus       in-process',
        '  Config    defaults (no switchyard.yaml here)',
        '  Sign in   with the password in ./.switchyard/admin_initial_credentials.txt',
        '  Next      open the console, or: switchyard login, then switchyard chat "what can you do?"',
        '  Stop      Ctrl-C',
        '',
        '',
      ].join('\n'),
    );
  });

  it('has at most 13 lines, even when every line is shown', () => {
    const reach = { isReachable: true, isOpenOverPlainHttp: true, pageUrl: 'http://127.0.0.1:7310' };
    const text = show({ movedFromPort: 7300, ...reach, configFile: '/etc/switchyard.yaml' });
    expect(text).toContain('Registration is open to everyone who reaches this address');
    expect(text).toContain('  ComfyUI   http://127.0.0.1:7310  (');
    expect(text.trim().split('\n').length).toBeLessThanOrEqual(13);
  });

  it.each([
    ['closed', 'has auth', 'Registration is closed beside the auth of langgraph.json'],
    ['open', 'has auth', 'Registration is open: strangers make accounts'],
    ['closed', 'cannot be used', 'Registration is closed while langgraph.json cannot be used'],
  ] as const)('says that registration is %s where langgraph.json %s', (mode, because, note) => {
    expect(show({ registration: { mode, because } })).toContain(note);
    expect(show({ registration: { mode: 'closed', because: null }, isReachable: true })).not.toContain(
      'Registration',
    );
  });

  it('lists the agents that were found, and names a broken one with its cause', () => {
    const text = show({
      agents: [
        { name: 'notes', fault: null },
        { name: 'faulty', fault: 'src/faulty.ts:2: Unexpected "="' },
        { name: 'approval', fault: null },
      ],
    });
    expect(text).toContain('  Agents    notes, approval (and the built-in lead_agent)\n');
    expect(text).toContain('  Left out: faulty: src/faulty.ts:2: Unexpected "="\n');
    const many = Array.from({ length: 9 }, (_, index) => ({ name: `a${index}`, fault: 'gone' }));
    expect(show({ agents: many })).toContain('  Left out: 4 more; the log has them.\n');
    expect(show({ agents: many })).not.toContain('Agents ');
  });

  it('says so while agents are still being loaded', () => {
    expect(show({ agents: null })).toContain('  Agents    not loaded yet');
  });

  it('names the commands as they can be typed where it was started', () => {
    expect(show({ command: 'packages/cli/bin/switchyard.mjs' })).toContain(
      'packages/cli/bin/switchyard.mjs login, then packages/cli/bin/switchyard.mjs chat',
    );
  });

  it('points at the credentials only while their file exists', () => {
    expect(show({ credentialsFile: null })).not.toMatch(/Sign in|password/);
  });

  it('tells how to make the first admin when the first visitor has to do it', () => {
    const text = show({ credentialsFile: null, awaitsFirstAdmin: true });
    expect(text).toContain('open http://127.0.0.1:7300 in a browser and make the first administrator');
  });

  it('says that it moved up from a busy port', () => {
    expect(show({ movedFromPort: 7300 })).toContain('Port 7300 was in use');
    expect(show()).not.toContain('was in use');
  });

  it('warns when other machines can reach it over plain HTTP', () => {
    expect(show({ isOpenOverPlainHttp: true })).toContain('over plain HTTP');
    expect(show()).not.toContain('plain HTTP');
  });

  it('writes no escape codes without colours', () => {
    expect(show({ movedFromPort: 7300, isOpenOverPlainHttp: true })).not.toContain('\u001b');
    expect(banner(facts, pc.createColors(true))).toContain('\u001b');
  });
});
