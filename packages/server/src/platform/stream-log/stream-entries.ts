import { dataOf, newFrame, type StreamFrame } from './stream-frame.ts';

/**
 * How the stream of a run lies in Redis. A frame has the entry id `<frame id>-0`, so Redis refuses one that is not newer
 * than all others: that of a writer that another one has followed. A mark lies behind a frame, as `<frame id>-<1 and up>`.
 */
export type StreamEntry =
  | { at: EntryId; frame: StreamFrame }
  /** `begin`: ids go on from here. `end`: the run is over. `gone`: its writer has given up. */
  | { at: EntryId; mark: 'begin' | 'end' | 'gone' };

export interface EntryId {
  frame: number;
  mark: number;
}

export type RawEntry = [id: string, fields: string[]];

export const firstEntry: EntryId = { frame: 0, mark: 0 };

export function readEntry([id, [first, name = '', , data = '', , atMs]]: RawEntry): StreamEntry {
  const at = readId(id);
  if (first === 'mark') return { at, mark: name as 'begin' | 'end' | 'gone' };
  return { at, frame: newFrame({ event: name, data, id: at.frame, atMs: Number(atMs) }) };
}

export function frameFields(frame: StreamFrame): string[] {
  return ['event', frame.event, 'data', dataOf(frame), 'at', String(frame.atMs)];
}

export function readId(id: string): EntryId {
  const [frame, mark] = id.split('-');
  return { frame: Number(frame), mark: Number(mark) };
}

export function idText({ frame, mark }: EntryId): string {
  return `${frame}-${mark}`;
}

export function isAfter(one: EntryId, other: EntryId): boolean {
  return one.frame === other.frame ? one.mark > other.mark : one.frame > other.frame;
}

/** Id of the last frame that is gone, or never was, when this is the oldest entry. */
export function missingBefore(oldest: StreamEntry): number {
  return 'frame' in oldest ? oldest.at.frame - 1 : oldest.at.frame;
}

/**
 * Writes a mark behind frame ARGV[1], or behind the newest one if that is -1. Returns 0 when a newer frame is there: this
 * writer has a successor. ARGV: frame id, mark, life in milliseconds.
 */
export const markScript = `
local top, seq = 0, 0
if redis.call('EXISTS', KEYS[1]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      local ms, n = string.match(info[i + 1], '(%d+)-(%d+)')
      top, seq = tonumber(ms), tonumber(n)
    end
  end
end
local at = tonumber(ARGV[1])
if at < 0 then at = top end
if top > at then return 0 end
if top < at then seq = 0 end
local id = string.format('%.0f-%.0f', at, seq + 1)
if ARGV[2] == 'begin' then
  local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
  if newest[1] and newest[1][2][2] == 'gone' then redis.call('XTRIM', KEYS[1], 'MAXLEN', 0) end
end
redis.call('XADD', KEYS[1], id, 'mark', ARGV[2])
if ARGV[2] == 'gone' then redis.call('XTRIM', KEYS[1], 'MINID', id) end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;
