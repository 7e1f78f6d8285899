import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readGatewayFile, removeGatewayFile, writeGatewayFile } from './gateway-file.ts';

const content = { url: 'http://127.0.0.1:7300', pid: 42, since: '2025-01-01T00:00:00.000Z' };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchyard-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('gateway.json', () => {
  it('is readable by this user only and leaves no other file behind', () => {
    writeGatewayFile(home, content);
    expect(readGatewayFile(home)).toEqual(content);
    expect(statSync(join(home, 'gateway.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(home)).toEqual(['gateway.json']);
  });

  it('replaces the file of a process that was killed', () => {
    writeGatewayFile(home, { ...content, pid: 1 });
    writeGatewayFile(home, content);
    expect(readGatewayFile(home)?.pid).toBe(42);
  });

  it('is removed only by the process that wrote it', () => {
    writeGatewayFile(home, content);
    removeGatewayFile(home, 43);
    expect(readGatewayFile(home)).toEqual(content);
    removeGatewayFile(home, 42);
    expect(readdirSync(home)).toEqual([]);
  });

  it.each(['', '{', 'null', '{"url":1}'])('treats %j as a missing file', (text) => {
    writeFileSync(join(home, 'gateway.json'), text);
    expect(readGatewayFile(home)).toBeNull();
  });
});
