import { RedisScript } from '../redis/redis-script.ts';

/**
 * Each subject is a hash: `lock` and `until` are moments, `f:<about>` counts failures, `r:<id>` is the moment at which an
 * attempt in flight counts as lost. The first value of each call is the present moment, or -1 for the clock of Redis.
 */
const begin = `
local now = tonumber(ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * Forgets what has lapsed. A moment that lies further ahead than any call may set it was written before the clock was set
 * back, and counts from now.
 */
const readSubject = `
local attempts, lockMs, reservationMs = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local subject = redis.call('HGETALL', KEYS[1])
local lock, untilMs, failures, inFlight, last = 0, 0, 0, 0, 0
local abouts = {}
for i = 1, #subject, 2 do
  local field, value = subject[i], tonumber(subject[i + 1])
  local kind = string.sub(field, 1, 2)
  if field == 'lock' then lock = math.min(value, now + lockMs)
  elseif field == 'until' then untilMs = math.min(value, now + lockMs)
  elseif kind == 'f:' then
    failures = failures + value
    abouts[#abouts + 1] = field
  elseif value <= now or value > now + reservationMs then redis.call('HDEL', KEYS[1], field)
  else
    inFlight = inFlight + 1
    last = math.max(last, value)
  end
end
local function forgetFailures()
  for _, field in ipairs(abouts) do redis.call('HDEL', KEYS[1], field) end
  failures = 0
end
if untilMs <= now then forgetFailures() end
local function keep()
  redis.call('HSET', KEYS[1], 'lock', lock, 'until', untilMs)
  redis.call('PEXPIRE', KEYS[1], math.max(lock, untilMs, last) - now + 1)
end
`;

export const reserve = new RedisScript(`${begin}${readSubject}
if lock > now then
  keep()
  return {'locked', lock - now}
end
if failures + inFlight >= attempts then return {'busy', 0} end
last = math.max(last, now + reservationMs)
redis.call('HSET', KEYS[1], 'r:' .. ARGV[5], now + reservationMs)
keep()
return {'reserved', 0}`);

export const confirmFailure = new RedisScript(`${begin}
redis.call('HDEL', KEYS[1], 'r:' .. ARGV[5])
${readSubject}
local about = 'f:' .. ARGV[6]
if redis.call('HINCRBY', KEYS[1], about, 1) == 1 then abouts[#abouts + 1] = about end
failures = failures + 1
untilMs = now + lockMs
local locked = 0
if failures >= attempts then
  lock = now + lockMs
  forgetFailures()
  locked = 1
end
keep()
return locked`);

export const countCall = new RedisScript(`${begin}
local windowMs = tonumber(ARGV[2])
local endsAt = tonumber(redis.call('HGET', KEYS[1], 'ends') or 0)
if endsAt <= now or endsAt > now + windowMs then
  redis.call('DEL', KEYS[1])
  endsAt = now + windowMs
  redis.call('HSET', KEYS[1], 'ends', endsAt)
end
local calls = redis.call('HINCRBY', KEYS[1], 'calls', 1)
redis.call('PEXPIRE', KEYS[1], endsAt - now)
return {calls, endsAt - now}`);
